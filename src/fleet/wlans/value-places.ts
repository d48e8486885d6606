import type { ValueLayers, ValuePlaces } from '../../core/model/desired.ts'
import type { Location } from '../../core/model/finding.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import type { DeclaredFleet } from '../declared.ts'
import { type Declarations, declarationsOf } from '../documents.ts'
import { Source } from '../files/source.ts'
import { Findings } from '../findings.ts'
import type { Groups } from '../groups.ts'
import { RunBudget } from '../limits.ts'
import { type FleetSite, joinSites } from '../sites.ts'
import { readFast } from '../yaml/fast-reader.ts'
import { type MapNode, type Node, textOf } from '../yaml/tree.ts'
import { Profiles } from './profiles.ts'
import { closestNode, isReference, throughDefault } from './references.ts'

/** The parts of a fleet that declare values. */
export interface FleetParts {
  /** Finds a site by its id in lower case. */
  readonly siteOf: (id: string) => FleetSite | undefined
  readonly profiles: Profiles
  readonly groups: Groups
  /** The block and the override of a WLAN; undefined if the site has no such WLAN. */
  readonly declarationOf: (site: FleetSite | undefined, key: string) => Declaration | undefined
}

/** What declares a WLAN of a site. */
interface Declaration {
  readonly block: MapNode
  readonly override: MapNode | undefined
}

/** The parts of a fleet without errors. */
export function fleetParts({ declarations, groups, ...fleet }: DeclaredFleet): FleetParts {
  const profiles = profilesOf(declarations)
  return {
    siteOf: siteFinder(fleet.sites, groups),
    profiles,
    groups,
    declarationOf: (site, key) => {
      const block = site?.wlans.get(key)?.value
      return block?.kind === 'map' ? { block, override: site?.overrides.get(key) } : undefined
    }
  }
}

/** The profiles of a fleet without errors. If their budget is exhausted, the places of values in them are omitted. */
export function profilesOf({ profiles }: Pick<Declarations, 'profiles'>): Profiles {
  return new Profiles(profiles, { findings: new Findings(), budget: new RunBudget().resolving })
}

export function valuePlaces({ siteOf, profiles, declarationOf }: FleetParts): ValuePlaces {
  return ({ id }, key, pointers, relativeTo = 'fleet') => {
    const site = siteOf(id.toLowerCase())
    const declaration = declarationOf(site, key)
    if (site === undefined || declaration === undefined) return {}
    const declared = profiles.effective(declaration.block, declaration.override)
    return Object.fromEntries(
      pointers.flatMap(pointer => {
        const { node } = closestNode(declared, steps(pointer), each =>
          throughVariable(each, site.vars)
        )
        return node === declared ? [] : [[pointer, placeOf(node, relativeTo)] as const]
      })
    )
  }
}

/** A reference counts as stronger than its layer, because a site can set the variable. */
const OF_REFERENCE = 0.5

/** Finds the layers that declare the values of fields. */
export function valueLayers({ siteOf, profiles, declarationOf }: FleetParts): ValueLayers {
  return ({ id }, key, pointers) => {
    const declaration = declarationOf(siteOf(id.toLowerCase()), key)
    if (declaration === undefined) return {}
    const strongestLast = profiles.layersOf(declaration.block, declaration.override).reverse()
    const found = new Map<Pointer, number>()
    for (const [at, { block }] of strongestLast.entries()) {
      for (const pointer of pointers) {
        const { node, rest } = closestNode(block, steps(pointer))
        const isReferring = node.kind === 'map' && node !== block && isReference(node)
        if (isReferring) found.set(pointer, at + OF_REFERENCE)
        else if (rest.length === 0 || node.kind !== 'map') found.set(pointer, at)
      }
    }
    return Object.fromEntries(found)
  }
}

/**
 * Finds a site by its id in lower case. Of one with a plain file of its own it keeps the text, and reads the last one
 * again: the joined sites of a fleet of 10,000 files take 50 MB.
 */
function siteFinder(
  sites: readonly FleetSite[],
  groups: Groups
): (id: string) => FleetSite | undefined {
  const budget = new RunBudget()
  const kept = new Map(sites.map(site => [site.id.toLowerCase(), textOfSite(site) ?? site]))
  let last: { readonly id: string; readonly site: FleetSite | undefined } | undefined
  return id => {
    const found = kept.get(id)
    if (!(found instanceof Source)) return found
    if (last?.id !== id) last = { id, site: siteIn(found, groups, budget) }
    return last.site
  }
}

function textOfSite({ hasOwnFile, declaredBy: { source } }: FleetSite): Source | undefined {
  if (!hasOwnFile || !(source instanceof Source && source.isPlain)) return undefined
  return new Source(source.file, source.inFleet, source.text)
}

function siteIn(text: Source, groups: Groups, budget: RunBudget): FleetSite | undefined {
  const source = new Source(text.file, text.inFleet, text.text)
  source.root = readFast(source, budget)
  const findings = new Findings()
  const { sites } = declarationsOf(source, findings)
  return joinSites(sites, groups, budget.resolving, findings)[0]
}

/** The value of a variable or its default, if the node is a reference; any other node unchanged. */
function throughVariable(node: Node, vars: FleetSite['vars']): Node {
  if (node.kind !== 'map' || !isReference(node)) return node
  const variable = textOf(node.entries.get('$var')?.value)
  if (variable === undefined) return node
  const set = vars.get(variable)
  if (set !== undefined) return set
  const byDefault = throughDefault(node, { vars })
  return byDefault === node ? node : throughVariable(byDefault, vars)
}

/** The place of a node; the file is relative to the fleet or to the working directory. */
export function placeOf({ source, offset }: Node, relativeTo: 'fleet' | 'cwd'): Location {
  const place = source.place(offset)
  return relativeTo === 'cwd' ? place : { ...place, file: source.inFleet }
}
