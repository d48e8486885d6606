import type { ValuePlaces } from '../../core/model/desired.ts'
import type { Location } from '../../core/model/finding.ts'
import { groupBy } from '../../core/values/collections.ts'
import { collect, type Declarations, type SiteDeclaration } from '../documents.ts'
import { Suggestions } from '../expect.ts'
import { Source } from '../files/source.ts'
import { Findings } from '../findings.ts'
import { Groups } from '../groups.ts'
import { RunBudget } from '../limits.ts'
import { type FleetSite, joinSites } from '../sites.ts'
import { readFast } from '../yaml/fast-reader.ts'
import { type MapNode, type Node, type SourceFile, textOf } from '../yaml/tree.ts'
import { Profiles } from './profiles.ts'
import { closestNode, isReference, throughDefault } from './references.ts'

interface JoinedFleet {
  readonly declarations: Pick<Declarations, 'sites' | 'groups' | 'profiles'>
  readonly sites: readonly FleetSite[]
}

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

/** The parts of a fleet without errors. The file of a site is parsed again for each other site. */
export function fleetParts(fleet: JoinedFleet): FleetParts {
  // If the budget is exhausted, the places of values in profiles are omitted.
  const budget = new RunBudget()
  const findings = new Findings()
  const run = { findings, budget: budget.resolving, suggestions: new Suggestions() }
  const profiles = new Profiles(fleet.declarations.profiles, run)
  const groups = new Groups(fleet.declarations.groups, budget.resolving, findings)
  return {
    siteOf: siteFinder(fleet, groups, budget),
    profiles,
    groups,
    declarationOf: (site, key) => {
      const block = site?.wlans().get(key)?.value
      return block?.kind === 'map' ? { block, override: site?.overrides.get(key) } : undefined
    }
  }
}

/** Parses the file of a site again instead of storing places, so query all WLANs of a site together. */
export function valuePlaces({ siteOf, profiles, declarationOf }: FleetParts): ValuePlaces {
  return ({ id }, key, pointers, relativeTo = 'fleet') => {
    const site = siteOf(id.toLowerCase())
    const declaration = declarationOf(site, key)
    if (site === undefined || declaration === undefined) return {}
    const declared = profiles.effective(declaration.block, declaration.override)
    return Object.fromEntries(
      pointers.flatMap(pointer => {
        const { node } = closestNode(declared, pointer, each => throughVariable(each, site.vars))
        return node === declared ? [] : [[pointer, placeOf(node, relativeTo)] as const]
      })
    )
  }
}

/**
 * Finds a site by its id in lower case. Of a site with a plain file of its own it keeps only the text, and
 * the last parsed one: the joined sites of a large fleet take 100 MB.
 */
function siteFinder(
  { declarations, sites }: JoinedFleet,
  groups: Groups,
  budget: RunBudget
): (id: string) => FleetSite | undefined {
  // The returned function must not keep the declarations in memory, since they contain the parsed files.
  const texts = textsOfOneSite(declarations.sites)
  const joined = new Map(
    sites.flatMap(site => {
      const id = site.id.toLowerCase()
      return texts.has(id) ? [] : [[id, site] as const]
    })
  )
  let last: { readonly id: string; readonly site: FleetSite | undefined } | undefined
  return id => {
    const text = texts.get(id)
    if (text === undefined) return joined.get(id)
    if (last?.id !== id) last = { id, site: siteIn(text, groups, budget) }
    return last.site
  }
}

type FileText = Pick<SourceFile, 'file' | 'inFleet' | 'text'>

/** The texts of plain files that alone declare one site, by the id of the site in lower case. */
function textsOfOneSite(declarations: readonly SiteDeclaration[]): ReadonlyMap<string, FileText> {
  const idOf = ({ map }: SiteDeclaration) => textOf(map.entries.get('id')?.value)?.toLowerCase()
  const byFile = groupBy(declarations, ({ map }) => map.source)
  const byId = groupBy(declarations, idOf)
  return new Map(
    [...byFile].flatMap(([source, [first, ...others]]) => {
      const id = first && idOf(first)
      const isAlone = others.length === 0 && byId.get(id)?.length === 1
      if (id === undefined || !isAlone || !(source instanceof Source && source.isPlain)) return []
      const { file, inFleet, text } = source
      return [[id, { file, inFleet, text }] as const]
    })
  )
}

/** The site in a file that was parsed before without an error. */
function siteIn(
  { file, inFleet, text }: FileText,
  groups: Groups,
  budget: RunBudget
): FleetSite | undefined {
  const source = new Source(file, inFleet, text)
  source.hold(readFast(source, budget))
  const findings = new Findings()
  const { sites } = collect([source], findings)
  const [site] = joinSites(sites, groups, budget.resolving, findings)
  return site
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
