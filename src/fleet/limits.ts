/** Without limits, 40,000 keys take the parser seconds, and deep nesting crashes the process. */
export const limits = {
  /** Size of a file in bytes. */
  bytes: 4 * 1024 * 1024,
  /** Nesting depth of maps and lists, including aliases. */
  depth: 64,
  /** Keys of a map. */
  keys: 5000,
  /** Items of a list. */
  items: 20_000,
  /** Keys, values, maps and lists of a file, including those behind aliases. */
  nodes: 200_000,
  /** Tokens of a file, including comments, line ends and punctuation. */
  tokens: 1_200_000,
  /** YAML errors of a file before parsing stops: later errors mostly follow from the first. */
  faults: 20,
  /** Values of a WLAN, including its profiles and variables. */
  values: 5000,
  /** Length of a chain of profiles. */
  extends: 64,
  /** Length of a string from `$format`, in UTF-16 code units. */
  format: 65_536,
  /** Rules of a policy. */
  rules: 100,
  /** Keywords and values in the schema of a rule. */
  ruleNodes: 500,
  /** Tests of a fleet. */
  tests: 500,
  /** Seconds to read and run the tests of a fleet; those of 10,000 sites take 3. */
  testTime: 60,
  /** Names, globs and conditions in a list of a test, each of at most `pattern` UTF-16 code units. */
  testItems: 100,
  /** Steps to compile the rules and evaluate all WLANs; a step takes at most 0.05 µs. */
  rulesSteps: 30_000_000,
  /** Milliseconds to match all patterns of the rules. */
  patternTime: 2000,
  /** Milliseconds that a string could take to match: a match cannot be interrupted. */
  match: 800,
  /** Additional steps for each live WLAN, so that the bound is linear in the WLANs of the service. */
  wlanRuleSteps: 2000,
  /** Waves of a rollout. */
  waves: 20,
  /** Steps to match the sites and WLANs with the globs of a part of the policy; a step takes about 0.02 µs. */
  globSteps: 40_000_000,
  /** Windows of a policy, and freezes. */
  windows: 50,
  freezes: 50,
  /** Length of a pattern in UTF-16 code units. */
  pattern: 200,
  /** Length of the message of a rule in UTF-16 code units. */
  message: 500,
  /** Places of a broken rule that are listed; the others are counted. */
  broken: 200
} as const

/** The additional nodes that a long string counts as if an alias or a variable repeats it. */
export function weightOf(text: string): number {
  return Math.floor(text.length / 64)
}

/**
 * The limits of a run for all files of its fleet together. Limits for each file do not bound a run, because a
 * pull request may contain thousands of files. The last three grow with the bytes of the files, see `growth`. The
 * worst accepted fleet of 1 MiB costs about 3 s of CPU time and 450 MB.
 */
export const runLimits = {
  /** Names in the folders of the fleet, YAML files and others. */
  entries: 200_000,
  files: 60_000,
  /** Size of the YAML files in bytes. */
  bytes: 128 * 1024 * 1024,
  /** Maps, lists and values that stay in memory. */
  nodes: 1_600_000,
  /** Steps of parsing, see `cost`. */
  reading: 40_000_000,
  /** Steps of resolving profiles, variables and lists of sites. */
  resolving: 5_000_000
} as const

/**
 * What each byte of the files adds to a limit, and what it is at most: small files stay cheap, and the number of sites
 * is not limited. A site takes 2 kB with ten WLANs in a file of its own, and 60 bytes in a list with any number of WLANs.
 */
const growth = {
  nodes: { perByte: 1 / 16, most: 8_000_000 },
  reading: { perByte: 2, most: 300_000_000 },
  resolving: { perByte: 10, most: 60_000_000 }
} as const

/** The costs of reading and resolving in steps; a step takes about 0.1 µs of CPU time. */
export const cost = {
  /** Opening and reading a file. */
  file: 600,
  /** A token of plain YAML. */
  plain: 0.4,
  /** A token of other YAML, which the library parses. */
  library: 20,
  /** Joining the declarations of a site; ten times its time, because each takes 2 KB. */
  site: 40,
  /** An invalid value, before it is a finding. */
  invalid: 15,
  /** A finding, even a duplicate: its place takes most of the time. */
  finding: 25
} as const

/** The maximum number of stored findings of one level; further ones are counted. */
export const MAX_FINDINGS = 5000

export type Resource = keyof typeof runLimits

export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** Uses steps of the budget. Returns false if it is exhausted. */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }

  grant(steps: number): void {
    this.#left += steps
  }

  get exhausted(): boolean {
    return this.#left < 0
  }

  get left(): number {
    return Math.max(this.#left, 0)
  }
}

/** The budget of a run. It is exhausted as soon as one of its resources is. */
export class RunBudget {
  readonly #limits: Record<Resource, number>
  readonly #budgets: Readonly<Record<Resource, Budget>>
  readonly #growing: readonly (keyof typeof growth)[]
  #exceeded: Resource | undefined
  #bytes = 0

  /** `limits`: lower ones, which do not grow. */
  constructor(limits: Partial<Record<Resource, number>> = {}) {
    this.#limits = { ...runLimits, ...limits }
    const budgets = Object.entries(this.#limits).map(([name, limit]) => [name, new Budget(limit)])
    this.#budgets = Object.fromEntries(budgets)
    this.#growing = (['nodes', 'reading', 'resolving'] as const).filter(name => !(name in limits))
  }

  /** A budget as large as this one, for another pass over the same files. */
  again(): RunBudget {
    const budget = new RunBudget()
    budget.take('bytes', this.#bytes)
    return budget
  }

  /** Uses an amount of a resource. Returns false if any resource is exhausted. */
  take(resource: Resource, amount = 1): boolean {
    if (resource === 'bytes') this.#grow(amount)
    if (!this.#budgets[resource].spend(amount)) this.#exceeded ??= resource
    return this.#exceeded === undefined
  }

  #grow(bytes: number): void {
    this.#bytes += bytes
    for (const name of this.#growing) {
      const { perByte, most } = growth[name]
      const limit = Math.min(most, runLimits[name] + Math.floor(this.#bytes * perByte))
      this.#budgets[name].grant(limit - this.#limits[name])
      this.#limits[name] = limit
    }
  }

  get resolving(): Budget {
    return this.#budgets.resolving
  }

  get nodesLeft(): number {
    return this.#budgets.nodes.left
  }

  /** The resource that was exhausted first, with its limit; undefined if none is. */
  get exceeded(): readonly [resource: Resource, limit: number] | undefined {
    const resource = this.#exceeded ?? (this.resolving.exhausted ? 'resolving' : undefined)
    return resource && [resource, this.#limits[resource]]
  }
}
