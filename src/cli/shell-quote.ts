/** A word of a line that somebody may paste into a shell: in quotes where it would be more than a word. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
