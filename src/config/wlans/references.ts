import { finding } from '../../model/finding.ts'
import { expectText } from '../checks/expect.ts'
import { atKey } from '../files/source.ts'
import type { LoadContext } from '../load-context.ts'
import type { MapNode } from '../yaml/tree.ts'

const KINDS = ['$var', '$format', '$env', '$file'] as const

/** `{ $var: name }` and its kin, which stand for a value. */
export interface Reference {
  readonly kind: (typeof KINDS)[number]
  /** What is referred to: a name, or the pattern of a `$format`. */
  readonly argument: string
}

/** True for a map that speaks to wlanctl. It is one value: profiles do not merge into it. */
export function isReference(map: MapNode): boolean {
  if (map.entries.size !== 1) return [...map.entries.keys()].some(name => name.startsWith('$'))
  for (const name of map.entries.keys()) return name.startsWith('$')
  return false
}

/** Reads a reference; one that is malformed is a finding. */
export function referenceOf(map: MapNode, run: LoadContext): Reference | undefined {
  for (const [name, entry] of map.entries) {
    const kind = KINDS.find(known => known === name)
    if (kind !== undefined && map.entries.size === 1) {
      const argument = expectText(entry.value, run.findings)
      return argument === undefined ? undefined : { kind, argument }
    }
    if (!name.startsWith('$')) continue
    const found =
      kind === undefined
        ? finding('REFERENCE_UNKNOWN', atKey(entry), name, run.suggestions.near(name, KINDS))
        : finding('REFERENCE_NOT_ALONE', atKey(entry), name)
    run.findings.push(found)
    return undefined
  }
  return undefined
}
