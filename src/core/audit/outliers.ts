import { normalForm } from '../diff/agree.ts'
import type { Difference, Outlier } from '../model/audit.ts'
import { dangerOfValue } from '../model/danger.ts'
import { noting, type Pair, partResults } from '../model/pairs.ts'
import type { Field } from '../schema/field.ts'
import { nearest } from '../schema/nearest.ts'
import {
  append,
  byCodeUnit,
  compact,
  getOrInsert,
  groupBy,
  groupsBy
} from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { ssidPattern } from '../values/ssid.ts'
import {
  isList,
  isObject,
  isSameJson,
  member,
  type Value,
  type ValueObject
} from '../values/value.ts'
import { findKinds } from './kinds.ts'
import {
  type ComparedSecret,
  type ComparedValue,
  comparedParts,
  secretsIn,
  valuesIn
} from './values.ts'

interface Shared {
  readonly value: Value
  /** In ascending order, as those of each pair. */
  readonly wlans: number[]
  /** The WLANs of pairs, in lists that all values of a pair have. */
  alike: readonly (readonly number[])[]
}

/** What the planner does not tell apart. */
type Class = Omit<Shared, 'alike'>

interface Compared {
  readonly field: Field
  /** By their JSON text. */
  readonly values: Map<string, Shared>
}

interface Network {
  readonly sites: Set<number>
  readonly fields: Map<Pointer, Compared>
  readonly secrets: (ComparedSecret & { readonly wlan: number })[]
  /** The WLANs of each pair with a live record. */
  readonly alike: Map<Pair, number[]>
}

interface Found {
  readonly ssid: string
  readonly peers: string
  readonly sites: readonly number[]
  readonly difference: Difference
}

/** The least number of SSIDs with a number that are one network. */
const MIN_NUMBERED = 3

function emptyNetwork(): Network {
  return { sites: new Set(), fields: new Map(), secrets: [], alike: new Map() }
}

/** Adds a value of WLANs, or of those of pairs. */
function add(
  { fields }: Network,
  { pointer, field, value }: ComparedValue,
  wlans: readonly number[],
  alike: readonly (readonly number[])[] = []
): void {
  const { values } = getOrInsert(fields, pointer, () => ({ field, values: new Map() }))
  const text = JSON.stringify(value)
  const known = values.get(text)
  if (known === undefined) {
    values.set(text, { value, wlans: [...wlans], alike })
    return
  }
  append(known.wlans, wlans)
  if (alike.length > 0) known.alike = [...known.alike, ...alike]
}

function merged([first = emptyNetwork(), ...others]: readonly Network[]): Network {
  if (others.length === 0) return first
  const all = emptyNetwork()
  for (const { sites, fields, secrets } of [first, ...others]) {
    for (const site of sites) all.sites.add(site)
    append(all.secrets, secrets)
    for (const [pointer, { field, values }] of fields) {
      for (const { value, wlans, alike } of values.values())
        add(all, { pointer, field, value }, wlans, alike)
    }
  }
  return all
}

/**
 * Finds what differs from most sites: the presence of a network, the values of its WLANs, and whether secrets are
 * equal. It keeps no records. A disabled WLAN is compared only in being disabled. Where several values are usual,
 * as in two regions, it finds the lists that few sites have and that are near one of those, or empty, and the dangerous
 * values, such as a network that is off at one of two sites.
 */
export class OutlierTable {
  readonly #networks = new Map<string, Network>()
  readonly #sites: { readonly name: string; readonly groups: readonly string[] }[] = []
  #peers: readonly Peers[] = []
  readonly #siteOf: number[] = []

  /** Adds a site with its groups, in ascending precedence. */
  addSite(name: string, groups: readonly string[]): void {
    this.#sites.push({ name, groups })
  }

