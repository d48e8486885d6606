/** A command that a document shows, with what it says the command prints (empty: it does not say). */
export interface Shown {
  readonly command: string
  readonly output: string
}

/** The fenced blocks of a language, without their fences. */
export function blocksOf(text: string, language: string): string[] {
  const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  return [...text.matchAll(fences)].map(([, block = '']) => block)
}

/** The commands of all console blocks, in order: the lines that begin with `$ `. */
export function commandsOf(text: string): Shown[] {
  return blocksOf(text, 'console').flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(part => {
        const [command = '', ...output] = part.split('\n')
        return { command, output: output.join('\n') }
      })
  )
}

/** The targets of links within the repository. */
export function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target)
}

/** What differs from run to run, made the same: ports, digests and the version. */
export function normalised(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST')
    .trimEnd()
}
