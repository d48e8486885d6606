import type { Site } from '../model/desired.ts'
import type { ValueObject } from '../model/value.ts'
import { textScalar } from '../yaml-edit/scalar.ts'
import { mapLines, memberLines } from '../yaml-edit/write.ts'
import type { ImportedSite } from './site.ts'

/** The YAML of one site, with all its WLANs. */
export function siteText({
  site,
  wlans,
  inherited
}: Pick<ImportedSite, 'site' | 'wlans' | 'inherited'>): string {
  const blocks = [
    ['site:', ...siteLines(site)],
    ...wlansBlocks(wlans.map(({ key, id, fields }) => [key, { id, ...fields }])),
    ...(inherited.length === 0 ? [] : [inheritedLines(inherited)])
  ]
  return fileText(blocks)
}

/** Blocks of lines as a file: an empty line between them. */
export function fileText(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

/** The `wlans` of a file, by key: a block each, and short ones together. */
export function wlansBlocks(wlans: readonly (readonly [key: string, ValueObject])[]): string[][] {
  const blocks: string[][] = []
  for (const [key, block] of wlans) {
    const lines = memberLines(key, block, 2)
    const before = blocks.at(-1)
    if (before === undefined) blocks.push(['wlans:', ...lines])
    else if (lines.length === 1 && before.at(-1)?.startsWith('   ') === false) before.push(...lines)
    else blocks.push(lines)
  }
  return blocks
}

function siteLines({ id, name }: Site): string[] {
  return mapLines({ id, name }, 2)
}

/** What is not declared, for who looks for it here. */
function inheritedLines(inherited: ImportedSite['inherited']): string[] {
  const lines = inherited.map(({ id, ssid }) => `#   ${id}  ${textScalar(ssid)}`)
  return ['# These come from a template of the organisation, which a site cannot update:', ...lines]
}
