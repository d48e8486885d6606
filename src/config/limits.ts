/**
 * How much a fleet may hold. Hostile input costs bounded time and memory: the parser needs seconds
 * for a map of 40,000 keys and takes the whole process down for a document that nests too deep.
 */
export const limits = {
  /** Bytes of a file. */
  bytes: 4 * 1024 * 1024,
  /** Maps and lists within each other, aliases followed. */
  depth: 64,
  /** Keys of a map. */
  keys: 5000,
  /** Items of a list. */
  items: 20_000,
  /** Keys, values, maps and lists of a file, aliases followed. */
  nodes: 200_000,
  /** What the file is cut into before it is read: comments, line ends and punctuation too. */
  tokens: 1_200_000,
  /** Faults of a file's YAML after which it is given up: the later ones mostly follow from the first. */
  faults: 20,
  /** Values of a WLAN, with its profiles and variables. */
  values: 5000,
  /** Profiles that extend each other in a row. */
  extends: 64,
  /** UTF-16 code units of a string made by `$format`. */
  format: 65_536,
  /** Rules of a policy. */
  rules: 100,
  /** Keywords and values of a rule's schema. */
  ruleNodes: 500,
  /** Steps that judging one WLAN by one schema may take. */
  ruleSteps: 50_000,
  /** Steps that making the rules and judging all WLANs may take; about a tenth of a microsecond each. */
  rulesSteps: 8_000_000,
  /** Waves of a rollout. */
  waves: 20,
  /** Letters that may be compared to tell which sites the globs of a rollout fit. */
  waveSteps: 40_000_000,
  /** Windows of a policy, and freezes; periods of a WLAN. */
  windows: 50,
  freezes: 50,
  periods: 50,
  /** UTF-16 code units of a pattern. */
  pattern: 200,
  /** UTF-16 code units of a rule's message. */
  message: 500,
  /** Places where a rule is broken that are shown; the others are counted. */
  broken: 200
} as const

/** A long string counts as this many nodes more where an alias or a variable repeats it. */
export function weightOf(text: string): number {
  return Math.floor(text.length / 64)
}

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

/** A bounded resource of a run. */
export type Resource = keyof typeof runLimits

/** A number of steps, far above what a legitimate run takes. */
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

  /** The budget of resolving alone. */
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
