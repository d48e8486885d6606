import { compact } from '../../model/collections.ts'
import { type Finding, finding, type Where } from '../../model/finding.ts'
import { type Pointer, steps } from '../../model/pointer.ts'
import { expectText, type Suggestions } from '../expect.ts'
import { atKey, at as atNode } from '../files/source.ts'
import type { Findings, VariableValue } from '../findings.ts'
import type { FleetSite } from '../sites.ts'
import { type Entry, type MapNode, type Node, textOf } from '../yaml/tree.ts'

const KINDS = ['$var', '$format', '$env', '$file'] as const

/** `{ $var: name }` and its kin, which stand for a value. */
export interface Reference {
  readonly kind: (typeof KINDS)[number]
  /** What is referred to: a name, or the pattern of a `$format`. */
  readonly argument: string
  /** The `$version` of an `$env` or `$file`, where it has one. */
  readonly version?: number
  /** The `$default` of a `$var`, where it has one: the value for a site that does not set the variable. */
  readonly byDefault?: Node
}

/** True for a map with a `$` key. It is one value: profiles do not merge into it. */
export function isReference(map: MapNode): boolean {
  if (map.entries.size !== 1) return [...map.entries.keys()].some(name => name.startsWith('$'))
  for (const name of map.entries.keys()) return name.startsWith('$')
  return false
}

/** Where findings go, and where hints come from. */
interface Reporting {
  readonly findings: Findings
  readonly suggestions: Suggestions
}

/** Reads a reference; one that is malformed is a finding. */
export function referenceOf(
  map: MapNode,
  { findings, suggestions }: Reporting
): Reference | undefined {
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
    findings.push(malformed(name, kind, map, entry, suggestions))
    return undefined
  }
  return undefined
}

/** The key that gives the version of a secret, with its `$env` or `$file`. */
const VERSION = '$version'

/** The key that gives the value of a `$var` for sites that do not set the variable. */
const DEFAULT = '$default'

/** The key that may stand with a reference, by its kind. */
const EXTRAS = { $var: DEFAULT, $format: undefined, $env: VERSION, $file: VERSION } as const

function malformed(
  name: string,
  kind: Reference['kind'] | undefined,
  { entries }: MapNode,
  entry: Entry,
  suggestions: Suggestions
): Finding {
  if (name === VERSION)
    return finding('SECRET_VERSION', atKey(entry), 'an `$env` or `$file` with it')
  if (name === DEFAULT) return finding('DEFAULT_ALONE', atKey(entry))
  if (kind === undefined) {
    return finding('REFERENCE_UNKNOWN', atKey(entry), name, suggestions.near(name, KINDS))
  }
  const extra = EXTRAS[kind]
  const other = [...entries.keys()].find(key => key !== name && key !== extra) ?? ''
  const near =
    extra === undefined || entries.has(extra) ? undefined : suggestions.near(other, [extra])
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

/** A piece of a `$format`: text that stays, or the name of a variable. */
export type FormatPart = { readonly text: string } | { readonly variable: string }

/**
 * Cuts a `$format` into its pieces: `Store {number}` is `Store ` and the variable `number`.
 *
 * `{{name}}` is the service's own variable and stays as it is. Undefined if a brace is left open, or
 * nothing is between two of them.
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

/** The names of the variables in a `$format`, or in the name of a secret. */
export function variablesInFormat(format: string): string[] {
  return (piecesOf(format) ?? []).flatMap(piece => ('variable' in piece ? piece.variable : []))
}

/** The names of the variables that a reference itself reads: those of its `$var` or `$format`. */
export function variableNames({ entries }: MapNode): string[] {
  const variable = textOf(entries.get('$var')?.value)
  const format = textOf(entries.get('$format')?.value)
  return variable === undefined ? variablesInFormat(format ?? '') : [variable]
}

/** Where in the files a field was declared. */
export interface SourceLocation {
  readonly at: Where
  /** Where its key is; of an item of a list, where the item is. */
  readonly atKey: Where
  /** The variable that gives the value, or something in the value. */
  readonly variable: string | undefined
  /** The variables of the site in the value. */
  readonly use?: VariableValue
}

/** What a site sets for references. */
export type SiteVariables = Pick<FleetSite, 'name' | 'vars'>

/** The variables that the value of a reference comes from; undefined if it comes from none of the site's. */
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

/**
 * Finds what declared a field, or the nearest field above it. A variable's content is elsewhere, so
 * the way ends at the variable's use, or at the default of a variable that `site` does not set.
 */
export function sourceLocationOf(
  declared: MapNode,
  pointer: Pointer,
  site?: SiteVariables
): SourceLocation {
  let node: Node = declared
  let key: Entry | undefined
  for (const step of steps(pointer)) {
    if (node.kind === 'map') {
      // A WLAN itself may hold `$extends`, and is no reference.
      if (node !== declared && isReference(node)) break
      const entry: Entry | undefined = node.entries.get(step)
      if (entry === undefined) break
      key = entry
      node = site === undefined ? entry.value : throughDefault(entry.value, site)
    } else if (node.kind === 'list') {
      const item: Node | undefined = node.items[Number(step)]
      if (item === undefined) break
      key = undefined
      node = item
    }
  }
  const at = atNode(node)
  return {
    at,
    atKey: key === undefined ? at : atKey(key),
    variable: node.kind === 'map' ? textOf(node.entries.get('$var')?.value) : undefined,
    ...compact({ use: variablesOf(node, site) })
  }
}

/** The default of a reference to a variable that the site does not set; any other node itself. */
export function throughDefault(node: Node, site: Pick<SiteVariables, 'vars'>): Node {
  const byDefault = node.kind === 'map' ? node.entries.get(DEFAULT)?.value : undefined
  if (node.kind !== 'map' || byDefault === undefined) return node
  const variable = textOf(node.entries.get('$var')?.value)
  return variable === undefined || site.vars.has(variable) ? node : throughDefault(byDefault, site)
}
