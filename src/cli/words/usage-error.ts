import { escapeInside } from '../../report/escape.ts'

/**
 * What commander says of wrong words in a call, safe to show: it repeats the words, which a script may
 * have from anywhere. Of an unknown option only the name is left, since people try `--token=…`.
 */
export function shownUsageError(text: string): string {
  const [, said = '', meant = ''] = /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? []
  const named = said.replace(/^(error: unknown option '[^'=]*)=.*'$/s, "$1'")
  return `${escapeInside(named)}${meant}\n`
}
