import { asWaived, type Finding, type FindingWaiver, finding } from '../../../core/model/finding.ts'
import { byCodeUnit } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { at } from '../../files/source.ts'
import { limits } from '../../limits.ts'
import type { SourceLocation } from '../../wlans/references.ts'
import type { Rule } from '../policy.ts'
import type { RuleError } from './evaluation.ts'

/** The places where a rule is broken, with the WLANs: WLANs with the same place share one entry. */
export class Violations {
  readonly #rule: Rule
  readonly #places = new Map<string, Violation>()
  #more = 0

  constructor(rule: Rule) {
    this.#rule = rule
  }

  add(location: SourceLocation, address: string, waived?: FindingWaiver): void {
    const key = JSON.stringify([location.at.place, waived])
    const violation = this.#places.get(key)
    if (violation !== undefined) violation.addresses.push(address)
    else if (this.#places.size < limits.broken)
      this.#places.set(key, { location, addresses: [address], waived })
    else this.#more += 1
  }

  /** An error is a warning where no WLAN is `isNew`. */
  findings(isNew: (address: string) => boolean): Finding[] {
    const { name, message, level, node } = this.#rule
    const shown = [...this.#places.values()].map(violation => {
      const { at, variable } = violation.location
      const isError = level === 'error' && violation.addresses.some(isNew)
      const addresses = violation.addresses.sort(byCodeUnit)
      const [address = '', ...others] = addresses
      const about = others.length === 0 ? { address } : { addresses }
      const { waived } = violation
      const where = { ...at, ...about, rule: name }
      const found = finding('RULE', where, name, message, isError ? 'error' : 'warning', variable)
      return waived === undefined ? found : asWaived(found, waived)
    })
    if (this.#more === 0) return shown
    return [...shown, finding('RULE_BROKEN_OFTEN', at(node), name, this.#more, level)]
  }
}

interface Violation {
  readonly location: SourceLocation
  readonly addresses: string[]
  readonly waived: FindingWaiver | undefined
}

/** The first of the deepest fields among the errors; the whole WLAN, `''`, if a field is absent. */
export function deepestErrorPath(errors: readonly RuleError[]): Pointer {
  let deepest = { pointer: '', depth: 0 }
  for (const { pointer } of errors) {
    const depth = pointer.split('/').length - 1
    if (depth > deepest.depth) deepest = { pointer, depth }
  }
  return deepest.pointer
}

/** True if the errors existed before, lists have no more of them, and no number is further from its limit. */
export function isNoWorse(before: readonly RuleError[], after: readonly RuleError[]): boolean {
  const was = extentsOf(before)
  return [...extentsOf(after)].every(([key, { count, excess }]) => {
    const known = was.get(key)
    return known !== undefined && count <= known.count && excess <= known.excess
  })
}

interface Extent {
  readonly count: number
  readonly excess: number
}

/** The extents by place and kind of the error; all items of a list count as one place. */
function extentsOf(errors: readonly RuleError[]): Map<string, Extent> {
  const extents = new Map<string, Extent>()
  for (const { pointer, keyword, missing, excess = 0 } of errors) {
    const place = pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')
    const key = JSON.stringify([place, keyword, missing])
    const known = extents.get(key) ?? { count: 0, excess: 0 }
    extents.set(key, { count: known.count + 1, excess: Math.max(known.excess, excess) })
  }
  return extents
}
