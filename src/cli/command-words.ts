/** The words of a command, or why it cannot be run without a shell. */
export type CommandWords =
  | { readonly words: readonly [program: string, ...args: string[]] }
  | { readonly problem: string }

/** A part of a word, at the place of the last match: quoted, escaped, or plain. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/y

/** What a shell would not take literally. */
const SHELL_SYNTAX = /[|&;<>()$`]|^~/

/**
 * Splits a command line into words by the quoting rules of POSIX shells. The command is run without a shell: what a
 * shell would replace or act on outside of quotes is a problem, not a part of a word.
 */
export function splitCommand(text: string): CommandWords {
  const words: string[] = []
  let word: string | undefined
  let at = 0
  while (at < text.length) {
    PART.lastIndex = at
    const match = PART.exec(text)
    if (match === null) return { problem: 'a quote is not closed, or nothing follows a backslash' }
    at = PART.lastIndex
    const [, single, double, escaped, plain, blank] = match
    if (blank !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    const syntax =
      SHELL_SYNTAX.exec(plain ?? '') ?? /[$`]/.exec(double?.replace(/\\[\s\S]/g, '') ?? '')
    if (syntax !== null) {
      return { problem: `\`${syntax[0]}\` needs a shell: quote it, or run \`sh -c '…'\`` }
    }
    const inDouble = double?.replace(/\\(["\\$`])|\\\n/g, '$1')
    word = (word ?? '') + (single ?? inDouble ?? escaped?.replace('\n', '') ?? plain ?? '')
  }
  if (word !== undefined) words.push(word)
  const [program = '', ...args] = words
  return program === '' ? { problem: 'it names no program' } : { words: [program, ...args] }
}
