import { stringify } from 'yaml'

/** The first lines of each page of the reference. */
export function head(title: string, source: string, about: string): string {
  return `# ${title}

${about}

Generated from ${source} by \`npm run reference\`. Do not edit it. [All pages](README.md)
`
}

export const code = (text: string) => `\`${text}\``

/** A text as a code span, whatever it contains. */
export function span(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : code(text)
}

export const sentence = (text: string) =>
  `${text.replace(/^[a-z]/, first => first.toUpperCase()).replace(/[.?!]$/, '')}.`

export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(names), line(names.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Links to headings of the same page. */
export function links(headings: readonly string[]): string {
  return headings.map(heading => `[${heading}](#${anchor(heading)})`).join(' · ')
}

const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

/** Part of a file of a fleet as YAML. */
export function yaml(value: unknown): string {
  return `\`\`\`yml\n${stringify(value, { lineWidth: 0 }).trimEnd()}\n\`\`\``
}

/** A member as YAML on one line. */
export function inline(name: string, value: unknown): string {
  const flow = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
  return span(`${name}: ${flow}`)
}
