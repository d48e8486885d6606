import { mergedPointers } from '../../core/diff/overlay.ts'
import type { Desired, ValueSource } from '../../core/model/desired.ts'
import type { Location } from '../../core/model/finding.ts'
import { type Field, fieldAt, fieldBelow, wlanField } from '../../core/schema/field.ts'
import { compact } from '../../core/values/collections.ts'
import { above, asPointer, isAtOrBelow, type Pointer, steps } from '../../core/values/pointer.ts'
import { type Value, valueAt } from '../../core/values/value.ts'
import type { DeclaredFleet } from '../declared.ts'
import { type Declarations, declarationsOf } from '../documents.ts'
import { Source } from '../files/source.ts'
import { Findings } from '../findings.ts'
import type { Groups } from '../groups.ts'
import { siteKey } from '../since/same.ts'
import { type FleetSite, joinSites } from '../sites.ts'
import { Usage } from '../usage.ts'
import { readFast } from '../yaml/fast-reader.ts'
import { type Node, textOf } from '../yaml/tree.ts'
import { type Layer, Profiles } from './profiles.ts'
import {
  type ClosestNode,
  closestNode,
  isReference,
  throughDefault,
  variablesOf
} from './references.ts'

export type Provenance = Required<Pick<Desired, 'placesOf' | 'layersOf' | 'originsOf'>> & {
  /** The place of the key that declares a field of a WLAN, or the field above it; undefined if nothing does. */
  readonly keyPlaceOf: (siteKey: string, wlanKey: string, pointer: Pointer) => Location | undefined
}

/** The provenance of the values of a fleet without errors. It keeps no tree of a plain file in memory. */
export function provenanceOf({ declarations, groups, sites }: DeclaredFleet): Provenance {
  return provenance(siteFinder(sites, groups), groups, profilesOf(declarations))
}

/** Separate, because a closure keeps its whole scope in memory. */
function provenance(
  siteOf: (key: string) => FleetSite | undefined,
  groups: Groups,
  profiles: Profiles
): Provenance {
  const layersIn = (site: FleetSite | undefined, key: string): readonly Layer[] => {
    const block = site?.wlans.get(key)?.value
    return block?.kind === 'map' ? profiles.layersOf(block, site?.overrides.get(key)) : []
  }
  return {
    placesOf(of, key, pointers, relativeTo = 'fleet') {
      const site = siteOf(siteKey(of))
      const layers = layersIn(site, key)
      return Object.fromEntries(
        pointers.flatMap(pointer => {
          const found = strongest(layers, pointer)
          if (site === undefined || found === undefined) return []
          return [[pointer, placeOf(throughVariables(found, site.vars), relativeTo)] as const]
        })
      )
    },
    layersOf(of, key, pointers) {
      const weakestFirst = layersIn(siteOf(siteKey(of)), key).toReversed()
      const found = new Map<Pointer, number>()
      for (const [at, { block }] of weakestFirst.entries()) {
        for (const pointer of pointers) {
          const declared = declaredIn(block, steps(pointer), wlanField)
          if (declared === undefined) continue
          const isReferring = declared.node.kind === 'map' && isReference(declared.node)
          found.set(pointer, isReferring ? at + OF_REFERENCE : at)
        }
      }
      return Object.fromEntries(found)
    },
    originsOf(of, { key, fields }, pointer, relativeTo = 'cwd') {
      const site = siteOf(siteKey(of))
      const layers = layersIn(site, key)
      const value = pointer === '' ? fields : valueAt(fields, pointer)
      const isUnset = layers.some(layer => unsetIn(layer, pointer) !== undefined)
      if (site === undefined || (value === undefined && !isUnset)) return []
      const pointers =
        value === undefined ? [pointer] : mergedPointers(value, fieldAt(pointer), pointer)
      return pointers.flatMap(leaf => {
        const declaring = layers
          .map(layer => sourcesIn(layer, leaf, { site, groups, relativeTo }))
          .filter(sources => sources.length > 0)
        const [first, ...others] = declaring
        if (first === undefined) return []
        return [{ pointer: leaf, sources: [...first, ...others.flat().map(hidden)] }]
      })
    },
    keyPlaceOf(site, key, pointer) {
      const found = strongest(layersIn(siteOf(site), key), pointer)
      return found?.key?.value.source.place(found.key.offset)
    }
  }
}

