import { finding } from '../../model/finding.ts'
import { nameProblem } from '../../model/names.ts'
import { nearest } from '../../schema/nearest.ts'
import { at, atKey } from '../files/source.ts'
import {
  type Entry,
  isNull,
  type ListNode,
  type MapNode,
  type Node,
  nodeKindOf
} from '../yaml/tree.ts'
import type { Findings } from './findings.ts'

/** The map that a node is; anything else is a finding, a value that is missing included. */
export function expectMap(node: Node, findings: Findings): MapNode | undefined {
  if (node.kind === 'map') return node
  if (isNull(node)) findings.push(finding('VALUE_MISSING', at(node), 'a map', '{}'))
  else findings.push(finding('WRONG_TYPE', at(node), 'a map', nodeKindOf(node)))
  return undefined
}

/** The list that a node is; anything else is a finding, a value that is missing included. */
export function expectList(node: Node, findings: Findings): ListNode | undefined {
  if (node.kind === 'list') return node
  if (isNull(node)) findings.push(finding('VALUE_MISSING', at(node), 'a list', '[]'))
  else findings.push(finding('WRONG_TYPE', at(node), 'a list', nodeKindOf(node)))
  return undefined
}

/** The text that a node is; anything else is a finding. */
export function expectText(node: Node, findings: Findings): string | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value
  findings.push(finding('WRONG_TYPE', at(node), 'a text', nodeKindOf(node)))
  return undefined
}

/** Finds the keys of a map that nobody knows. */
export function checkKeys(map: MapNode, known: readonly string[], findings: Findings): void {
  for (const [name, entry] of map.entries) {
    if (known.includes(name)) continue
    findings.push(finding('UNKNOWN_KEY', atKey(entry), name, nearest(name, known), known))
  }
}

/** True if the key may name something: a WLAN, a profile, a variable. */
export function checkName(name: string, entry: Entry, findings: Findings): boolean {
  if (entry.numeric) {
    findings.push(finding('KEY_NOT_TEXT', atKey(entry), name))
    return false
  }
  const problem = name.startsWith('$') ? 'it begins with `$`' : nameProblem(name)
  if (problem === undefined) return true
  findings.push(finding('NAME_UNFIT', atKey(entry), name, problem))
  return false
}
