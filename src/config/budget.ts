import { runLimits } from './limits.ts'

/** What is counted for a run. */
export type Resource = keyof typeof runLimits

/** A number of steps; it is true of all that is counted here that an honest run stays far below. */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** Takes steps from what is left. False once nothing is. */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }

  get exhausted(): boolean {
    return this.#left < 0
  }

  /** Steps that are left; 0 once it is exhausted. */
  get left(): number {
    return Math.max(this.#left, 0)
  }
}

/** The budget of a run. It ends with the first of its resources that does. */
export class RunBudget {
  readonly #limits: Readonly<Record<Resource, number>>
  readonly #budgets: Readonly<Record<Resource, Budget>>
  #exceeded: Resource | undefined

  /** Tests give lower limits. */
  constructor(limits: Partial<Record<Resource, number>> = {}) {
    this.#limits = { ...runLimits, ...limits }
    const { entries, files, bytes, nodes, reading, resolving } = this.#limits
    this.#budgets = {
      entries: new Budget(entries),
      files: new Budget(files),
      bytes: new Budget(bytes),
      nodes: new Budget(nodes),
      reading: new Budget(reading),
      resolving: new Budget(resolving)
    }
  }

  /** Takes so much of a resource. False once any of them is used up. */
  take(resource: Resource, amount = 1): boolean {
    if (!this.#budgets[resource].spend(amount)) this.#exceeded ??= resource
    return this.#exceeded === undefined
  }

  /** The steps of resolving alone: what takes them tells the end of it by itself. */
  get resolving(): Budget {
    return this.#budgets.resolving
  }

  /** Nodes that may still be held. */
  get nodesLeft(): number {
    return this.#budgets.nodes.left
  }

  /** The resource that was used up first, with its limit; undefined while there is enough of all. */
  get exceeded(): readonly [resource: Resource, limit: number] | undefined {
    const resource = this.#exceeded ?? (this.resolving.exhausted ? 'resolving' : undefined)
    return resource && [resource, this.#limits[resource]]
  }
}
