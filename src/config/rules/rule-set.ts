import type { DesiredWlan } from '../../model/desired.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import { Budget } from '../budget.ts'
import { atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type SourceLocation, sourceLocationOf } from '../wlans/references.ts'
import type { Entry, MapNode } from '../yaml/tree.ts'
import type { Rule } from './read.ts'
import { invalid, type Schema } from './schema.ts'
import type { Compiler, Evaluator } from './validator.ts'
import { deepestErrorPath, Violations } from './violations.ts'

/** The rules of a policy, ready to judge WLANs. */
export interface RuleSet {
  /**
   * Judges a WLAN. `declared` gives what its fields were made of, `entry` is where it is declared itself.
   */
  evaluate(wlan: Judged, declared: () => MapNode, entry: Entry): void
  /** The rules that these fields break, each with what it says. */
  breaking(fields: ValueObject): readonly Rule[]
  /** Adds which rules are broken, and where. Call it once, after the last WLAN. */
  reportTo(findings: Findings): void
}

type Judged = Pick<DesiredWlan, 'address' | 'fields'>

/** Judges nothing: for WLANs that a run leaves out, and for a policy without rules. */
export const noRules: RuleSet = {
  evaluate: () => undefined,
  breaking: () => [],
  reportTo: () => undefined
}

/** Makes the rules ready; what is wrong with one of them is a finding. Loads what that takes. */
export async function ruleSet(rules: readonly Rule[], findings: Findings): Promise<RuleSet> {
  if (rules.length === 0) return noRules
  const { Compiler, failureOf } = await import('./validator.ts')
  const compiler = new Compiler(new Budget(limits.rulesSteps))
  const ready = rules.flatMap((rule): Ready[] => {
    try {
      const wrong = wrongPatterns(rule, compiler, findings)
      return wrong ? [] : [{ rule, ...compiled(rule, compiler), breaches: new Violations(rule) }]
    } catch (thrown) {
      findings.push(invalid(rule.name, rule.node, failureOf(thrown)))
      return []
    }
  })
  return new CompiledRuleSet(ready, failureOf)
}

/** A rule that can judge. */
interface Ready {
  readonly rule: Rule
  readonly concerns: Evaluator
  readonly require: Evaluator
  readonly breaches: Violations
}

function compiled({ when, require }: Rule, compiler: Compiler) {
  return {
    concerns: when === undefined ? () => [] : compiler.compile(when.data, when.size),
    require: compiler.compile(require.data, require.size)
  }
}

function wrongPatterns({ name, when, require }: Rule, compiler: Compiler, findings: Findings) {
  let wrong = false
  for (const [pattern, place] of [...(when?.patterns ?? []), ...require.patterns]) {
    const problem = compiler.problemOf(pattern)
    if (problem === undefined) continue
    wrong = true
    findings.push(invalid(name, place, `RE2 does not have this pattern: ${problem}`))
  }
  return wrong
}

class CompiledRuleSet implements RuleSet {
  readonly #rules: readonly Ready[]
  readonly #failureOf: (thrown: unknown) => string
  /** Why a rule is not asked any more. */
  readonly #failures = new Map<Rule, string>()
  /** Of blocks that say the same for several sites. */
  readonly #spots = new Map<ValueObject, ReadonlyMap<Ready, SourceLocation>>()

  constructor(rules: readonly Ready[], failureOf: (thrown: unknown) => string) {
    this.#rules = rules
    this.#failureOf = failureOf
  }

  evaluate({ address, fields }: Judged, declared: () => MapNode, entry: Entry): void {
    const spots = this.#spots.get(fields) ?? this.#broken(effective(fields), declared, entry)
    this.#spots.set(fields, spots)
    for (const [{ breaches }, spot] of spots) breaches.add(spot, address)
  }

  /** A rule that cannot be asked any more is broken: nothing may be sent past it. */
  breaking(fields: ValueObject): readonly Rule[] {
    const wlan = effective(fields)
    return this.#rules.flatMap(ready => {
      const complaints = this.#complaints(ready, wlan)
      return complaints === undefined || complaints.length > 0 ? ready.rule : []
    })
  }

  reportTo(findings: Findings): void {
    for (const { rule, breaches } of this.#rules) {
      const failure = this.#failures.get(rule)
      if (failure !== undefined) findings.push(invalid(rule.name, rule.node, failure))
      findings.pushAll(breaches.findings())
    }
  }

  /** The rules that a WLAN breaks, each with the place. */
  #broken(
    wlan: Effective,
    declared: () => MapNode,
    entry: Entry
  ): ReadonlyMap<Ready, SourceLocation> {
    const spots = new Map<Ready, SourceLocation>()
    for (const ready of this.#rules) {
      const complaints = this.#complaints(ready, wlan)
      if (complaints === undefined || complaints.length === 0) continue
      const pointer = deepestErrorPath(complaints)
      const at = atKey(entry)
      const whole = { at, atKey: at, variable: undefined }
      spots.set(ready, pointer === '' ? whole : sourceLocationOf(declared(), pointer))
    }
    return spots
  }

  /** What a rule has against a WLAN; undefined of one that is not asked any more. */
  #complaints({ rule, concerns, require }: Ready, wlan: Effective) {
    if (this.#failures.has(rule)) return undefined
    try {
      if (rule.when && concerns(wlan.value, steps(rule.when, wlan)).length > 0) return []
      return require(wlan.value, steps(rule.require, wlan))
    } catch (thrown) {
      this.#failures.set(rule, this.#failureOf(thrown))
      return undefined
    }
  }
}

/** What judging a WLAN takes at most: some keywords look at every value, others at every character. */
function steps({ cost }: Schema, { size, characters }: Effective): number {
  return cost.once * (1 + Math.floor(characters / 1024)) + cost.each * size
}

/** What stands for a secret where rules look: the same for all of them, known or not. */
const MASK = '(secret)'

/** A WLAN as rules see it. */
export interface Effective {
  /** Plain JSON. */
  readonly value: ValueObject
  /** The values in it. */
  readonly size: number
  /** The characters of its texts. */
  readonly characters: number
}

/** The declared fields of a WLAN, profiles and variables resolved, and no secret among them. */
export function effective(fields: ValueObject): Effective {
  const count = { size: 1, characters: 0 }
  return { value: members(fields, wlanField, count), ...count }
}

interface Count {
  size: number
  characters: number
}

function members(object: ValueObject, field: Field, count: Count): ValueObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, shown(value, field.member(name), count)])
  )
}

function shown(value: Value, field: Field, count: Count): Value {
  count.size += 1
  if (isList(value)) return value.map(item => shown(item, field.item(), count))
  if (isObject(value)) return members(value, field, count)
  if (typeof value === 'string') count.characters += value.length
  return value instanceof Secret || (field.secret && value !== null && value !== '') ? MASK : value
}
