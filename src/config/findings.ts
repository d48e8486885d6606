import { byPlace, type Finding, finding, isError, isPolicyRefusal } from '../model/finding.ts'
import { MOST_FINDINGS } from './limits.ts'

/** Collects the findings of a run, without duplicates. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  /** Those that are kept, and those that are only counted. */
  readonly #counts: Readonly<Record<Kind, { kept: number; more: number }>> = {
    error: { kept: 0, more: 0 },
    refusal: { kept: 0, more: 0 },
    warning: { kept: 0, more: 0 }
  }
  #pushes = 0

  push(found: Finding): void {
    this.#pushes += 1
    const { place, code, path, message } = found
    // At one place, several rules may be broken, and each site may lack another secret.
    const what = code === 'RULE_BROKEN' || code === 'SECRET_UNRESOLVED' ? message : ''
    const key = JSON.stringify([code, path, place?.file, place?.line, place?.column, what])
    if (this.#found.has(key)) return
    const count = this.#counts[kindOf(found)]
    if (count.kept === MOST_FINDINGS) {
      count.more += 1
      return
    }
    this.#found.set(key, found)
    count.kept += 1
  }

  pushAll(found: Iterable<Finding>): void {
    for (const one of found) this.push(one)
  }

  /** Counts a warning beyond the limit and returns true; returns false if the next one would be listed. */
  countsOnly(): boolean {
    const { warning } = this.#counts
    if (warning.kept < MOST_FINDINGS) return false
    warning.more += 1
    return true
  }

  /** How often anything was found, the same things again among them. */
  get pushes(): number {
    return this.#pushes
  }

  /** True if nothing was found. */
  get none(): boolean {
    return this.#found.size === 0
  }

  /** True if the files are wrong; what the policy refuses is right. */
  get hasError(): boolean {
    return this.#counts.error.kept > 0
  }

  /** The first error in the order of the files; undefined if there is none. */
  first(): Finding | undefined {
    return this.inOrder().find(found => isError(found) && found.place !== undefined)
  }

  /** True once the limit of errors is reached. */
  get full(): boolean {
    return this.#counts.error.kept === MOST_FINDINGS
  }

  /** All of them in the order of the files, those without a place first. */
  inOrder(): Finding[] {
    const { error, refusal, warning } = this.#counts
    const more = [
      ...(this.full ? [finding('TOO_MANY_ERRORS', {}, error.kept, error.more)] : []),
      ...(refusal.more > 0 ? [finding('MORE_REFUSALS', {}, refusal.kept, refusal.more)] : []),
      ...(warning.more > 0 ? [finding('MORE_WARNINGS', {}, warning.kept, warning.more)] : [])
    ]
    return [...more, ...[...this.#found.values()].sort(byPlace)]
  }
}

/** Each is counted by itself: warnings hide no error, and no refusal. */
type Kind = 'error' | 'refusal' | 'warning'

function kindOf(found: Finding): Kind {
  if (!isError(found)) return 'warning'
  return isPolicyRefusal(found) ? 'refusal' : 'error'
}
