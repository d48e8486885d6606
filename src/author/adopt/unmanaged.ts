import { matchSite, undeclaredWlans } from '../../core/diff/match.ts'
import type { Adoption, EditedFile, TakenWlan } from '../../core/model/adoption.ts'
import type { DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import type { Finding } from '../../core/model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import { planWlan } from '../../core/plan/plan.ts'
import { secretsShownIn } from '../../core/schema/shown-secrets.ts'
import { groupBy, sortBy } from '../../core/values/collections.ts'
import { matchesGlob } from '../../core/values/glob.ts'
import { applyEdits, listFirst, quote, type TextEdit } from '../../core/values/text.ts'
import { sameId } from '../../core/values/uuid.ts'
import { fromEntries, secretsIn, type ValueObject } from '../../core/values/value.ts'
import type { SiteDeclaration } from '../../fleet/documents.ts'
import type { SecretSource } from '../../fleet/secrets/source.ts'
import { readUnresolved, type UnresolvedFleet } from '../../fleet/unresolved-fleet.ts'
import type { SourceFile } from '../../fleet/yaml/tree.ts'
import { fileSlug, UniqueNames } from '../import/names.ts'
import { type ImportedSecret, SecretCatalog } from '../import/secrets.ts'
import { type ImportedSite, type ImportedWlan, importSite } from '../import/site.ts'
import { renderSite } from '../import/site-files.ts'
import type { RequestedImport, RequestedSite } from '../import/site-requests.ts'
import { insertMembers } from '../yaml-edit/edit.ts'
import { memberRange, parseOutline } from '../yaml-edit/outline.ts'
import { hiddenParts } from './hidden-parts.ts'
import { declaredId } from './reference-index.ts'
import { differences, loadEdited, verificationFailure } from './verify.ts'

/** A declared site and its live state. */
export type ReadSite = readonly [declared: DesiredSite, live: LiveSite]

/** The input of a takeover. */
export interface TakeoverRequest {
  /** All sites that the addresses may name. */
  readonly sites: readonly ReadSite[]
  /** `site/SSID` or `site/id`, or globs over them. */
  readonly addresses: readonly string[]
  /** Every file of the fleet, parsed without an error. */
  readonly sources: readonly SourceFile[]
  /** The prefix of the variables that get the names of secrets. */
  readonly secretPrefix: string
  /** Checks references without resolving them. */
  readonly secrets: SecretSource
}

/** The edits of a takeover, with the live secrets behind their references. */
export interface Takeover {
  readonly adoption: Adoption
  readonly secrets: readonly ImportedSecret[]
  /** Findings about values that a file cannot declare. */
  readonly findings: readonly Finding[]
}

/**
 * Computes the edits that declare unmanaged live WLANs as `import` does: in the file that declares only their
 * site, or in a new file. Verifies that a plan of the WLANs is empty and that no other WLAN changes. Writes
 * nothing. Throws a `Failure` for an address without an unmanaged WLAN (exit 3), and if the verification
 * fails (exit 1).
 */
export async function takeOver(request: TakeoverRequest): Promise<Takeover> {
  const { sources, secrets, secretPrefix } = request
  const imported = selectWlans(request).map(([site, wlans]) => importWlans(site, wlans))
  const before = await loadEdited(sources, new Map(), secrets)
  const form = { kind: '$env', prefix: secretPrefix } as const
  const catalog = new SecretCatalog(imported, form, { taken: takenNames(sources, before) })
  const destinations = new Destinations(readUnresolved(sources), sources)
  const takeovers = imported.map(([requested, site]): SiteTakeover => {
    const wlans = site.wlans.map(wlan => {
      return { ...wlan, fields: catalog.replaceSecrets(wlan.fields) as ValueObject }
    })
    return { ...destinations.of(requested), site, wlans }
  })
  const files = editedFiles(takeovers, sources)
  const texts = new Map(files.map(file => [file.file, applyEdits(file.before, file.edits)]))
  await verifyTakeover(request, before, takeovers, texts)
  const findings = imported.flatMap(([, site]) => site.findings)
  const taken = takeovers.flatMap(takeover => takenWlans(takeover, catalog))
  const adoption = { files, adopted: [], left: [], taken: sortBy(taken, ({ address }) => address) }
  return { adoption, secrets: catalog.secrets, findings }
}

function selectWlans({ sites, addresses }: TakeoverRequest): [DesiredSite, LiveWlan[]][] {
  const unmanaged = sites.map(([site, live]): [DesiredSite, LiveWlan[]] => {
    const undeclared = undeclaredWlans(matchSite(site, live), live)
    return [site, undeclared.filter(({ record }) => !isInherited(record))]
  })
  const isNamed = ({ name }: DesiredSite, { id, ssid }: LiveWlan, address: string) =>
    matchesGlob(`${name}/${ssid}`, address) || matchesGlob(`${name}/${id}`, address)
  for (const address of addresses) {
    if (unmanaged.some(([site, wlans]) => wlans.some(wlan => isNamed(site, wlan, address))))
      continue
    throw nothingUnmanaged(address, unmanaged)
  }
  return unmanaged.flatMap(([site, wlans]) => {
    const named = wlans.filter(wlan => addresses.some(address => isNamed(site, wlan, address)))
    return named.length === 0 ? [] : [[site, named]]
  })
}

function nothingUnmanaged(
  address: string,
  unmanaged: readonly (readonly [DesiredSite, readonly LiveWlan[]])[]
): Failure {
  const known = unmanaged.flatMap(([{ name }, wlans]) => wlans.map(({ ssid }) => `${name}/${ssid}`))
  const names = known.map(each => quote(each, 100))
  const hint =
    known.length === 0
      ? 'the sites that were read have no unmanaged WLANs'
      : `unmanaged are ${listFirst(names, 5)}`
  return wrongInput(`no unmanaged WLAN matches ${quote(address, 100)}`, hint)
}

/** The WLANs as `import` declares them, with keys that the site does not use yet. */
function importWlans(site: DesiredSite, wlans: readonly LiveWlan[]): RequestedImport {
  const { id, name } = site
  const imported = importSite({ site: { id, name }, wlans }, { allFields: false })
  const keys = new UniqueNames('-')
  for (const { key } of site.wlans) keys.take(key)
  const renamed = imported.wlans.map(wlan => ({ ...wlan, key: keys.take(wlan.key) }))
  return [
    { id, name, slug: fileSlug(name) },
    { ...imported, wlans: renamed }
  ]
}

/** The names that other secrets use: those of references, resolved or in the text. */
function takenNames(sources: readonly SourceFile[], before: Declared): Set<string> {
  const written = sources.flatMap(({ text }) => text.match(/[A-Z][A-Z0-9_]+/g) ?? [])
  const resolved = [...before.values()].flatMap(({ fields }) => [...secretsIn(fields)])
  const named = resolved.flatMap(({ reference }) => ('$env' in reference ? reference.$env : []))
  return new Set([...written, ...named])
}

type Declared = Awaited<ReturnType<typeof loadEdited>>

interface Destination {
  /** Undefined for a new file. */
  readonly source: SourceFile | undefined
  readonly file: string
  readonly inFleet: string
}

/** Chooses the files. The names of new ones differ from those of all files of the fleet in any folder. */
class Destinations {
  readonly #bySite: ReadonlyMap<string, readonly SiteDeclaration[]>
  readonly #byFile: ReadonlyMap<SourceFile, readonly SiteDeclaration[]>
  readonly #names = new UniqueNames('-')

  constructor({ declarations }: UnresolvedFleet, sources: readonly SourceFile[]) {
    this.#bySite = groupBy(declarations, ({ map }) => declaredId(map))
    this.#byFile = groupBy(declarations, ({ map }) => map.source)
    const taken = sources.flatMap(({ inFleet }) => /([^/]*)\.yaml$/i.exec(inFleet)?.[1] ?? [])
    for (const name of new Set(taken.map(each => each.toLowerCase()))) this.#names.take(name)
  }

  /** The file that declares only this site, or a new one in the folder of the first file that declares it. */
  of({ id, slug }: RequestedSite): Destination {
    const declared = this.#bySite.get(id.toLowerCase()) ?? []
    const alone = declared.filter(({ map }) => this.#byFile.get(map.source)?.length === 1)
    const source = (alone.find(({ wlans }) => wlans().size > 0) ?? alone[0])?.map.source
    if (source !== undefined) return { source, file: source.file, inFleet: source.inFleet }
    const name = `${this.#names.take(slug)}.yaml`
    const { file = '', inFleet = '' } = declared[0]?.map.source ?? {}
    return { source, file: besideFile(file, name), inFleet: besideFile(inFleet, name) }
  }
}

function besideFile(other: string, name: string): string {
  return other.slice(0, other.lastIndexOf('/') + 1) + name
}

interface SiteTakeover extends Destination {
  readonly site: ImportedSite
  readonly wlans: readonly ImportedWlan[]
}

function takenWlans({ file, site }: SiteTakeover, catalog: SecretCatalog): TakenWlan[] {
  return site.wlans.map(({ key, id, ssid, fields }) => {
    const address = `${site.site.name}/${key}`
    return { address, id, ssid, file, secrets: catalog.usesIn(fields) }
  })
}

function editedFiles(
  takeovers: readonly SiteTakeover[],
  sources: readonly SourceFile[]
): EditedFile[] {
  const hiddenIn = hiddenParts(sources)
  const files = takeovers.map(({ source, file, site, wlans }): EditedFile => {
    if (source === undefined) {
      const text = renderSite({ site: site.site, wlans, inherited: [] })
      return { file, isNew: true, before: '', edits: [{ start: 0, end: 0, text }], hidden: [] }
    }
    const edits = [addWlans(source, wlans)]
    return { file, before: source.text, edits, hidden: hiddenIn(source) }
  })
  return sortBy(files, ({ file }) => file)
}

function addWlans({ text, root }: SourceFile, added: readonly ImportedWlan[]): TextEdit {
  const blocks = fromEntries(added.map(({ key, id, fields }) => [key, { id, ...fields }]))
  const outline = parseOutline(text)
  const top = outline.ofValue(root?.offset ?? 0)
  if (top === undefined) throw verificationFailure('the file has no map to add a WLAN to')
  const wlans = memberRange(outline, top, 'wlans')
  return wlans === undefined
    ? insertMembers(outline, top, { wlans: blocks })
    : insertMembers(outline, wlans, blocks)
}

/** Throws a `Failure` (exit 1) unless a plan of the new WLANs is empty, and the others stay as they are. */
async function verifyTakeover(
  { sources, sites, secrets }: TakeoverRequest,
  before: Declared,
  takeovers: readonly SiteTakeover[],
  texts: ReadonlyMap<string, string>
): Promise<void> {
  const edited = new Map<SourceFile, string>()
  const added = new Map<string, string>()
  for (const { source, file, inFleet } of takeovers) {
    const text = texts.get(file) ?? ''
    if (source === undefined) added.set(inFleet, text)
    else edited.set(source, text)
  }
  const after = await loadEdited(sources, edited, secrets, added)
  for (const [address, wlan] of before) {
    const [moved] = differences(wlan.fields, after.get(address)?.fields, '')
    if (moved !== undefined) throw verificationFailure(`${address} ${moved} would change`)
  }
  const live = new Map(sites.map(([site, found]) => [site.id, found]))
  for (const { site } of takeovers) {
    for (const { key, id } of site.wlans) {
      const address = `${site.site.name}/${key}`
      const of = live.get(site.site.id)
      if (!isUnchanged(after.get(address), id, of)) {
        throw verificationFailure(`${address} would differ from the live WLAN`)
      }
    }
  }
}

function isUnchanged(wlan: DesiredWlan | undefined, id: string, live: LiveSite | undefined) {
  const found = live?.wlans.find(each => sameId(each.id, id))
  if (wlan === undefined || found === undefined || live === undefined) return false
  const secretsShown = secretsShownIn(live.wlans.map(({ record }) => record))
  return planWlan(live.site, wlan, found, { secretsShown }).status === 'unchanged'
}
