import { type Finding, finding, type Where } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { expectText } from '../expect.ts'
import { atKey, at as atNode } from '../files/source.ts'
import type { Findings, VariableValue } from '../findings.ts'
import type { FleetSite } from '../sites.ts'
import { type Entry, type MapNode, memberNode, type Node, textOf } from '../yaml/tree.ts'

const KINDS = ['$var', '$format', '$env', '$file'] as const

/** A reference such as `{ $var: name }`, which stands for a value. */
export interface Reference {
  readonly kind: (typeof KINDS)[number]
  /** The argument: a name, or the pattern of a `$format`. */
  readonly argument: string
  readonly version?: number
  /** The `$default` of a `$var`, if it has one: the value for a site without the variable. */
  readonly byDefault?: Node
}

/** True for a map with a `$` key, which is a single value: profiles do not merge into it. */
export function isReference(map: MapNode): boolean {
  if (map.entries.size !== 1) return [...map.entries.keys()].some(name => name.startsWith('$'))
  for (const name of map.entries.keys()) return name.startsWith('$')
  return false
}

export function referenceOf(map: MapNode, findings: Findings): Reference | undefined {
  for (const [name, entry] of map.entries) {
    const kind = KINDS.find(known => known === name)
    const extra = kind && EXTRAS[kind]
    const hasExtra = extra !== undefined && map.entries.size === 2 && map.entries.has(extra)
    if (kind !== undefined && (map.entries.size === 1 || hasExtra)) {
      const argument = expectText(entry.value, findings)
      const version = extra === VERSION && hasExtra ? versionIn(map, findings) : undefined
      const byDefault = extra === DEFAULT ? map.entries.get(DEFAULT)?.value : undefined
      return argument === undefined
        ? undefined
        : { kind, argument, ...compact({ version, byDefault }) }
    }
    const isExtra = name === VERSION || name === DEFAULT
    if (!name.startsWith('$') || (isExtra && map.entries.size > 1)) continue
    findings.push(malformed(name, kind, map, entry, findings))
    return undefined
  }
  return undefined
}

const VERSION = '$version'

const DEFAULT = '$default'

const EXTRAS = { $var: DEFAULT, $format: undefined, $env: VERSION, $file: VERSION } as const

function malformed(
  name: string,
  kind: Reference['kind'] | undefined,
  { entries }: MapNode,
  entry: Entry,
  findings: Findings
): Finding {
  if (name === VERSION)
    return finding('SECRET_VERSION', atKey(entry), 'an `$env` or `$file` with it')
  if (name === DEFAULT) return finding('DEFAULT_ALONE', atKey(entry))
  if (kind === undefined) {
    return finding('REFERENCE_UNKNOWN', atKey(entry), name, findings.near(name, KINDS))
  }
  const extra = EXTRAS[kind]
  const other = [...entries.keys()].find(key => key !== name && key !== extra) ?? ''
  const near = extra === undefined || entries.has(extra) ? undefined : findings.near(other, [extra])
  return finding('REFERENCE_NOT_ALONE', atKey(entry), name, other, near)
}

function versionIn({ entries }: MapNode, findings: Findings): number | undefined {
  const node = entries.get(VERSION)?.value
  if (node === undefined) return undefined
  const version = node.kind === 'scalar' ? node.value : undefined
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1) return version
  findings.push(finding('SECRET_VERSION', atNode(node), 'a whole number of 1 or more'))
  return undefined
}

export type FormatPart = { readonly text: string } | { readonly variable: string }

/**
 * Parses a `$format`: `Store {number}` consists of `Store ` and the variable `number`. `{{name}}` is a
 * variable of the service and stays as it is. Undefined for an unclosed or empty pair of braces.
 */
