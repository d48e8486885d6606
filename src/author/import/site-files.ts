import type { Site } from '../../core/model/desired.ts'
import { append } from '../../core/values/collections.ts'
import { fromEntries, type ValueObject } from '../../core/values/value.ts'
import { textScalar } from '../yaml-edit/scalar.ts'
import { flowText, mapLines, memberLines } from '../yaml-edit/write.ts'
import type { SecretCatalog } from './secrets.ts'
import type { ImportedSite } from './site.ts'
import type { RequestedImport, RequestedSite } from './site-requests.ts'

/** Yields to the event loop between units of long work; rejects if the run is aborted. */
export type Pause = () => Promise<void>

/** The files of all sites. */
export async function writeSiteFiles(
  sites: readonly RequestedImport[],
  secrets: SecretCatalog,
  pause: Pause
): Promise<readonly ImportedFile[]> {
  const files: ImportedFile[] = []
  for (const site of sites) {
    await pause()
    files.push(writeSiteFile(site, secrets))
  }
  return files
}

/** The file of a site, with references for its secrets. */
export function writeSiteFile(
  [requested, { site, inherited, ...imported }]: RequestedImport,
  secrets: SecretCatalog
): ImportedFile {
  const { timezone } = requested
  const wlans = imported.wlans.map(
    ({ key, id, fields }): Block => [
      key,
      { id, ...(secrets.replaceSecrets(fields) as ValueObject) }
    ]
  )
  const members = siteMembers(site, timezone === undefined ? {} : { vars: { timezone } })
  return siteFile(requested, members, wlans, inherited)
}

/** A WLAN, a profile or a group in a file. */
export type Block = readonly [name: string, content: ValueObject]

/** What a file says of a site apart from the WLANs of the file. */
export interface SiteLayers {
  /** The names of its groups. */
  readonly groups?: readonly string[]
  readonly vars?: ValueObject
  readonly overrides?: readonly Block[]
}

/** A site as a member of a file. */
export function siteMembers(
  { id, name }: Site,
  { groups = [], vars = {}, overrides = [] }: SiteLayers
): ValueObject {
  return {
    id,
    name,
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(vars).length > 0 && { vars }),
    ...(overrides.length > 0 && { wlans: fromEntries(overrides) })
  }
}

/** A file with one site and its WLANs. */
export function siteFile(
  { slug }: RequestedSite,
  site: ValueObject,
  wlans: readonly Block[],
  inherited: ImportedSite['inherited']
): ImportedFile {
  const blocks = [
    ['site:', ...mapLines(site, 2)],
    ...wlanBlocks(wlans),
    ...(inherited.length === 0 ? [] : [inheritedComment(inherited)])
  ]
  return { file: `${slug}.yaml`, text: joinBlocks(blocks), wlans: wlans.length }
}

/** Joins blocks of lines to a file, separated by empty lines. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

/** The maximum width of a line with a whole WLAN, in columns; only the overrides of a profile are short enough. */
const SHORT_BLOCK = 80

/** The `wlans` of a file, each as a block; single lines share a block. */
export function wlanBlocks(wlans: readonly Block[]): string[][] {
  const blocks: string[][] = []
  for (const [key, block] of wlans) {
    const short = Object.hasOwn(block, '$extends')
      ? `  ${textScalar(key)}: ${flowText(block)}`
      : undefined
    const isShort = short !== undefined && short.length <= SHORT_BLOCK
    const lines = isShort ? [short] : memberLines(key, block, 2)
    const last = blocks.at(-1)
    if (last === undefined) blocks.push(['wlans:', ...lines])
    else if (lines.length === 1 && last.at(-1)?.startsWith('   ') === false) append(last, lines)
    else blocks.push(lines)
  }
  return blocks
}

function inheritedComment(inherited: ImportedSite['inherited']): string[] {
  const lines = inherited.map(({ id, ssid }) => `#   ${id}  ${textScalar(ssid)}`)
  return ['# WLANs of the organization, which a site cannot update:', ...lines]
}

/** A file of an import. */
export interface ImportedFile {
  /** Relative to the output folder. */
  readonly file: string
  readonly text: string
  /** The number of WLANs that it declares, on all of its sites. */
  readonly wlans: number
  /** The number of profiles, in the file of profiles. */
  readonly profiles?: number
}
