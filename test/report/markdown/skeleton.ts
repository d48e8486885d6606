/**
 * Markdown with every code span as a `C`: the rest has a meaning to a renderer, and must not contain external
 * text. It is parsed like on GitHub: the cells of a table first, then a run of backticks to the next run of
 * the same length.
 */
export function skeleton(markdown: string): string {
  return markdown
    .replaceAll('\\|', '\u0001')
    .replace(/(?<!`)(`+)(?!`)(?:[^`\n]|(?!\1(?!`))`+)+?(?<!`)\1(?!`)/g, 'C')
    .replaceAll('_empty_', 'C')
}

/** The tags that a row or a block opens without closing, and those it closes without opening. */
export function unbalanced(markdown: string): string[] {
  const open: string[] = []
  for (const [, end, name = ''] of skeleton(markdown).matchAll(
    /<(\/?)(details|summary|sub|b)\b/g
  )) {
    if (end === '') open.push(name)
    else if (open.at(-1) === name) open.pop()
    else open.push(`/${name}`)
  }
  return open
}

/** The lines of the tables, each with the number of its cells. */
export function tableRows(markdown: string): { readonly line: string; readonly cells: number }[] {
  return skeleton(markdown)
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(line => ({ line, cells: line.split('|').length - 2 }))
}

export function bytes(text: string): number {
  return new TextEncoder().encode(text).length
}
