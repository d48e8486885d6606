/**
 * What one run may take of the files of its fleet, all of them together. Limits for each file do not
 * bound a run: a pull request may hold thousands of files. With these, the worst fleet that is let in
 * costs at most 5 s of CPU and 400 MB; one of 10,000 sites with ten WLANs each takes half of them.
 */
export const runLimits = {
  /** Names in the folders of the fleet, of YAML files or not. */
  entries: 200_000,
  /** YAML files. */
  files: 30_000,
  /** Bytes of these. */
  bytes: 64 * 1024 * 1024,
  /** Maps, lists and values that stay in memory. */
  nodes: 1_600_000,
  /** Steps of reading, see `cost`. */
  reading: 40_000_000,
  /** Steps of resolving profiles, variables and lists of sites. */
  resolving: 5_000_000
} as const

/** What is counted for a run. */
export type Resource = keyof typeof runLimits

/** Steps that reading takes, each about a tenth of a microsecond of CPU. */
export const cost = {
  /** To open a file, and to read it. */
  file: 600,
  /** A token of plain YAML. */
  plain: 0.4,
  /** A token of any other YAML, which is the library's to read. */
  library: 20
} as const

/** Findings of one level that are kept: the first ones; the others are counted. */
export const MOST_FINDINGS = 5000

/** Milliseconds of work after which signals, timers and sockets get their turn. */
export const SLICE = 20

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

  /** The resource that was used up first, with its limit; undefined while there is enough of all. */
  get exceeded(): readonly [resource: Resource, limit: number] | undefined {
    const resource = this.#exceeded ?? (this.resolving.exhausted ? 'resolving' : undefined)
    return resource && [resource, this.#limits[resource]]
  }
}
