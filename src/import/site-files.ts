import type { Site } from '../model/desired.ts'
import type { ValueObject } from '../model/value.ts'
import { textScalar } from '../yaml-edit/scalar.ts'
import { mapLines, memberLines } from '../yaml-edit/write.ts'
import { type ImportedSecret, replaceSecretsOf, SecretNames, SecretReferencer } from './secrets.ts'
import type { ImportedSite } from './site.ts'
import type { RequestedImport } from './site-requests.ts'

/** Yields to the event loop between units of long work; rejects once the run is aborted. */
export type Pause = () => Promise<void>

/** Writes a file per site. The order counts: names of secrets depend on earlier sites. */
export class SiteFileWriter {
  readonly #references: SecretReferencer

  constructor(secretPrefix: string) {
    this.#references = new SecretReferencer(new SecretNames(secretPrefix))
  }

  /** The secrets to which the files so far refer. */
  get secrets(): readonly ImportedSecret[] {
    return this.#references.secrets
  }

  write([{ slug }, imported]: RequestedImport): ImportedFile {
    const wlans = replaceSecretsOf(imported, slug, this.#references)
    return { file: `${slug}.yaml`, text: renderSite({ ...imported, wlans }), wlans: wlans.length }
  }
}

/** The files of all sites. */
export async function writeSiteFiles(
  sites: readonly RequestedImport[],
  secretPrefix: string,
  pause: Pause
): Promise<{
  readonly files: readonly ImportedFile[]
  readonly secrets: readonly ImportedSecret[]
}> {
  const plain = new SiteFileWriter(secretPrefix)
  const files: ImportedFile[] = []
  for (const site of sites) {
    await pause()
    files.push(plain.write(site))
  }
  return { files, secrets: plain.secrets }
}

/** The YAML of one site, with all its WLANs. */
export function renderSite({
  site,
  wlans,
  inherited
}: Pick<ImportedSite, 'site' | 'wlans' | 'inherited'>): string {
  const blocks = [
    ['site:', ...siteLines(site)],
    ...wlanBlocks(wlans.map(({ key, id, fields }) => [key, { id, ...fields }])),
    ...(inherited.length === 0 ? [] : [inheritedComment(inherited)])
  ]
  return joinBlocks(blocks)
}

/** Blocks of lines as a file, separated by empty lines. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

/** The `wlans` of a file: a block each; those of one line share a block. */
export function wlanBlocks(wlans: readonly (readonly [key: string, ValueObject])[]): string[][] {
  const blocks: string[][] = []
  for (const [key, block] of wlans) {
    const lines = memberLines(key, block, 2)
    const last = blocks.at(-1)
    if (last === undefined) blocks.push(['wlans:', ...lines])
    else if (lines.length === 1 && last.at(-1)?.startsWith('   ') === false) last.push(...lines)
    else blocks.push(lines)
  }
  return blocks
}

function siteLines({ id, name }: Site): string[] {
  return mapLines({ id, name }, 2)
}

/** A comment that lists the WLANs of the organization. */
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