/** The profiles of a fleet without errors. */
export function profilesOf({ profiles }: Pick<Declarations, 'profiles'>): Profiles {
  return new Profiles(profiles, { findings: new Findings(), usage: new Usage() })
}

/**
 * Finds a site by its key. Of one with a plain file of its own it keeps the text, and reads the last one
 * again: the joined sites of a fleet of 10,000 files take 42 MB.
 */
function siteFinder(
  sites: readonly FleetSite[],
  groups: Groups
): (key: string) => FleetSite | undefined {
  const kept = new Map(sites.map(site => [siteKey(site), textOfSite(site) ?? site]))
  let last: { readonly key: string; readonly site: FleetSite | undefined } | undefined
  return key => {
    const found = kept.get(key)
    if (!(found instanceof Source)) return found
    if (last?.key !== key) last = { key, site: siteIn(found, groups) }
    return last.site
  }
}

function textOfSite({ hasOwnFile, declaredBy: { source } }: FleetSite): Source | undefined {
  if (!hasOwnFile || !(source instanceof Source && source.isPlain)) return undefined
  return new Source(source.file, source.inFleet, source.text)
}

function siteIn(text: Source, groups: Groups): FleetSite | undefined {
  const source = new Source(text.file, text.inFleet, text.text)
  source.root = readFast(source)
  const findings = new Findings()
  const { sites } = declarationsOf(source, findings)
  return joinSites(sites, groups, new Usage(), findings)[0]
}

/** A reference counts as stronger than its layer, because a site can set the variable. */
const OF_REFERENCE = 0.5

/** The node that declares a field; `rest`: the steps below it, if it is a reference. */
interface Declared extends ClosestNode {
  readonly field: Field
}

function declaredIn(top: Node, path: readonly string[], start: Field): Declared | undefined {
  const { node, key, rest } = closestNode(top, path)
  const field = fieldBelow(start, path.slice(0, path.length - rest.length))
  if (rest.length === 0 || node.kind !== 'map' || field.compare === 'whole') {
    return { node, key, field, rest: [] }
  }
  // A block may contain `$extends` and is not a reference.
  return field !== wlanField && isReference(node) ? { node, key, field, rest } : undefined
}

/** What the strongest layer declares of a field; of one that none declares, what it declares of the field above. */
function strongest(layers: readonly Layer[], pointer: Pointer): Declared | undefined {
  for (const at of [...above(pointer).slice(1), pointer].toReversed()) {
    for (const layer of layers) {
      const found = declaredIn(layer.block, steps(at), wlanField)
      if (found !== undefined) return found
      if (unsetIn(layer, at) !== undefined) break
    }
  }
  return undefined
}

/** The value of a variable or its default where a reference stands for the field; any other node unchanged. */
function throughVariables(
  { node, rest }: Pick<ClosestNode, 'node' | 'rest'>,
  vars: FleetSite['vars']
): Node {
  if (node.kind !== 'map' || !isReference(node)) return node
  const variable = textOf(node.entries.get('$var')?.value)
  const value = vars.get(variable ?? '') ?? throughDefault(node, { vars })
  return value === node ? node : throughVariables(closestNode(value, rest), vars)
}

function placeOf({ source, offset }: Node, relativeTo: 'fleet' | 'cwd'): Location {
  const place = source.place(offset)
  return relativeTo === 'cwd' ? place : { ...place, file: source.inFleet }
}

