import { finding } from '../core/model/finding.ts'
import { getOrInsert } from '../core/values/collections.ts'
import { expectMap, expectText, membersIn, namedMembers } from './expect.ts'
import { at } from './files/source.ts'
import type { Findings } from './findings.ts'
import type { Entry, Node } from './yaml/tree.ts'

export type Variables = ReadonlyMap<string, Node>

export interface SiteGroups {
  readonly names: readonly string[]
  readonly vars: Variables
}

export const GROUP_FIX = 'declare it in `groups`, with its `vars`'

const NO_VARIABLES: Variables = new Map()
const NO_GROUPS: SiteGroups = { names: [], vars: NO_VARIABLES }

/** The groups of a fleet. Each is checked once, even if no site uses it. */
export class Groups {
  readonly #vars: ReadonlyMap<string, Variables>
  readonly #findings: Findings
  /** Cache of the combinations of groups by their names. The sites bound it. */
  readonly #combined = new Map<string, SiteGroups>()

  constructor(declared: ReadonlyMap<string, Entry>, findings: Findings) {
    this.#findings = findings
    this.#vars = new Map(
      [...declared].map(([name, entry]) => [name, varsOfGroup(entry, findings)] as const)
    )
  }

  varsIn(name: string): Variables {
    return this.#vars.get(name) ?? NO_VARIABLES
  }

  of(nodes: readonly Node[]): SiteGroups {
    if (nodes.length === 0) return NO_GROUPS
    const names = [...new Set(nodes.flatMap(node => this.#nameIn(node)))]
    return getOrInsert(this.#combined, JSON.stringify(names), () => {
      const sets = names.map(name => this.varsIn(name))
      return { names, vars: sets.reduce((below, above) => this.over(below, above), NO_VARIABLES) }
    })
  }

  /** Merges two sets of variables; those of `above` take precedence. */
  over(below: Variables, above: Variables): Variables {
    if (below.size === 0) return above
    if (above.size === 0) return below
    return new Map([...below, ...above])
  }

  #nameIn(node: Node): string[] {
    const name = expectText(node, this.#findings)
    if (name === undefined) return []
    if (this.#vars.has(name)) return [name]
    const near = this.#findings.near(name, this.#vars)
    this.#findings.push(finding('NAME_UNKNOWN', at(node), 'group', name, near, GROUP_FIX))
    return []
  }
}

function varsOfGroup({ value }: Entry, findings: Findings): Variables {
  const map = expectMap(value, findings)
  const { vars = [] } = map ? membersIn(map, { vars: namedMembers }, findings) : {}
  return new Map(vars.map(([name, entry]) => [name, entry.value]))
}
