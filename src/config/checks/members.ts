import { finding } from '../../model/finding.ts'
import { at } from '../files/source.ts'
import { type MapNode, type Node, nodeKindOf } from '../yaml/tree.ts'
import { checkKeys, expectText } from './expect.ts'
import type { Findings } from './findings.ts'

/** Reads the members of a map by name, each of its own kind; what does not fit is a finding. */
export class Members {
  readonly #map: MapNode
  readonly #findings: Findings
  readonly #known: string[] = []

  constructor(map: MapNode, findings: Findings) {
    this.#map = map
    this.#findings = findings
  }

  /** Finds the members that nobody has asked for. Call it last. */
  done(): void {
    checkKeys(this.#map, this.#known, this.#findings)
  }

  node(key: string): Node | undefined {
    this.#known.push(key)
    return this.#map.entries.get(key)?.value
  }

  text(key: string): string | undefined {
    const node = this.node(key)
    return node && expectText(node, this.#findings)
  }

  flag(key: string): boolean | undefined {
    const node = this.node(key)
    if (node === undefined) return undefined
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value
    this.#findings.push(finding('WRONG_TYPE', at(node), '`true` or `false`', nodeKindOf(node)))
    return undefined
  }

  /** A number from 0 to `maximum`. */
  number(key: string, maximum: number): number | undefined {
    const node = this.node(key)
    if (node === undefined) return undefined
    if (node.kind !== 'scalar' || typeof node.value !== 'number') {
      this.#findings.push(finding('WRONG_TYPE', at(node), 'a number', nodeKindOf(node)))
      return undefined
    }
    if (node.value >= 0 && node.value <= maximum) return node.value
    const bounds = maximum === Number.MAX_SAFE_INTEGER ? { minimum: 0 } : { minimum: 0, maximum }
    this.#findings.push(finding('FIELD_RANGE', at(node), bounds, undefined, undefined))
    return undefined
  }

  /** The same, without a fraction. */
  integer(key: string, maximum: number): number | undefined {
    const value = this.number(key, maximum)
    const node = this.node(key)
    if (value === undefined || node === undefined || Number.isInteger(value)) return value
    this.#findings.push(finding('WRONG_TYPE', at(node), 'a whole number', 'a fraction'))
    return undefined
  }

  /** One of a few words. */
  choice<C extends string>(key: string, choices: readonly C[]): C | undefined {
    const text = this.text(key)
    const choice = choices.find(known => known === text)
    const node = this.node(key)
    if (text !== undefined && choice === undefined && node !== undefined) {
      this.#findings.push(finding('NOT_A_CHOICE', at(node), text, choices))
    }
    return choice
  }
}
