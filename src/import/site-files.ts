import type { Site } from '../model/desired.ts'
import type { ValueObject } from '../model/value.ts'
import { textScalar } from '../yaml-edit/scalar.ts'
import { mapLines, memberLines } from '../yaml-edit/write.ts'
import { type ImportedSecret, replaceSecretsOf, SecretNames, SecretReferencer } from './secrets.ts'
import type { ImportedSite } from './site.ts'
import type { RequestedSite } from './site-requests.ts'

/** Long work calls it between its units; it rejects once the work is to stop. */
export type Pause = () => Promise<void>

/** A site that was asked for, and what was made of it. */
export type RequestedImport = readonly [requested: RequestedSite, imported: ImportedSite]

/** Declares sites in files of their own, one after the other: names depend on those before. */
export class SiteFileWriter {
  readonly #references: SecretReferencer

  constructor(secretPrefix: string) {
    this.#references = new SecretReferencer(new SecretNames(secretPrefix))
  }

  /** What the files so far refer to. */
  get secrets(): readonly ImportedSecret[] {
    return this.#references.secrets
  }

  write([{ slug }, imported]: RequestedImport): ImportedFile {
    const wlans = replaceSecretsOf(imported, slug, this.#references)
    return { file: `${slug}.yaml`, text: renderSite({ ...imported, wlans }), wlans: wlans.length }
  }
}

/** The same for all sites at once. */
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

/** Blocks of lines as a file: an empty line between them. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

/** The `wlans` of a file, by key: a block each, and short ones together. */
export function wlanBlocks(wlans: readonly (readonly [key: string, ValueObject])[]): string[][] {
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
function inheritedComment(inherited: ImportedSite['inherited']): string[] {
  const lines = inherited.map(({ id, ssid }) => `#   ${id}  ${textScalar(ssid)}`)
  return ['# These come from a template of the organisation, which a site cannot update:', ...lines]
}

/** A file that an import makes. */
export interface ImportedFile {
  /** Below the folder that the files go to. */
  readonly file: string
  readonly text: string
  /** The WLANs that it declares, on all of its sites. */
  readonly wlans: number
  /** The profiles in a file that holds nothing else. */
  readonly profiles?: number
}
