import { outlineOf } from '../compose/edit/outline.ts'
import type { Source } from '../config/files/source.ts'
import type { MapNode, Node } from '../config/yaml/tree.ts'
import { type Field, wlanField } from '../fields/field.ts'
import type { Stretch } from '../model/adoption.ts'
import { variableIn } from './origin.ts'

/**
 * Tells of a file where secrets stand in it in clear, as a policy may allow: in the fields of its WLANs
 * and profiles, and in the variables that any file of the fleet uses for such a field.
 */
export function secretsWritten(sources: readonly Source[]): (source: Source) => Stretch[] {
  const variables = new Set(sources.flatMap(secretsOf).flatMap(node => variableIn(node) ?? []))
  return source => {
    const nodes = [
      ...secretsOf(source).filter(({ kind }) => kind === 'scalar'),
      ...sitesIn(source).flatMap(site => variablesOf(site, variables))
    ]
    if (nodes.length === 0) return []
    const outline = outlineOf(source.text)
    return nodes.flatMap(({ offset }) => outline.ofValue(offset) ?? [])
  }
}

function secretsOf(source: Source): Node[] {
  return blocksIn(source).flatMap(block => secretsIn(block, wlanField))
}

/** What stands in secret fields, at any depth: a text in clear, or a reference. */
function secretsIn(node: Node, field: Field): Node[] {
  if (field.secret && (node.kind === 'scalar' || variableIn(node) !== undefined)) return [node]
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap(item => secretsIn(item, field.item()))
  return [...node.entries].flatMap(([name, { value }]) => secretsIn(value, field.member(name)))
}

function variablesOf(site: MapNode, names: ReadonlySet<string>): Node[] {
  const vars = site.entries.get('vars')?.value
  if (vars?.kind !== 'map') return []
  return [...vars.entries].flatMap(([name, { value }]) => (names.has(name) ? [value] : []))
}

/** The blocks of the WLANs and of the profiles of a file. */
function blocksIn(source: Source): Node[] {
  return ['wlans', 'profiles'].flatMap(key => {
    const map = topOf(source)?.entries.get(key)?.value
    return map?.kind === 'map' ? [...map.entries.values()].map(({ value }) => value) : []
  })
}

function sitesIn(source: Source): MapNode[] {
  const top = topOf(source)
  const sites = top?.entries.get('sites')?.value
  const found = [top?.entries.get('site')?.value, ...(sites?.kind === 'list' ? sites.items : [])]
  return found.flatMap(node => (node?.kind === 'map' ? [node] : []))
}

function topOf({ root }: Source): MapNode | undefined {
  return root?.kind === 'map' ? root : undefined
}
