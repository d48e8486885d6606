/** GitHub's alerts, by how loud they are. */
export type Loudness = 'CAUTION' | 'WARNING' | 'IMPORTANT' | 'NOTE'

/**
 * What a reader must not miss, in a box of its own. Readers that know no alerts show a quotation.
 *
 *     > [!WARNING]
 *     > **1 outage**: clients lose this network: `hq/guest`
 */
export function alert(loudness: Loudness, ...lines: readonly string[]): string {
  return [`[!${loudness}]`, ...lines].map(line => `> ${line}`).join('\n')
}

/** Paragraphs that are there, with a line between each two. */
export function paragraphs(...texts: readonly string[]): string {
  return texts
    .filter(text => text !== '')
    .map(text => `${text}\n`)
    .join('\n')
}
