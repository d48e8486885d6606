import { findKinds } from '../../core/audit/kinds.ts'
import {
  type Desired,
  type DesiredSite,
  type DesiredWlan,
  declaredSecrets,
  type Site
} from '../../core/model/desired.ts'
import {
  groupBy,
  groupsBy,
  isUsual,
  mostFrequent,
  type NonEmpty,
  usual
} from '../../core/values/collections.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { nameOfSecret, Secret } from '../../core/values/secret.ts'
import { ssidPattern } from '../../core/values/ssid.ts'
import {
  asNumber,
  editAt,
  isObject,
  isSameJson,
  secretsWithin,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import { loadTexts } from '../../fleet/load.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { itemColumn, parseOutline, rootMember } from '../yaml-edit/outline.ts'
import { shortItem } from '../yaml-edit/write.ts'
import { isInList, leavesOf } from './factor/leaves.ts'
import { siteOverrides } from './factor/overrides.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from './secrets.ts'
import type { ImportedWlan, RequestedImport } from './site.ts'
import { type Block, siteMembers } from './site-files.ts'

interface Fleet {
  /** The texts of its files, by their paths in it. */
  readonly texts: ReadonlyMap<string, string>
  readonly desired: Desired
}

/** A site in the list of its kind. */
export interface ListedImport {
  readonly site: RequestedImport
  readonly file: string
  /** The lines that the file gets. */
  readonly lines: readonly string[]
  /** Its declaration in the fleet after that. */
  readonly declared: DesiredSite
  /** The secrets that no other site has. */
  readonly secrets: readonly ImportedSecret[]
}

/**
 * Adds sites to the lists of sites with nearly the same networks: each with the groups and variables of these, and with
 * overrides for the rest. Each site is declared as it is live, or left out of the result.
 */
export async function addToLists(
  texts: Fleet['texts'],
  sites: readonly RequestedImport[],
  form: SecretForm
): Promise<Pick<Fleet, 'texts'> & { readonly listed: readonly ListedImport[] }> {
  let fleet = await load(texts, form)
  const listed: ListedImport[] = []
  for (const site of sites) {
    const found = fleet && (await listedSite(fleet, site, new SecretCatalog([site], form)))
    if (found === undefined) continue
    fleet = found.fleet
    listed.push(found)
  }
  return { texts: fleet?.texts ?? texts, listed }
}

async function load(texts: Fleet['texts'], { prefix }: SecretForm): Promise<Fleet | undefined> {
  const { desired } = await loadTexts(texts, referencesOnly(prefix), { exposesVars: true })
  return desired && { texts, desired }
}

/** A list of sites with siblings of a new one. */
interface SiteList {
  readonly file: string
  /** The offset behind the last site, and the column of its dash. */
  readonly end: number
  readonly column: number
  readonly siblings: readonly DesiredSite[]
}

/** The maximum number of lists of groups to try: each is a load of the fleet. */
const MAX_VARIANTS = 5

async function listedSite(fleet: Fleet, site: RequestedImport, catalog: SecretCatalog) {
  const list = listOfKind(fleet, site)
  const variants = groupsBy(list?.siblings ?? [], ({ groups }) => JSON.stringify(groups))
  const tried: Draft[] = []
  for (const some of variants.sort((a, b) => b.length - a.length).slice(0, MAX_VARIANTS)) {
    const made = list && (await completed(fleet, list, site, some, catalog))
    if (made !== undefined) tried.push(made)
  }
  const [best] = tried.sort((a, b) => a.lines.length - b.lines.length)
  if (list === undefined || best === undefined) return undefined
  const known = new Set([...declaredSecrets(fleet.desired)].map(nameOfSecret))
  const named = best.declared.wlans.flatMap(wlan => namedSecrets(wlan, site))
  return { ...best, site, file: list.file, secrets: named.filter(({ name }) => !known.has(name)) }
}

interface Draft extends Pick<ListedImport, 'lines' | 'declared'> {
  readonly fleet: Fleet
}

/** The fleet with the site in the list, in the groups of some siblings, as it is live; undefined if that is not possible. */
async function completed(
  fleet: Fleet,
  list: SiteList,
  site: RequestedImport,
  siblings: NonEmpty<DesiredSite>,
  catalog: SecretCatalog
): Promise<Draft | undefined> {
  const [{ groups = [] }] = siblings
  const write = async (vars: ValueObject, overrides: readonly Block[]) => {
    const lines = shortItem(siteMembers(site, { groups, vars, overrides }), 'wlans').map(
      line => ' '.repeat(list.column) + line.slice(2)
    )
    const before = fleet.texts.get(list.file) ?? ''
    const text = `${before.slice(0, list.end)}\n${lines.join('\n')}${before.slice(list.end)}`
    const after = await load(new Map([...fleet.texts, [list.file, text]]), catalog.form)
    const declared = after?.desired.sites.find(({ id }) => id === site.id)
    return after && declared && { fleet: after, lines, declared }
  }
  const { given, own } = varsOf(fleet.desired, siblings, site, catalog)
  const plain = await write({ ...given, ...own }, [])
  if (plain === undefined) return undefined
  const { timezone } = site
  const isOwnZone = timezone !== undefined && timezone !== plain.declared.vars?.['timezone']
  const vars = isOwnZone ? { ...own, timezone } : own
  const overrides = overridesOf(plain.declared, site, catalog)
  const isDone = overrides.length === 0 && isSameJson(vars, { ...given, ...own })
  const made = isDone ? plain : await write(vars, overrides)
  return made && overridesOf(made.declared, site, catalog).length === 0 ? made : undefined
}

function patternOf({ fields }: DesiredWlan): string {
  return ssidPattern(String(fields['ssid']))
}

/** The list with the most sites of the kind of the new one. */
function listOfKind({ texts, desired }: Fleet, site: RequestedImport): SiteList | undefined {
  const networks = site.wlans.map(({ ssid }) => ssidPattern(ssid))
  const own = { name: site.name, declared: undefined, networks }
  const others = desired.sites.map(declared => {
    const managed = declared.wlans.filter(wlan => wlan.managed !== false)
    return { name: declared.name, declared, networks: managed.map(patternOf) }
  })
  const kinds = findKinds([...others, own], each => each.networks)
  const kind = kinds.find(({ sites }) => sites.includes(own))?.sites ?? []
  const all = kind.flatMap(({ declared }) => declared ?? [])
  const lists = [...texts].flatMap(([file, text]) => {
    const siblings = all.filter(({ wlans }) => wlans.some(wlan => wlan.file === file))
    const range = siblings.length === 0 ? undefined : rootMember(parseOutline(text), 'sites')
    const column = range && itemColumn(text, range)
    if (range === undefined || column === undefined) return []
    return [{ file, end: text.slice(0, range.end).trimEnd().length, column, siblings }]
  })
  return lists.sort((a, b) => b.siblings.length - a.siblings.length)[0]
}

/** A variable that a site sets itself, in a place of a network. */
interface VariableUse {
  readonly site: DesiredSite
  readonly variable: string
  readonly network: string
  readonly at: Pointer
  /** What the site sets it to. */
  readonly set: Value
  /** The `$format` that contains it, if the place has one. */
  readonly format: Value | undefined
}

/** The number of siblings whose variables count. */
const ENOUGH = 20

/**
 * The variables that most siblings set themselves, as one of them does, and with the live values of the site as far as it has
 * the networks; a secret of most siblings is kept.
 */
function varsOf(
  desired: Desired,
  siblings: readonly DesiredSite[],
  site: RequestedImport,
  catalog: SecretCatalog
) {
  const [given, own]: [Record<string, Value>, Record<string, Value>] = [{}, {}]
  const some = siblings.slice(0, ENOUGH)
  const uses = some.flatMap(sibling =>
    sibling.wlans.flatMap(wlan => usesIn(desired, sibling, wlan))
  )
  for (const [name, all] of groupBy(uses, ({ variable }) => variable)) {
    if (!isUsual(new Set(all.map(each => each.site)).size, some.length)) continue
    const [use = all[0]] = mostFrequent(all, ({ network, at }) => `${network} ${at}`)
    const [most] = usual(all, ({ set }) => JSON.stringify(set))
    const wlan = site.wlans.find(({ ssid }) => ssidPattern(ssid) === use.network)
    const live = wlan && valueAt(wlan.fields, use.at)
    given[name] = use.set
    if (live === undefined) continue
    const value = live instanceof Secret ? (most?.set ?? live) : partOf(live, use, site)
    own[name] = catalog.replaceSecrets(value)
  }
  return { given, own }
}

function usesIn({ originsOf }: Desired, site: DesiredSite, wlan: DesiredWlan): VariableUse[] {
  const inLists = [...leavesOf(wlan.fields).keys()].filter(isInList)
  const origins = ['', ...inLists].flatMap(at => originsOf?.(site, wlan, at) ?? [])
  return origins.flatMap(({ pointer: at, sources }) => {
    const { value: reference = null } = sources.find(({ role }) => role === 'reference') ?? {}
    const format = isObject(reference) ? reference['$format'] : undefined
    return sources.flatMap(({ kind, variable, value: set = null }) =>
      kind === 'site' && variable !== undefined
        ? [{ site, variable, network: patternOf(wlan), at, set, format }]
        : []
    )
  })
}

/** The value of a variable: `26` where `Store {number}` is `Store 26`; any text that does not fit is an exception. */
function partOf(live: Value, { variable, set, format }: VariableUse, { name }: Site): Value {
  if (typeof format !== 'string') return live
  const [before = '', after = ''] = format.replaceAll('{site}', name).split(`{${variable}}`)
  const text = String(live)
  if (!(text.startsWith(before) && text.endsWith(after))) return set
  const part = text.slice(before.length, text.length - after.length)
  return typeof set === 'number' ? asNumber(part) : part
}

/** What a declaration of a site lacks to be as it is live; secrets count as equal. */
function overridesOf(
  declared: DesiredSite,
  site: RequestedImport,
  catalog: SecretCatalog
): Block[] {
  return siteOverrides(declared, site, withSecretsOf).map(([key, block]) => [
    key,
    catalog.replaceSecrets(block) as ValueObject
  ])
}

/** The declared fields with the live secrets in the places of the references. */
function withSecretsOf(fields: ValueObject, wlan: ImportedWlan): ValueObject {
  return liveSecrets(fields, wlan).reduce<ValueObject>(
    (all, { pointer, secret }) => editAt(all, steps(pointer), () => secret) as ValueObject,
    fields
  )
}

/** The secrets of declared fields that are secrets live, with their live values. */
function liveSecrets(fields: ValueObject, wlan: ImportedWlan | undefined) {
  return [...secretsWithin(fields)].flatMap(([pointer, declared]) => {
    const secret = wlan && valueAt(wlan.fields, pointer)
    return secret instanceof Secret ? [{ pointer, name: nameOfSecret(declared), secret }] : []
  })
}

function namedSecrets(
  { address, fields, id }: DesiredWlan,
  site: RequestedImport
): ImportedSecret[] {
  const wlan = site.wlans.find(live => live.id === id || live.ssid === fields['ssid'])
  return liveSecrets(fields, wlan).flatMap(({ name, ...of }) =>
    name === undefined ? [] : [{ ...of, name, address, uses: 1 }]
  )
}
