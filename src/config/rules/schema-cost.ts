import type { Pointer } from '../../model/pointer.ts'
import { limits } from '../limits.ts'
import type { Node } from '../yaml/tree.ts'

/** A schema within a rule: what it costs itself, and which schemas are laid on what it judges. */
export interface SchemaPart {
  own: number
  /** On the value itself, or on one of its members. */
  readonly once: Pointer[]
  /** On every member or item. */
  readonly each: Pointer[]
  reference?: Reference
}

/** A `$ref`: where it leads, and where it stands. */
interface Reference {
  readonly to: string
  readonly node: Node
}

/** What judging a WLAN takes at most, in steps: `once`, and `each` for every value of the WLAN. */
export interface Cost {
  readonly once: number
  readonly each: number
}

const NOTHING: Cost = { once: 0, each: 0 }

/**
 * The cost of the schemas of a rule, references followed. A reference that leads nowhere or back to
 * itself is refused, and so are some that multiply each other: a few lines can stand for billions.
 */
export class Costs {
  readonly #parts: ReadonlyMap<Pointer, SchemaPart>
  readonly #refuse: (node: Node, problem: string) => void
  readonly #known = new Map<Pointer, Cost | 'open'>()
  #wrong = false

  /** `parts` by their pointers; the whole schema is `''`. */
  constructor(
    parts: ReadonlyMap<Pointer, SchemaPart>,
    refuse: (node: Node, problem: string) => void
  ) {
    this.#parts = parts
    this.#refuse = refuse
  }

  /** The cost of the whole schema. Those that nothing uses are looked at, too. */
  total(): Cost {
    for (const pointer of this.#parts.keys()) this.#of(pointer)
    return this.#of('')
  }

  #of(pointer: Pointer): Cost {
    const known = this.#known.get(pointer)
    const part = this.#parts.get(pointer)
    if (part === undefined || known === 'open' || this.#wrong) return NOTHING
    if (known !== undefined) return known
    this.#known.set(pointer, 'open')
    const once = part.once.map(below => this.#of(below))
    const each = part.each.map(below => this.#of(below))
    if (part.reference !== undefined) once.push(this.#follow(part.reference))
    const cost = {
      once: part.own + sum(once, 'once'),
      each: sum(once, 'each') + sum(each, 'once') + sum(each, 'each')
    }
    this.#known.set(pointer, cost)
    return cost
  }

  #follow(reference: Reference): Cost {
    const { to } = reference
    const target = /^#(?:\/[^%]*)?$/.test(to) ? to.slice(1) : undefined
    if (target === undefined) return this.#fail(reference, 'it leads out; a rule refers with `#/…`')
    if (!this.#parts.has(target)) return this.#fail(reference, 'there is no schema')
    if (this.#known.get(target) === 'open') return this.#fail(reference, 'it leads to itself')
    const cost = this.#of(target)
    if (cost.once + cost.each <= limits.ruleSteps) return cost
    return this.#fail(reference, 'the references multiply each other beyond measure')
  }

  #fail({ to, node }: Reference, problem: string): Cost {
    if (!this.#wrong) this.#refuse(node, `\`$ref\` to ${JSON.stringify(to)}: ${problem}`)
    this.#wrong = true
    return NOTHING
  }
}

function sum(costs: readonly Cost[], kind: keyof Cost): number {
  return costs.reduce((total, cost) => total + cost[kind], 0)
}
