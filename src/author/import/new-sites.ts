import { findKinds } from '../../core/audit/kinds.ts'
import { slugOf } from '../../core/audit/slug.ts'
import type { Desired, DesiredSite } from '../../core/model/desired.ts'
import { groupsBy, isUsual, usual } from '../../core/values/collections.ts'
import { child, type Pointer, steps } from '../../core/values/pointer.ts'
import { nameOfSecret, Secret } from '../../core/values/secret.ts'
import { ssidPattern } from '../../core/values/ssid.ts'
import {
  editAt,
  fromEntries,
  isList,
  isObject,
  member,
  secretsWithin,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import { loadTexts } from '../../fleet/load.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { itemColumn, parseOutline, rootMember } from '../yaml-edit/outline.ts'
import { siteOverrides } from './factor/overrides.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from './secrets.ts'
import type { ImportedWlan, RequestedImport } from './site.ts'
import { type Block, siteItem, siteMembers } from './site-files.ts'

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

/** A list of sites, some of which are of the kind of a new one. */
interface SiteList {
  readonly file: string
  readonly text: string
  /** The offset behind the last site, and the column of its dash. */
  readonly end: number
  readonly column: number
  readonly siblings: readonly ValueObject[]
  /** The place of each variable in a WLAN of the file, by the key of the WLAN. */
  readonly variables: ReadonlyMap<string, readonly [key: string, pointer: Pointer]>
  /** The SSID of each WLAN at a sibling. */
  readonly ssids: ReadonlyMap<string, string>
}

async function listedSite(texts: Texts, site: RequestedImport, form: SecretForm) {
  const desired = await declaredIn(texts, form)
  const list = desired && listOfKind(texts, desired, site)
  if (desired === undefined || list === undefined) return undefined
  const variants = groupsBy(list.siblings, item => JSON.stringify(item['groups']))
  const drafts = variants
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_VARIANTS)
    .flatMap(([first, ...others]) => {
      const vars = varsOf([first, ...others], list, site)
      return vars === undefined ? [] : { groups: textsIn(first['groups']), vars }
    })
  const known = new Set(desired.sites.flatMap(each => each.wlans.flatMap(namesIn)))
  const tried: Draft[] = []
  for (const draft of drafts) {
    const made = await completed(texts, list, site, draft, form)
    if (made !== undefined) tried.push(made)
  }
  const [best] = tried.sort((a, b) => a.lines.length - b.lines.length)
  if (best === undefined) return undefined
  const named = best.declared.wlans.flatMap(wlan => namedSecrets(wlan, site))
  const secrets = named.filter(({ name }) => !known.has(name))
  return { ...best, site, file: list.file, secrets }
}

