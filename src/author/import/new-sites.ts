import { findKinds } from '../../core/audit/kinds.ts'
import { slugOf } from '../../core/audit/slug.ts'
import { comparisonKey } from '../../core/diff/agree.ts'
import type { Desired, DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { groupsBy, isUsual, mostFrequent, usual } from '../../core/values/collections.ts'
import { child, steps } from '../../core/values/pointer.ts'
import { nameOfSecret, Secret } from '../../core/values/secret.ts'
import { ssidPattern } from '../../core/values/ssid.ts'
import {
  editAt,
  isList,
  isObject,
  secretsIn,
  secretsWithin,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import { loadTexts } from '../../fleet/load.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { itemColumn, parseOutline, rootMember } from '../yaml-edit/outline.ts'
import { shortItem } from '../yaml-edit/write.ts'
import { leavesOf } from './factor/leaves.ts'
import { siteOverrides } from './factor/overrides.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from './secrets.ts'
import type { ImportedWlan, RequestedImport } from './site.ts'
import { type Block, type SiteLayers, siteMembers } from './site-files.ts'

/** The texts of the files of a fleet, by their paths in it. */
type Texts = ReadonlyMap<string, string>

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
  files: Texts,
  sites: readonly RequestedImport[],
  form: SecretForm
): Promise<{ readonly texts: Texts; readonly listed: readonly ListedImport[] }> {
  let texts = files
  const listed: ListedImport[] = []
  for (const site of sites) {
    const found = await listedSite(texts, site, form)
    if (found === undefined) continue
    texts = found.texts
    listed.push(found)
  }
  return { texts, listed }
}

/** A site of the kind of a new one, as its list has it. */
interface Sibling {
  /** Those that it sets itself. */
  readonly vars: ValueObject
  readonly declared: DesiredSite
}

/** A list of sites with siblings of a new one. */
interface SiteList {
  readonly file: string
  /** The offset behind the last site, and the column of its dash. */
  readonly end: number
  readonly column: number
  readonly siblings: readonly Sibling[]
}

/** The maximum number of lists of groups to try: each is a load of the fleet. */
const MAX_VARIANTS = 5

async function listedSite(texts: Texts, site: RequestedImport, form: SecretForm) {
  const desired = await declaredIn(texts, form)
  const list = desired && listOfKind(texts, desired, site)
  if (desired === undefined || list === undefined) return undefined
  const variants = groupsBy(list.siblings, ({ declared }) => JSON.stringify(declared.groups))
  const tried: Draft[] = []
  for (const some of variants.sort((a, b) => b.length - a.length).slice(0, MAX_VARIANTS)) {
    const { groups } = some[0].declared
    const vars = varsOf(some, site, groups && zoneOfGroups(texts, groups))
    const made =
      vars && (await completed(texts, list, site, { ...(groups && { groups }), vars }, form))
    if (made !== undefined) tried.push(made)
  }
  const [best] = tried.sort((a, b) => a.lines.length - b.lines.length)
  if (best === undefined) return undefined
  const declared = desired.sites.flatMap(({ wlans }) => wlans.map(({ fields }) => fields))
  const known = new Set([...secretsIn(declared)].map(nameOfSecret))
  const named = best.declared.wlans.flatMap(wlan => namedSecrets(wlan, site))
  return { ...best, site, file: list.file, secrets: named.filter(({ name }) => !known.has(name)) }
}

interface Draft {
  readonly texts: Texts
  readonly lines: readonly string[]
  readonly declared: DesiredSite
}

/** The files with the site in the list, as it is live; undefined if that is not possible. */
async function completed(
  texts: Texts,
  list: SiteList,
  site: RequestedImport,
  layers: SiteLayers,
  form: SecretForm
): Promise<Draft | undefined> {
  const write = async (overrides: readonly Block[]) => {
    const lines = shortItem(siteMembers(site, { ...layers, overrides }), 'wlans').map(
      line => ' '.repeat(list.column) + line.slice(2)
    )
    const before = texts.get(list.file) ?? ''
    const text = `${before.slice(0, list.end)}\n${lines.join('\n')}${before.slice(list.end)}`
    const after = new Map([...texts, [list.file, text]])
    const declared = (await declaredIn(after, form))?.sites.find(({ id }) => id === site.id)
    return declared && { texts: after, lines, declared }
  }
  const plain = await write([])
  const overrides = plain && overridesOf(plain.declared, site, form)
  const made = overrides && (await write(overrides))
  return made && overridesOf(made.declared, site, form).length === 0 ? made : undefined
}

async function declaredIn(texts: Texts, form: SecretForm): Promise<Desired | undefined> {
  return (await loadTexts(texts, referencesOnly(form.prefix))).desired
}

function patternOf({ fields }: DesiredWlan): string {
  return ssidPattern(String(fields['ssid']))
}

/** The list with the most sites of the kind of the new one. */
function listOfKind(texts: Texts, desired: Desired, site: RequestedImport): SiteList | undefined {
  const networks = site.wlans.map(({ ssid }) => ssidPattern(ssid))
  const own = { name: site.name, declared: undefined, networks }
  const others = desired.sites.map(declared => {
    const managed = declared.wlans.filter(wlan => wlan.managed !== false)
    return { name: declared.name, declared, networks: managed.map(patternOf) }
  })
  const kinds = findKinds([...others, own], each => each.networks)
  const kind = kinds.find(({ sites }) => sites.includes(own))?.sites ?? []
  const byId = new Map(
    kind.flatMap(({ declared }) => (declared ? [[declared.id, declared] as const] : []))
  )
  const lists = [...texts].flatMap(([file, text]) => siteListIn(file, text, byId) ?? [])
  return lists.sort((a, b) => b.siblings.length - a.siblings.length)[0]
}

function siteListIn(
  file: string,
  text: string,
  byId: ReadonlyMap<string, DesiredSite>
): SiteList | undefined {
  const range = rootMember(parseOutline(text), 'sites')
  const column = range && itemColumn(text, range)
  if (range === undefined || column === undefined) return undefined
  const items: Value = range.node?.toJSON()
  const siblings = (isList(items) ? items : []).flatMap(item => {
    const declared = isObject(item) ? byId.get(String(item['id'])) : undefined
    if (!isObject(item) || declared === undefined) return []
    const { vars } = item
    return [{ vars: isObject(vars) ? vars : {}, declared }]
  })
  const end = range.end - (/\s*$/.exec(text.slice(0, range.end))?.[0].length ?? 0)
  return siblings.length === 0 ? undefined : { file, end, column, siblings }
}

/** The time zone that a site has from its groups. */
function zoneOfGroups(texts: Texts, groups: readonly string[]): Value | undefined {
  const blocks = [...texts.values()].filter(text => /^groups:/m.test(text)).map(groupsIn)
  const zones = groups.map(name =>
    valueAt(Object.assign({}, ...blocks), `${child('', name)}/vars/timezone`)
  )
  return zones.findLast(zone => zone !== undefined)
}

function groupsIn(text: string): Value {
  return rootMember(parseOutline(text), 'groups')?.node?.toJSON()
}

/**
 * The variables that the sites of a list set themselves, with the values of the new site, and its time zone unless that is
 * `zone`; undefined if one is unknown.
 */
function varsOf(
  siblings: readonly Sibling[],
  site: RequestedImport,
  zone: Value | undefined
): ValueObject | undefined {
  const vars: Record<string, Value> = {}
  for (const name of new Set(siblings.flatMap(each => Object.keys(each.vars)))) {
    const having = siblings.filter(each => Object.hasOwn(each.vars, name))
    if (!isUsual(having.length, siblings.length)) continue
    const [most] = usual(having, each => JSON.stringify(each.vars[name]))
    const live = liveValue(name, having, site)
    const value = valueFromName(name, having, site.slug) ?? live ?? most?.vars[name]
    if (value === undefined) return undefined
    vars[name] = value
  }
  const { timezone = zone } = site
  return timezone === undefined || timezone === zone ? vars : { ...vars, timezone }
}

/** `26` for clinic-26 among sites that have their numbers; undefined if the values do not come from the names. */
function valueFromName(
  name: string,
  siblings: readonly Sibling[],
  slug: string
): Value | undefined {
  const stems = siblings.map(({ declared, vars }) => {
    const [of, text] = [slugOf(declared.name), String(vars[name])]
    return text !== '' && of.endsWith(text) ? of.slice(0, of.length - text.length) : undefined
  })
  const [stem] = usual(stems, each => each)
  if (stem === undefined || !slug.startsWith(stem)) return undefined
  const rest = slug.slice(stem.length)
  if (typeof siblings[0]?.vars[name] !== 'number') return rest === '' ? undefined : rest
  return /^[1-9]\d{0,8}$/.test(rest) ? Number(rest) : undefined
}

/** The number of siblings whose values tell the place of a variable. */
const ENOUGH = 20

/** The live value in the place in which most siblings have that of their variable; a secret is known by its reference alone. */
function liveValue(
  name: string,
  siblings: readonly Sibling[],
  { wlans }: RequestedImport
): Value | undefined {
  const places = siblings.slice(0, ENOUGH).flatMap(({ vars, declared }) => {
    const key = comparisonKey(vars[name] ?? null)
    return declared.wlans.flatMap(wlan =>
      [...leavesOf(wlan.fields)].flatMap(([at, value]) =>
        comparisonKey(value) === key ? [{ network: patternOf(wlan), at }] : []
      )
    )
  })
  const [place] = mostFrequent(places, ({ network, at }) => `${network} ${at}`)
  const wlan = wlans.find(({ ssid }) => ssidPattern(ssid) === place?.network)
  const value = wlan && place && valueAt(wlan.fields, place.at)
  return value instanceof Secret ? undefined : value
}

/** What a declaration of a site lacks to be as it is live; secrets count as equal. */
function overridesOf(declared: DesiredSite, site: RequestedImport, form: SecretForm): Block[] {
  const catalog = new SecretCatalog([site], form)
  return siteOverrides(declared, site, withSecretsOf).map(([key, block]) => [
    key,
    catalog.replaceSecrets(block) as ValueObject
  ])
}

/** The declared fields with the live secrets in the places of the references. */
function withSecretsOf(fields: ValueObject, wlan: ImportedWlan): ValueObject {
  return [...secretsWithin(fields)].reduce<ValueObject>((all, [at]) => {
    const live = valueAt(wlan.fields, at)
    return live instanceof Secret ? (editAt(all, steps(at), () => live) as ValueObject) : all
  }, fields)
}

/** The secrets of a declared WLAN, with their live values. */
function namedSecrets(
  { address, fields, id }: DesiredWlan,
  site: RequestedImport
): ImportedSecret[] {
  const live = site.wlans.find(wlan => wlan.id === id || wlan.ssid === fields['ssid'])
  return [...secretsWithin(fields)].flatMap(([pointer, secret]) => {
    const value = live && valueAt(live.fields, pointer)
    const name = nameOfSecret(secret)
    return name !== undefined && value instanceof Secret
      ? [{ name, address, pointer, uses: 1, secret: value }]
      : []
  })
}
