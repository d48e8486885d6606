/**
 * Markdown with every span of code as a `C`: all that is left has a meaning to a reader, so that no
 * text from outside may be in it. It is read as GitHub reads it: the cells of a table first, then a run
 * of backticks to the next run of the same length.
 */
export function skeleton(markdown: string): string {
  return markdown
    .replaceAll('\\|', '\u0001')
    .replace(/(?<!`)(`+)(?!`)(?:[^`\n]|(?!\1(?!`))`+)+?(?<!`)\1(?!`)/g, 'C')
    .replaceAll('_empty_', 'C')
}

/** The tags that a row or a block opens and does not close, and those it closes unopened. */
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
