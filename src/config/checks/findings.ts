import { byPlace, type Finding, finding, isError, isRefusal } from '../../model/finding.ts'
import { limits } from './limits.ts'

/** What a run finds. The same thing found twice, say for two sites, is one finding. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  #pushes = 0
  #errors = 0

  push(found: Finding): void {
    this.#pushes += 1
    const { place, code, path, message } = found
    // Several rules may be broken at one place.
    const what = code === 'RULE_BROKEN' ? message : ''
    const key = JSON.stringify([code, path, place?.file, place?.line, place?.column, what])
    const isWrong = isError(found) && !isRefusal(found)
    if (this.#found.has(key) || (this.full && isWrong)) return
    this.#found.set(key, found)
    if (isWrong) this.#errors += 1
  }

  pushAll(found: Iterable<Finding>): void {
    for (const one of found) this.push(one)
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
    return this.#errors > 0
  }

  /** The first error in the order of the files; undefined if there is none. */
  first(): Finding | undefined {
    return this.inOrder().find(found => isError(found) && found.place !== undefined)
  }

  /** True once there are so many errors that looking for more helps nobody. */
  get full(): boolean {
    return this.#errors >= limits.errors
  }

  /** All of them in the order of the files, those without a place first. */
  inOrder(): Finding[] {
    const more = this.full ? [finding('TOO_MANY_ERRORS', {}, limits.errors)] : []
    return [...more, ...[...this.#found.values()].sort(byPlace)]
  }
}
