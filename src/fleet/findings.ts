import {
  byPlace,
  type Finding,
  type FindingCode,
  finding,
  isError,
  type Location
} from '../core/model/finding.ts'
import type { VariableOrigin } from '../core/model/messages/template.ts'
import { isPolicyRefusal } from '../core/model/refusals.ts'
import { nearest } from '../core/schema/nearest.ts'
import { compact } from '../core/values/collections.ts'
import { MAX_FINDINGS } from './limits.ts'

/** The codes of declarations that refer to others: a file that cannot be parsed may contain what they lack. */
const ABOUT_MISSING: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'NAME_UNKNOWN',
  'UNSET_UNDECLARED',
  'VARIABLE_UNKNOWN',
  'WLAN_UNIDENTIFIED'
])

/** The maximum number of names that a run compares: a file with thousands of mistakes needs no hints. */
const MAX_COMPARISONS = 50_000

export class Findings {
  readonly #comparisons: { left: number }
  readonly #found = new Map<string, Finding>()
  /** The numbers of stored findings and of those that are only counted. */
  readonly #counts: Readonly<Record<Kind, { kept: number; more: number }>> = {
    error: { kept: 0, more: 0 },
    refusal: { kept: 0, more: 0 },
    warning: { kept: 0, more: 0 }
  }
  /** The findings about values from variables, by the same keys as `#found`. */
  readonly #ofSites = new Map<string, SharedFinding>()
  #pushes = 0

  constructor(comparisons = { left: MAX_COMPARISONS }) {
    this.#comparisons = comparisons
  }

  trial(): Findings {
    return new Findings(this.#comparisons)
  }

  near(name: string, known: readonly string[] | ReadonlyMap<string, unknown>): string | undefined {
    this.#comparisons.left -= 'size' in known ? known.size : known.length
    if (this.#comparisons.left < 0) return undefined
    return nearest(name, 'size' in known ? known.keys() : known)
  }

  push(found: Finding): void {
    // At one place, several rules may be broken, and each site may lack another secret.
    const isOfSite = found.code === 'RULE' || found.code === 'SECRET_UNRESOLVED'
    const what = isOfSite ? found.message + (found.waived ? found.hint : '') : ''
    this.#add(keyOf(found, what), found)
  }

  /** Adds the finding of `make` about a value from variables. Equal findings of several sites become one. */
  pushOf(use: VariableValue | undefined, make: (origin?: VariableOrigin) => Finding): void {
    if (use === undefined) {
      this.push(make())
      return
    }
    const { site, variables, value, setAt } = use
    const about = { variables, ...compact({ value }) }
    const found = make({ ...about, sites: [], count: 0 })
    const key = keyOf(found, found.message)
    const known = this.#ofSites.get(key)
    if (known === undefined) {
      if (!this.#add(key, found)) return
      const origin = { ...about, sites: [site], count: 1, ...compact({ setAt }) }
      this.#ofSites.set(key, { make, origin, last: site })
    } else {
      this.#pushes += 1
      if (known.last !== site) this.#ofSites.set(key, withSite(known, use))
    }
  }

  /** False for a duplicate, and for a finding that is only counted. */
  #add(key: string, found: Finding): boolean {
    this.#pushes += 1
    if (this.#found.has(key)) return false
    const count = this.#counts[kindOf(found)]
    if (count.kept === MAX_FINDINGS) {
      count.more += 1
      return false
    }
    this.#found.set(key, found)
    count.kept += 1
    return true
  }

  pushAll(found: Iterable<Finding>): void {
    for (const one of found) this.push(one)
  }

  /** Counts a warning beyond the limit and returns true; returns false if the next one would be listed. */
  countsOnly(): boolean {
    const { warning } = this.#counts
    if (warning.kept < MAX_FINDINGS) return false
    warning.more += 1
    return true
  }

  /** The number of findings that were added, including duplicates. */
  get pushes(): number {
    return this.#pushes
  }

  get none(): boolean {
    return this.#found.size === 0
  }

  get hasError(): boolean {
    return this.#counts.error.kept > 0
  }

  first(): Finding | undefined {
    return this.inOrder().find(found => isError(found) && found.place !== undefined)
  }

  get full(): boolean {
    return this.#counts.error.kept === MAX_FINDINGS
  }

  /**
   * All findings in the order of the files, those without a place first. If a file has a YAML
   * error, those about declarations that it may contain are left out.
   */
  inOrder(): Finding[] {
    const { error, refusal, warning } = this.#counts
    const more = [
      ...(this.full ? [finding('TOO_MANY_ERRORS', {}, error.kept, error.more)] : []),
      ...(refusal.more > 0 ? [finding('MORE_REFUSALS', {}, refusal.kept, refusal.more)] : []),
      ...(warning.more > 0 ? [finding('MORE_WARNINGS', {}, warning.kept, warning.more)] : [])
    ]
    const found = [...this.#found].map(([key, each]) => {
      const ofSites = this.#ofSites.get(key)
      return ofSites === undefined ? each : ofSites.make(ofSites.origin)
    })
    const isIncomplete = found.some(each => isError(each) && each.code.startsWith('YAML_'))
    const shown = isIncomplete ? found.filter(({ code }) => !ABOUT_MISSING.has(code)) : found
    return [...more, ...shown.sort(byPlace)]
  }
}

export interface VariableValue {
  readonly site: string
  readonly variables: readonly string[]
  readonly value?: string
  readonly setAt?: Location
}

/** A finding that several sites share; `last` is the site that was added last. */
interface SharedFinding {
  readonly make: (origin: VariableOrigin) => Finding
  readonly origin: VariableOrigin
  readonly last: string
}

const NAMED_SITES = 3

function withSite({ make, origin }: SharedFinding, { site, setAt }: VariableValue): SharedFinding {
  const { sites, count, setAt: first } = origin
  const isElsewhere = JSON.stringify(first) !== JSON.stringify(setAt)
  return {
    make,
    origin: {
      ...origin,
      sites: count < NAMED_SITES ? [...sites, site] : sites,
      count: count + 1,
      ...(isElsewhere && { isSetElsewhere: true })
    },
    last: site
  }
}

function keyOf({ code, path, place }: Finding, what: string): string {
  return JSON.stringify([code, path, place?.file, place?.line, place?.column, what])
}

/** Each kind has its own limit, so that warnings never hide errors or refusals. */
type Kind = 'error' | 'refusal' | 'warning'

function kindOf(found: Finding): Kind {
  if (!isError(found)) return 'warning'
  return isPolicyRefusal(found) ? 'refusal' : 'error'
}