export function piecesOf(format: string): FormatPart[] | undefined {
  const pieces: FormatPart[] = []
  let from = 0
  for (let open = format.indexOf('{'); open !== -1; open = format.indexOf('{', from)) {
    const own = format.startsWith('{{', open)
    const close = format.indexOf(own ? '}}' : '}', open)
    if (close === -1 || close === open + 1) return undefined
    const end = close + (own ? 2 : 1)
    if (own) pieces.push({ text: format.slice(from, end) })
    else {
      pieces.push({ text: format.slice(from, open) }, { variable: format.slice(open + 1, close) })
    }
    from = end
  }
  pieces.push({ text: format.slice(from) })
  return pieces
}

export function variablesInFormat(format: string): string[] {
  return (piecesOf(format) ?? []).flatMap(piece => ('variable' in piece ? piece.variable : []))
}

export function variableNames({ entries }: MapNode): string[] {
  const variable = textOf(entries.get('$var')?.value)
  const format = textOf(entries.get('$format')?.value)
  return variable === undefined ? variablesInFormat(format ?? '') : [variable]
}

export interface SourceLocation {
  readonly at: Where
  /** The place of its key; of an item of a list, the place of the item. */
  readonly atKey: Where
  /** The node of the field; absent for the WLAN as a whole. */
  readonly node?: Node
  /** The variable that provides the value, or a part of it. */
  readonly variable: string | undefined
  readonly use?: VariableValue
}

export type SiteVariables = Pick<FleetSite, 'name' | 'vars'>

export function variablesOf(
  node: Node,
  site: SiteVariables | undefined
): VariableValue | undefined {
  if (node.kind !== 'map' || site === undefined) return undefined
  const variables = [...new Set(variableNames(node))]
  const [value, ...others] = variables.flatMap(name => site.vars.get(name) ?? [])
  if (value === undefined) return undefined
  const setAt = others.length === 0 ? value.source.place(value.offset) : undefined
  return { site: site.name, variables, ...compact({ setAt }) }
}

export interface ClosestNode {
  readonly node: Node
  /** Its entry; undefined if a list holds it. */
  readonly key: Entry | undefined
  /** The steps below the node that it does not declare; none if it is the node of the field itself. */
  readonly rest: readonly string[]
}

/**
 * The node at a pointer, or the closest one above. `follow` replaces each node on the way; the
 * search ends at a reference that it leaves.
 */
export function closestNode(
  declared: Node,
  pointer: readonly string[],
  follow: (node: Node) => Node = node => node
): ClosestNode {
  let node = declared
  let key: Entry | undefined
  for (const [at, step] of pointer.entries()) {
    // A block may contain `$extends` and is not a reference.
    const isReferring = node.kind === 'map' && node !== declared && isReference(node)
    const entry: Entry | undefined =
      node.kind === 'map' && !isReferring ? node.entries.get(step) : undefined
    const below = node.kind === 'list' ? node.items[Number(step)] : entry?.value
    if (below === undefined) return { node, key, rest: pointer.slice(at) }
    key = entry
    node = follow(below)
  }
  return { node, key, rest: [] }
}

/**
 * Finds the declaration of a field, or of the closest field above it. The value of a variable is declared elsewhere, so
 * the search ends at the use of the variable, or at the default of a variable that `site` does not set.
 */
export function sourceLocationOf(
  declared: MapNode,
  pointer: Pointer,
  site?: SiteVariables
): SourceLocation {
  const follow = site && ((node: Node) => throughDefault(node, site))
  const { node, key } = closestNode(declared, steps(pointer), follow)
  const at = atNode(node)
  return {
    at,
    atKey: key === undefined ? at : atKey(key),
    node,
    variable: textOf(memberNode(node, '$var')),
    ...compact({ use: variablesOf(node, site) })
  }
}

/** The default of a reference to a variable that the site does not set; any other node unchanged. */
export function throughDefault(node: Node, site: Pick<SiteVariables, 'vars'>): Node {
  const byDefault = memberNode(node, DEFAULT)
  if (node.kind !== 'map' || byDefault === undefined) return node
  const variable = textOf(node.entries.get('$var')?.value)
  return variable === undefined || site.vars.has(variable) ? node : throughDefault(byDefault, site)
}
