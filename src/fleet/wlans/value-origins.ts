import type { DesiredWlan, Site, ValueOrigin, ValueSource } from '../../core/model/desired.ts'
import { type Field, fieldAt, fieldBelow, wlanField } from '../../core/schema/field.ts'
import { compact } from '../../core/values/collections.ts'
import { isAtOrBelow, type Pointer, steps } from '../../core/values/pointer.ts'
import { type Value, valueAt } from '../../core/values/value.ts'
import { type MapNode, type Node, textOf } from '../yaml/tree.ts'
import { mergedPointers, unsetPointer } from './layers.ts'
import type { Layer } from './profiles.ts'
import { type ClosestNode, closestNode, isReference, variablesOf } from './references.ts'
import { type FleetParts, placeOf } from './value-places.ts'

/**
 * The origins of the values at or below a pointer, in the order of the fields of a WLAN, each with the
 * declarations that it overrides. Empty for a WLAN that the fleet does not declare.
 */
export function valueOrigins(
  { siteOf, profiles, groups, declarationOf }: FleetParts,
  { id }: Pick<Site, 'id'>,
  { key, fields }: Pick<DesiredWlan, 'key' | 'fields'>,
  pointer: Pointer,
  relativeTo: 'fleet' | 'cwd' = 'cwd'
): ValueOrigin[] {
  const site = siteOf(id.toLowerCase())
  const declaration = declarationOf(site, key)
  if (site === undefined || declaration === undefined) return []
  const { block, override } = declaration
  const layers = profiles.layersOf(block, override)
  const context = { site, groups, relativeTo }
  const value = pointer === '' ? fields : valueAt(fields, pointer)
  const isUnset = override !== undefined && unsetIn(override, pointer) !== undefined
  if (value === undefined && !isUnset) return []
  const pointers =
    value === undefined ? [pointer] : mergedPointers(value, fieldAt(pointer), pointer)
  return pointers.flatMap(leaf => {
    const declaring = layers
      .map(layer => sourcesIn(layer, leaf, context))
      .filter(sources => sources.length > 0)
    const [strongest, ...others] = declaring
    if (strongest === undefined) return []
    return [{ pointer: leaf, sources: [...strongest, ...others.flat().map(hidden)] }]
  })
}

type Context = Pick<FleetParts, 'groups'> & {
  readonly site: NonNullable<ReturnType<FleetParts['siteOf']>>
  readonly relativeTo: 'fleet' | 'cwd'
}

/** What a layer says of a field, the strongest first; nothing where it does not declare it. */
function sourcesIn(layer: Layer, pointer: Pointer, context: Context): ValueSource[] {
  const about = {
    kind: layer.isOverride ? 'override' : layer.profile === undefined ? 'WLAN' : 'profile',
    ...compact({ name: layer.profile })
  } as const
  const unset = layer.isOverride && unsetIn(layer.block, pointer)
  const found = nodeAt(layer.block, steps(pointer), wlanField)
  const declared = found === undefined ? [] : sourcesOf(found, about, context)
  if (unset === undefined) return declared
  const role = declared.length === 0 ? 'value' : 'hidden'
  return [...declared, { role, kind: 'unset', place: placeOf(unset, context.relativeTo) }]
}

function hidden(source: ValueSource): ValueSource {
  return { ...source, role: 'hidden' }
}

/** The node that declares a field, and the remaining steps if it is a reference. */
interface FoundNode extends Pick<ClosestNode, 'node' | 'rest'> {
  readonly field: Field
}

/** The node at a path; or the reference, list or scalar above it; undefined if none of them is declared. */
function nodeAt(top: Node, path: readonly string[], start: Field): FoundNode | undefined {
  const { node, rest } = closestNode(top, path)
  const field = fieldBelow(start, path.slice(0, path.length - rest.length))
  if (rest.length === 0 || node.kind !== 'map') return { node, field, rest: [] }
  // A block may contain `$extends` and is not a reference.
  return field !== wlanField && isReference(node) ? { node, field, rest } : undefined
}

/** The value in a layer, preceded by the declarations of the variable that the layer refers to. */
function sourcesOf(
  { node, field, rest }: FoundNode,
  about: Pick<ValueSource, 'kind' | 'name'>,
  context: Context
): ValueSource[] {
  const variables = variablesOf(node, context.site)?.variables ?? []
  const set = variables.flatMap(variable =>
    settersOf(variable, context).flatMap(({ node: value, ...source }, at) => {
      const found = nodeAt(value, rest, field)
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

/** The item of `$unset` that removes a field, or a field above it. */
function unsetIn({ entries }: MapNode, pointer: Pointer): Node | undefined {
  const list = entries.get('$unset')?.value
  if (list?.kind !== 'list') return undefined
  return list.items.find(item => isAtOrBelow(pointer, unsetPointer(textOf(item) ?? '')))
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

function written({ node, field }: Pick<FoundNode, 'node' | 'field'>, { relativeTo }: Context) {
  return { place: placeOf(node, relativeTo), value: shown(node, field) }
}
