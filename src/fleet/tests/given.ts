import { join } from 'node:path/posix'
import { finding } from '../../core/model/finding.ts'
import { wlanField } from '../../core/schema/field.ts'
import { nearest } from '../../core/schema/nearest.ts'
import type { Declarations } from '../documents.ts'
import { checkKeys, expectList, expectMap, Members } from '../expect.ts'
import type { FleetFile } from '../files/find.ts'
import { parseSource, read } from '../files/read.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import type { Groups } from '../groups.ts'
import type { Budget, RunBudget } from '../limits.ts'
import { checkOverride, type FleetSite } from '../sites.ts'
import { overlayBlocks } from '../wlans/layers.ts'
import { type Entry, type MapNode, memberNode, type Node, textOf } from '../yaml/tree.ts'

/** The file that a value of `given` names, relative to the fleet: the value is relative to the file with the test. */
export function givenPath(node: Node): string | undefined {
  const text = textOf(node)
  return text === undefined ? undefined : join(node.source.inFleet, '..', text)
}

/** Reads a file that a test lays over the fleet. */
export async function readGiven(
  file: FleetFile,
  findings: Findings,
  budget: RunBudget
): Promise<MapNode | undefined> {
  const source = read(file, findings, budget)
  if (source === undefined) return undefined
  findings.pushAll(await parseSource(source, budget))
  const map = source.root && expectMap(source.root, findings)
  if (map !== undefined) checkKeys(map, ['profiles', 'groups', 'site', 'sites', 'wlans'], findings)
  return map
}

/** Lays a file over the declarations of a fleet: profiles and groups by name, then its sites by id or name. */
export interface Overlay {
  declarations(own: Declarations): Declarations
  sites(own: readonly FleetSite[], groups: Groups): readonly FleetSite[]
}

/**
 * The overlay of a file. Maps are merged member by member, as an override is. Its `wlans` change those of its sites with
 * the same key, and add others.
 */
export function overlayOf(given: MapNode, budget: Budget, findings: Findings): Overlay {
  const merged = (below: ReadonlyMap<string, Entry>, node: Node | undefined) => {
    const entries = new Map(below)
    for (const [name, entry] of entriesIn(node, findings)) {
      entries.set(name, over(below.get(name), entry, budget))
    }
    return entries
  }
  const top = new Members(given, findings)
  return {
    declarations: own => ({
      ...own,
      profiles: merged(own.profiles, top.node('profiles')),
      groups: merged(own.groups, top.node('groups'))
    }),
    sites: (own, groups) => {
      const [site, list, wlans] = [top.node('site'), top.node('sites'), top.node('wlans')]
      const items = [
        ...(site ? [site] : []),
        ...((list && expectList(list, findings)?.items) ?? [])
      ]
      const blocks = entriesIn(wlans, findings)
      const changed = new Map<FleetSite, FleetSite>()
      for (const item of items) {
        const map = expectMap(item, findings)
        const found = map && siteOf(map, own, findings)
        if (map === undefined || found === undefined) continue
        const laid = changed.get(found) ?? found
        changed.set(found, siteOver(laid, map, blocks, { groups, budget, findings }))
      }
      return own.map(each => changed.get(each) ?? each)
    }
  }
}

function entriesIn(node: Node | undefined, findings: Findings): ReadonlyMap<string, Entry> {
  return (node && expectMap(node, findings)?.entries) ?? new Map()
}

function over(below: Entry | undefined, above: Entry, budget: Budget): Entry {
  const [lower, upper] = [below?.value, above.value]
  if (lower?.kind !== 'map' || upper.kind !== 'map') return above
  const { end: _, ...value } = overlayBlocks(lower, upper, wlanField, budget)
  return { ...above, value }
}

function siteOf(map: MapNode, sites: readonly FleetSite[], findings: Findings) {
  const members = new Members(map, findings)
  const [id, name] = [members.text('id'), members.text('name')]
  const found = sites.find(site =>
    id === undefined ? site.name === name : site.id.toLowerCase() === id.toLowerCase()
  )
  const wanted = id ?? name ?? ''
  const near = nearest(
    wanted,
    sites.map(site => site.name)
  )
  if (found === undefined) findings.push(finding('NOTHING_SELECTED', at(map), 'site', wanted, near))
  return found
}

interface SiteContext {
  readonly groups: Groups
  readonly budget: Budget
  readonly findings: Findings
}

function siteOver(
  site: FleetSite,
  map: MapNode,
  blocks: ReadonlyMap<string, Entry>,
  { groups, budget, findings }: SiteContext
): FleetSite {
  checkKeys(map, ['id', 'name', 'vars', 'wlans'], findings)
  const own = site.wlans()
  const entriesOf = (key: string) => entriesIn(memberNode(map, key), findings)
  const vars = new Map([...entriesOf('vars')].map(([name, { value }]) => [name, value]))
  const overrides = new Map(site.overrides)
  const added = [...blocks].filter(([key]) => !own.has(key))
  for (const [key, entry] of [...blocks, ...entriesOf('wlans')]) {
    if (blocks.get(key) === entry && !own.has(key)) continue
    if (!own.has(key)) {
      findings.push(finding('OVERRIDE_UNKNOWN', atKey(entry), key, nearest(key, own.keys())))
      continue
    }
    const override = expectMap(entry.value, findings)
    if (override === undefined) continue
    checkOverride(override, findings)
    const earlier = overrides.get(key)
    overrides.set(key, earlier ? overlayBlocks(earlier, override, wlanField, budget) : override)
  }
  return {
    ...site,
    vars: groups.over(site.vars, vars),
    ownVars: groups.over(site.ownVars, vars),
    overrides,
    ...(added.length > 0 && { wlans: () => new Map([...own, ...added]) })
  }
}
