import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/program.ts'

/** A Markdown file of the repository, with its path from the root. */
export interface MarkdownFile {
  readonly path: string
  readonly text: string
}

/** A command that a document shows, with the output it shows (empty if it shows none). */
export interface ShownCommand {
  readonly command: string
  readonly output: string
}

/** Folders of installed and generated files, and of expected reports. */
const skipped = new Set(['.git', 'node_modules', 'dist', 'build', 'coverage', 'test/report'])

function* pathsBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !skipped.has(path)) yield* pathsBelow(path)
    if (entry.isFile() && path.endsWith('.md')) yield path
  }
}

/** The documents of the repository. */
export const markdownFiles = readAll(pathsBelow(''))

/** Markdown reports that tests compare with the output of the program. */
export const markdownReports = readAll(pathsBelow('test/report'))

function readAll(paths: Iterable<string>): readonly MarkdownFile[] {
  const read = (path: string) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })
  return [...paths].sort().map(read)
}

export function textOf(path: string): string {
  const found = markdownFiles.find(file => file.path === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found.text
}

/** The fenced blocks of a language, without their fences. */
export function blocksOf(text: string, language: string): string[] {
  const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  return [...text.matchAll(fences)].map(([, block = '']) => block)
}

/** The commands of all console blocks, in order: the lines that start with `$ `. */
export function commandsOf(text: string): ShownCommand[] {
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

/** The text without code: fenced blocks and code spans become spaces. */
export function proseOf(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, ' ').replaceAll(/(`+)(?!`).+?(?<!`)\1(?!`)/gs, ' ')
}

/** The targets of links within the repository, as written, with their `#anchor`. */
export function linksOf(text: string): string[] {
  const links = proseOf(text).matchAll(/\]\((?!https?:)([^)]+)\)/g)
  return [...links].map(([, target = '']) => target)
}

/** The anchors that GitHub generates for the headings of a document. */
export function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
  )
}

/** Text with ports, digests and the version replaced, which differ from run to run. */
export function normalised(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST')
    .trimEnd()
}