  /** Adds a WLAN of the last site; `showsSecrets`: the response of the site shows a secret. */
  addWlan(ssid: string, record: ValueObject, showsSecrets: boolean, pair?: Pair): void {
    const wlan = this.#siteOf.push(this.#sites.length - 1) - 1
    const network = getOrInsert(this.#networks, ssid, emptyNetwork)
    network.sites.add(this.#sites.length - 1)
    const parts = partResults(pair, valuesIn, comparedParts, (part, reads) =>
      valuesIn(noting(record, reads), [part])
    )
    const alike = pair && getOrInsert(network.alike, pair, () => [])
    alike?.push(wlan)
    for (const each of parts) {
      if ('own' in each) {
        for (const value of valuesIn(record, [each.own])) add(network, value, [wlan])
      } else if (alike?.length === 1) {
        for (const value of each.shared) add(network, value, [], [alike])
      }
    }
    for (const { pointer, text } of secretsIn(record, showsSecrets))
      network.secrets.push({ pointer, text, wlan })
  }

  /**
   * The networks whose SSIDs differ in numbers alone, each at a site of its own, such as "Tills 7": one network, named by
   * the pattern "Tills *". Returns the names by SSID.
   */
  numbered(): ReadonlyMap<string, string> {
    const patterns = groupBy(this.#networks, ([ssid]) => ssidPattern(ssid))
    const named = [...patterns].flatMap(([pattern, networks]) => {
      const sites = networks.flatMap(([, network]) => [...network.sites])
      const areApart = sites.length === networks.length && new Set(sites).size === sites.length
      if (!areApart || networks.length < MIN_NUMBERED) return []
      return networks.map(([ssid]) => [ssid, pattern] as const)
    })
    return new Map(named)
  }

  /** Sorted by SSID; those of a network by what differs. The names of `numbered` take the place of SSIDs. */
  outliers(names: ReadonlyMap<string, string> = new Map()): Outlier[] {
    const networks = [...groupBy(this.#networks, ([ssid]) => names.get(ssid) ?? ssid)]
      .map(([name, same]) => [name, merged(same.map(([, network]) => network))] as const)
      .sort(([a], [b]) => byCodeUnit(a, b))
    this.#peers = this.#findPeers(networks)
    return [
      ...this.#presence(networks),
      ...networks.flatMap(([ssid, network]) => [
        ...this.#values(ssid, network),
        ...this.#secrets(ssid, network)
      ])
    ]
  }

  readonly #peersOfSite = (site: number): Peers => this.#peers[site] ?? []
  readonly #peersOf = (wlan: number): Peers => this.#peersOfSite(this.#siteOf[wlan] ?? -1)

  /** A site is compared with those of its groups; without groups, with those of its kind. */
  #findPeers(networks: readonly (readonly [ssid: string, Network])[]): Peers[] {
    const ungrouped = [...this.#sites.entries()]
      .filter(([, { groups }]) => groups.length === 0)
      .map(([at, { name }]) => ({ at, name }))
    const ssidsAt = groupBy(
      networks.flatMap(([ssid, { sites }]) => [...sites].map(at => ({ at, ssid }))),
      ({ at }) => at
    )
    const kinds = findKinds(ungrouped, ({ at }) => (ssidsAt.get(at) ?? []).map(({ ssid }) => ssid))
    const nameOf = (kind: string) => (kinds.length === 1 ? '' : `kind ${kind}`)
    const kindOf = new Map(
      kinds.flatMap(({ name, sites }) => sites.map(({ at }) => [at, nameOf(name)] as const))
    )
    return this.#sites.map(({ groups }, at) =>
      groups.length > 0 ? groups.toReversed().map(name => `group ${name}`) : [kindOf.get(at) ?? '']
    )
  }

  #values(ssid: string, { fields }: Network): Outlier[] {
    const found = [...fields].flatMap(([pointer, { field, values }]) => {
      if (values.size < 2) return []
      const classes = mergeEqual(field, [...values.values()], pointer)
      const members = classes.map(({ wlans }) => wlans)
      const isNear = (own: number, usual: number) =>
        isNearTo(field, classes[own]?.value, classes[usual]?.value)
      const isSafer = (own: number, usual: number) =>
        isDangerous(pointer, classes[own]?.value) && !isDangerous(pointer, classes[usual]?.value)
      return deviations(members, this.#peersOf, isNear, isSafer).map((found): Found => {
        const [usual, value] = shownValues(field, classes[found.usual], classes[found.own])
        const difference = { kind: 'value', field: pointer, usual, value } as const
        return this.#found(ssid, found, { ...difference, usualCount: found.usualCount })
      })
    })
    return this.#grouped(found)
  }

  #secrets(ssid: string, { secrets }: Network): Outlier[] {
    const byPointer = groupBy(secrets, ({ pointer }) => pointer)
    const found = [...byPointer].flatMap(([pointer, all]) => {
      const classes = groupsBy(all, ({ text }) => text).map(same => same.map(({ wlan }) => wlan))
      const other = deviations(classes, this.#peersOf).map(each =>
        this.#found(ssid, each, { kind: 'secret', field: pointer, usualCount: each.usualCount })
      )
      const perSite = classes.map(wlans => [
        ...new Set(wlans.map(wlan => this.#siteOf[wlan] ?? -1))
      ])
      const shared = sharings(perSite, this.#peersOfSite).map(
        ({ peers, unique, members }): Found => ({
          ssid,
          peers,
          sites: members,
          difference: { kind: 'shared', field: pointer, usualCount: unique }
        })
      )
      return [...other, ...shared]
    })
    return this.#grouped(found)
  }

  /** The networks that sites lack although most have them, and those that only a few sites have. */
  #presence(networks: readonly (readonly [string, Network])[]): Outlier[] {
    const all = this.#sites.map((_, site) => site)
    const [missing, extra]: [Found[], Found[]] = [[], []]
    for (const [ssid, { sites }] of networks) {
      const lacking = all.filter(site => !sites.has(site))
      for (const found of deviations([[...sites], lacking], this.#peersOfSite)) {
        const { peers, members, usual, usualCount } = found
        const kind = usual === 0 ? 'missing' : 'extra'
        const list = kind === 'missing' ? missing : extra
        list.push({ ssid, peers, sites: members, difference: { kind, usualCount } })
      }
    }
    return this.#grouped(withMisspelled(missing, extra))
  }

  #found(
    ssid: string,
    { peers, members }: { readonly peers: string; readonly members: readonly number[] },
    difference: Difference
  ): Found {
    return { ssid, peers, sites: members.map(wlan => this.#siteOf[wlan] ?? -1), difference }
  }

  #grouped(found: readonly Found[]): Outlier[] {
    const groups = groupBy(found, ({ ssid, peers, sites }) => JSON.stringify([ssid, peers, sites]))
    return [...groups.values()].map(group => {
      const [first] = group
      const { ssid, peers } = first
      const sites = first.sites.map(site => this.#sites[site]?.name ?? '')
      const differences = group.map(({ difference }) => difference)
      return { ssid, ...(peers !== '' && { peers }), sites, differences }
    })
  }
}

/** An extra network is reported if at most one of so many sites has it. */
const MOST_TO_FEW = 10

/** Pairs a missing network with a similar extra one at its site; other extra ones must be rare. */
function withMisspelled(missing: readonly Found[], extra: readonly Found[]): Found[] {
  const explained = new Set<string>()
  const named = missing.flatMap(found => {
    const bySimilar = groupBy(found.sites, site => {
      const there = extra.filter(({ sites }) => sites.includes(site)).map(({ ssid }) => ssid)
      const similar = nearest(found.ssid, there)
      if (similar !== undefined) explained.add(JSON.stringify([similar, site]))
      return similar
    })
    const { usualCount } = found.difference
    return [...bySimilar].map(([similar, sites]): Found => {
      const difference = { kind: 'missing', usualCount, ...compact({ similar }) } as const
      return { ...found, sites, difference }
    })
  })
  const rare = extra.filter(({ ssid, sites, difference }) => {
    const isRare = sites.length * MOST_TO_FEW <= sites.length + difference.usualCount
    return isRare && !sites.every(site => explained.has(JSON.stringify([ssid, site])))
  })
  return [...named, ...rare]
}

/** Merges values that the planner does not tell apart; the most common notation stands for all. */
function mergeEqual(field: Field, shared: readonly Shared[], at: Pointer): readonly Class[] {
  const values = shared.map(({ value, wlans, alike }) => ({
    value,
    wlans: [wlans, ...alike].flat()
  }))
  const byCount = values.sort((a, b) => b.wlans.length - a.wlans.length)
  const classes = groupsBy(byCount, ({ value }) => JSON.stringify(normalForm(field, value, at)))
  return classes.map(same => ({
    value: same[0].value,
    wlans: same.flatMap(({ wlans }) => wlans).sort((a, b) => a - b)
  }))
}

/** Two values of a list of objects as the keys of their elements, e.g. hosts, if those tell them apart. */
function shownValues(
  field: Field,
  usual: Class | undefined,
  own: Class | undefined
): readonly [usual: Value, own: Value] {
  const values = [usual?.value ?? null, own?.value ?? null] as const
  if (field.key === undefined) return values
  const [a, b] = [elementKeys(field, values[0]), elementKeys(field, values[1])]
  return isSameJson(a, b) ? values : [a, b]
}

/** The elements of a list; objects as their key, e.g. the host. */
function elementKeys({ key }: Field, value: Value | undefined): Value[] {
  const elements = isList(value) ? value : []
  if (key === undefined) return [...elements]
  return elements.map(each => (isObject(each) ? (member(each, key) ?? null) : each))
}

/** True for lists that share at least half of the elements of the longer one, and for one that is emptied. */
function isNearTo(field: Field, a: Value | undefined, b: Value | undefined): boolean {
  const [these, those] = [a, b].map(list =>
    elementKeys(field, list).map(each => JSON.stringify(each))
  )
  if (these === undefined || those === undefined) return false
  if (these.length === 0) return those.length > 0
  const shared = these.filter(each => those.includes(each)).length
  return shared > 0 && shared * 2 >= Math.max(these.length, those.length)
}

function isDangerous(field: Pointer, value: Value = null): boolean {
  return dangerOfValue(field, value) !== undefined
}

/** The groups that a site is compared in, the most specific first; `''` is all sites. */
type Peers = readonly string[]

interface Deviation {
  readonly peers: string
  /** Indexes of classes: the one of these members, and the usual one. */
  readonly own: number
  readonly usual: number
  readonly usualCount: number
  readonly members: readonly number[]
}

/** The value that at least two thirds of three or more share; undefined if there is none. */
export function clearMajority<T>(
  counts: Iterable<readonly [value: T, count: number]>
): T | undefined {
  const all = [...counts]
  const total = all.reduce((sum, [, count]) => sum + count, 0)
  return total < 3 ? undefined : all.find(([, count]) => count * 3 >= total * 2)?.[0]
}

/** Without a clear majority, a class is usual if at least one of so many peers belongs to it. */
const MOST_USUAL = 5

/**
 * Compares members with their peers by the class that each belongs to. The first group of a member decides that
 * has a clear majority, or a usual class that is near that of the member and five times as common. Without any, the
 * first one decides that has a usual class which `isSafer`.
 */
function deviations(
  classes: readonly (readonly number[])[],
  peersOf: (member: number) => Peers,
  isNear: (own: number, usual: number) => boolean = () => false,
  isSafer = isNear
): Deviation[] {
  if (classes.length < 2) return []
  const counts = countsByGroup(classes, peersOf)
  const clear = new Map([...counts].map(([group, row]) => [group, clearMajority(row)]))
  const several = new Map([...counts].map(([group, row]) => [group, usualClasses(row)]))
  const usualFor = (own: number, group: string) => {
    const least = MOST_USUAL * (counts.get(group)?.get(own) ?? 0)
    const isUsual = ([at, count]: readonly [number, number]) => count >= least && isNear(own, at)
    return clear.get(group) ?? several.get(group)?.find(isUsual)?.[0]
  }
  const saferThan = (own: number, group: string) =>
    several.get(group)?.find(([at]) => isSafer(own, at))?.[0]
  return [...classes.entries()].flatMap(([own, members]) => {
    const byGroup = groupBy(
      members,
      member =>
        peersOf(member).find(group => usualFor(own, group) !== undefined) ??
        peersOf(member).find(group => saferThan(own, group) !== undefined)
    )
    return [...byGroup].flatMap(([peers, deviating]): Deviation[] => {
      if (peers === undefined) return []
      const usual = usualFor(own, peers) ?? saferThan(own, peers)
      if (usual === undefined || usual === own) return []
      const usualCount = counts.get(peers)?.get(usual) ?? 0
      return [{ peers, own, usual, usualCount, members: deviating }]
    })
  })
}

/** The classes that a fifth of the members or more belong to, with their counts. */
function usualClasses(row: ReadonlyMap<number, number>): (readonly [at: number, count: number])[] {
  const total = [...row.values()].reduce((sum, count) => sum + count, 0)
  return [...row].filter(([, count]) => count * MOST_USUAL >= total)
}

/** Members that share a class with others of their group, while most of it have a class of their own. */
interface Sharing {
  readonly peers: string
  readonly unique: number
  readonly members: readonly number[]
}

/** The exceptions where most members of a group have a class of their own; a class of one member is its own. */
function sharings(
  classes: readonly (readonly number[])[],
  peersOf: (member: number) => Peers
): Sharing[] {
  const found = new Map<string, Sharing>()
  for (const [peers, row] of countsByGroup(classes, peersOf)) {
    const counts = [...row.values()]
    const unique = counts.filter(count => count === 1).length
    const shared = counts.reduce((sum, count) => sum + count, 0) - unique
    if (
      clearMajority([
        ['unique', unique],
        ['shared', shared]
      ]) !== 'unique'
    )
      continue
    for (const [at, count] of row) {
      if (count < 2) continue
      const members = (classes[at] ?? []).filter(member => peersOf(member).includes(peers))
      const key = members.join()
      if (!found.has(key)) found.set(key, { peers, unique, members })
    }
  }
  return [...found.values()]
}

function countsByGroup(
  classes: readonly (readonly number[])[],
  peersOf: (member: number) => Peers
): Map<string, Map<number, number>> {
  const counts = new Map<string, Map<number, number>>()
  for (const [at, members] of classes.entries()) {
    for (const member of members) {
      for (const group of peersOf(member)) {
        const row = getOrInsert(counts, group, () => new Map<number, number>())
        row.set(at, (row.get(at) ?? 0) + 1)
      }
    }
  }
  return counts
}