/** The maximum number of lists of groups to try: each is a load of the fleet. */
const MAX_VARIANTS = 5

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
  layers: { readonly groups: readonly string[]; readonly vars: ValueObject },
  form: SecretForm
): Promise<Draft | undefined> {
  const write = async (overrides: readonly Block[]) => {
    const lines = siteItem(siteMembers(site, { ...layers, overrides })).map(
      line => ' '.repeat(list.column) + line.slice(2)
    )
    const text = `${list.text.slice(0, list.end)}\n${lines.join('\n')}${list.text.slice(list.end)}`
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
  const prefix = form.kind === '$env' ? form.prefix : undefined
  return (await loadTexts(texts, referencesOnly(prefix))).desired
}

/** The list with the most sites of the kind of the new one. */
function listOfKind(texts: Texts, desired: Desired, site: RequestedImport): SiteList | undefined {
  const declared = desired.sites.map(({ id, name, wlans }) => {
    const networks = wlans.flatMap(({ managed, fields }) =>
      managed === false ? [] : ssidPattern(String(fields['ssid']))
    )
    return { id, name, networks }
  })
  const own = {
    id: site.id,
    name: site.name,
    networks: site.wlans.map(({ ssid }) => ssidPattern(ssid))
  }
  const kinds = findKinds([...declared, own], ({ networks }) => networks)
  const kind = kinds.find(({ sites }) => sites.includes(own))
  const ids = new Set(kind?.sites.map(({ id }) => id.toLowerCase()))
  const lists = [...texts].flatMap(([file, text]) => siteListIn(file, text, ids) ?? [])
  const [list] = lists.sort((a, b) => b.siblings.length - a.siblings.length)
  const sibling = desired.sites.find(({ id }) => id === list?.siblings[0]?.['id'])
  if (list === undefined || sibling === undefined) return undefined
  const blocks = blocksIn(texts)
  const places = sibling.wlans.flatMap(({ key }) =>
    variablesIn(blocks(list.text, key), '').map(([name, at]) => [name, [key, at]] as const)
  )
  const ssids = sibling.wlans.map(
    ({ key, fields }) => [key, ssidPattern(String(fields['ssid']))] as const
  )
  return { ...list, variables: new Map(places), ssids: new Map(ssids) }
}

function siteListIn(file: string, text: string, ids: ReadonlySet<string>) {
  const range = rootMember(parseOutline(text), 'sites')
  const column = range && itemColumn(text, range)
  if (range === undefined || column === undefined) return undefined
  const items: Value = range.node?.toJSON()
  const siblings = (isList(items) ? items : []).filter(
    item => isObject(item) && ids.has(String(item['id']).toLowerCase())
  ) as ValueObject[]
  if (siblings.length === 0) return undefined
  const end = range.end - (/\s*$/.exec(text.slice(0, range.end))?.[0].length ?? 0)
  return { file, text, end, column, siblings }
}

/** The blocks of the WLAN with a key in a file: its own one and its profiles. */
function blocksIn(texts: Texts) {
  const profiles = new Map(
    [...texts.values()].flatMap(text => {
      const found: Value | undefined = rootMember(parseOutline(text), 'profiles')?.node?.toJSON()
      return isObject(found) ? Object.entries(found) : []
    })
  )
  const withProfiles = (block: Value | undefined, depth = 0): Value[] => {
    if (!isObject(block) || depth > profiles.size) return []
    const names = textsIn(member(block, '$extends'))
    return [block, ...names.flatMap(name => withProfiles(profiles.get(name), depth + 1))]
  }
  return (text: string, key: string): Value[] => {
    const wlans: Value | undefined = rootMember(parseOutline(text), 'wlans')?.node?.toJSON()
    return withProfiles(isObject(wlans) ? member(wlans, key) : undefined)
  }
}

function textsIn(value: Value | undefined): string[] {
  return (isList(value) ? value : [value]).filter(each => typeof each === 'string')
}

/** The places of `$var` in blocks; a list of blocks is one after the other. */
function variablesIn(blocks: readonly Value[], at: Pointer): [name: string, at: Pointer][] {
  return blocks.flatMap(block => {
    if (!isObject(block) && !isList(block)) return []
    const name = isObject(block) ? member(block, '$var') : undefined
    if (typeof name === 'string') return [[name, at]]
    return Object.entries(block).flatMap(([step, inner]) => variablesIn([inner], child(at, step)))
  })
}

/** The variables that the sites of a list set themselves, with the values of the new site; undefined if one is unknown. */
function varsOf(
  siblings: readonly ValueObject[],
  list: SiteList,
  site: RequestedImport
): ValueObject | undefined {
  const own = siblings.map(({ vars }) => (isObject(vars) ? vars : {}))
  const names = new Set(own.flatMap(vars => Object.keys(vars)))
  const needed = [...names].filter(name =>
    isUsual(own.filter(vars => Object.hasOwn(vars, name)).length, own.length)
  )
  const vars = needed.map(name => {
    const values = siblings.map(({ name: of, vars: all }) => {
      return { slug: slugOf(String(of)), value: isObject(all) ? member(all, name) : undefined }
    })
    const [most] = usual(values, ({ value }) => JSON.stringify(value))
    const live = name === 'timezone' ? site.timezone : liveValue(name, list, site)
    return [name, fromName(values, site.slug) ?? live ?? most?.value] as const
  })
  const isComplete = vars.every(([, value]) => value !== undefined)
  return isComplete ? fromEntries(vars.map(([name, value]) => [name, value ?? null])) : undefined
}

/** `26` for clinic-26 among sites that have their numbers; undefined if the values do not come from the names. */
function fromName(
  values: readonly { readonly slug: string; readonly value: Value | undefined }[],
  slug: string
): Value | undefined {
  const stems = values.map(({ slug: of, value }) => {
    const text = String(value)
    return text !== '' && of.endsWith(text) ? of.slice(0, of.length - text.length) : undefined
  })
  const [stem] = usual(stems, each => each)
  if (stem === undefined || !slug.startsWith(stem)) return undefined
  const rest = slug.slice(stem.length)
  if (typeof values[0]?.value !== 'number') return rest === '' ? undefined : rest
  return /^[1-9]\d{0,8}$/.test(rest) ? Number(rest) : undefined
}

/** What a variable stands for in the live WLAN; a secret is known by its reference alone. */
function liveValue(
  name: string,
  { variables, ssids }: SiteList,
  { wlans }: RequestedImport
): Value | undefined {
  const [key = '', at = ''] = variables.get(name) ?? []
  const wlan = wlans.find(({ ssid }) => ssidPattern(ssid) === ssids.get(key))
  const value = wlan && at !== '' ? valueAt(wlan.fields, at) : undefined
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

function namesIn({ fields }: { readonly fields: ValueObject }): string[] {
  return [...secretsWithin(fields)].flatMap(([, secret]) => nameOfSecret(secret) ?? [])
}

/** The secrets of a declared WLAN, with their live values. */
function namedSecrets(
  { address, fields, id }: DesiredSite['wlans'][0],
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