interface Context {
  readonly site: FleetSite
  readonly groups: Groups
  readonly relativeTo: 'fleet' | 'cwd'
}

/** What a layer says of a field, the strongest first; nothing where it does not declare it. */
function sourcesIn(layer: Layer, pointer: Pointer, context: Context): ValueSource[] {
  const about = {
    kind: layer.isOverride ? 'override' : layer.profile === undefined ? 'WLAN' : 'profile',
    ...compact({ name: layer.profile })
  } as const
  const unset = unsetIn(layer, pointer)
  const found = declaredIn(layer.block, steps(pointer), wlanField)
  const declared = found === undefined ? [] : sourcesOf(found, about, context)
  if (unset === undefined) return declared
  const role = declared.length === 0 ? 'value' : 'hidden'
  return [...declared, { role, kind: 'unset', place: placeOf(unset, context.relativeTo) }]
}

function hidden(source: ValueSource): ValueSource {
  return { ...source, role: 'hidden' }
}

function sourcesOf(
  { node, field, rest }: Omit<Declared, 'key'>,
  about: Pick<ValueSource, 'kind' | 'name'>,
  context: Context
): ValueSource[] {
  const variables = variablesOf(node, context.site)?.variables ?? []
  const set = variables.flatMap(variable =>
    settersOf(variable, context).flatMap(({ node: value, ...source }, at) => {
      const found = declaredIn(value, rest, field)
      const role: ValueSource['role'] = at === 0 ? 'value' : 'hidden'
      return found ? { role, ...source, ...written(found, context) } : []
    })
  )
  const isVariable = node.kind === 'map' && node.entries.has('$var')
  const byDefault = isVariable ? node.entries.get('$default')?.value : undefined
  const defaults =
    byDefault === undefined
      ? []
      : sourcesOf({ node: byDefault, field, rest }, { kind: 'default' }, context)
  const isReferring = set.length + defaults.length > 0
  return [
    ...set,
    ...(set.length === 0 ? defaults : defaults.map(hidden)),
    { role: isReferring ? 'reference' : 'value', ...about, ...written({ node, field }, context) }
  ]
}

type Setter = Pick<ValueSource, 'kind' | 'name' | 'variable'> & { readonly node: Node }

/** The declarations of a variable: the site, then its groups from the last to the first. */
function settersOf(variable: string, { site, groups }: Context): Setter[] {
  const own = site.ownVars.get(variable)
  return [
    ...(own === undefined ? [] : [{ kind: 'site', variable, node: own } as const]),
    ...site.groups.toReversed().flatMap(name => {
      const node = groups.varsIn(name).get(variable)
      return node === undefined ? [] : [{ kind: 'group', name, variable, node } as const]
    })
  ]
}

function unsetIn({ block, isOverride }: Layer, pointer: Pointer): Node | undefined {
  const list = isOverride ? block.entries.get('$unset')?.value : undefined
  if (list?.kind !== 'list') return undefined
  return list.items.find(item => isAtOrBelow(pointer, asPointer(textOf(item) ?? '')))
}

/** The declared value without secrets: of a secret field only references are shown. */
function shown(node: Node, field: Field): Value {
  if (node.kind === 'list') return node.items.map(item => shown(item, field.item()))
  if (node.kind === 'scalar') return field.secret && node.value !== null ? '(secret)' : node.value
  const isText = node.entries.has('$format') && field.secret
  const members = [...node.entries].map(([name, { value }]) => {
    if (name.startsWith('$'))
      return [
        name,
        isText ? '(secret)' : shown(value, name === '$default' ? field : wlanField)
      ] as const
    return [name, shown(value, field.member(name))] as const
  })
  return Object.fromEntries(members)
}

function written({ node, field }: Pick<Declared, 'node' | 'field'>, { relativeTo }: Context) {
  return { place: placeOf(node, relativeTo), value: shown(node, field) }
}
