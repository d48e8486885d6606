import { byCodeUnit } from '../../model/collections.ts'
import type { DesiredWlan } from '../../model/desired.ts'
import { type Finding, finding } from '../../model/finding.ts'
import { child, type Pointer } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { Budget, limits } from '../limits.ts'
import type { Rule } from '../policy.ts'
import { type SourceLocation, sourceLocationOf } from '../wlans/references.ts'
import type { Entry, MapNode } from '../yaml/tree.ts'
import { invalid, type Schema } from './schema.ts'
import type { Compiler, Evaluator, RuleError } from './validator.ts'

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

/** Where a rule is broken, and by which WLANs: a place that several share is one. */
export class Violations {
  readonly #rule: Rule
  readonly #places = new Map<string, Breach>()
  #more = 0

  constructor(rule: Rule) {
    this.#rule = rule
  }

  add(spot: SourceLocation, address: string): void {
    const key = JSON.stringify(spot.at.place)
    const breach = this.#places.get(key)
    if (breach !== undefined) breach.addresses.push(address)
    else if (this.#places.size < limits.broken)
      this.#places.set(key, { spot, addresses: [address] })
    else this.#more += 1
  }

  findings(): Finding[] {
    const { name, message, level, node } = this.#rule
    const shown = [...this.#places.values()].map(breach => {
      const { at, variable } = breach.spot
      const addresses = breach.addresses.sort(byCodeUnit)
      const [address = '', ...others] = addresses
      const where = { ...at, ...(others.length === 0 ? { address } : { addresses }) }
      return finding('RULE_BROKEN', where, name, message, level, addresses, variable)
    })
    if (this.#more === 0) return shown
    return [...shown, finding('RULE_BROKEN_OFTEN', at(node), name, this.#more, level)]
  }
}

interface Breach {
  readonly spot: SourceLocation
  readonly addresses: string[]
}

/** What a complaint names of a map that has it too much, by the keywords that forbid it. */
const NAMED = ['additionalProperty', 'unevaluatedProperty', 'propertyName']

/**
 * The field that breaks a rule: the deepest that the schema complains of, the first of several. It is
 * the whole WLAN, `''`, where the complaint is that a field is absent.
 */
function deepestErrorPath(complaints: readonly RuleError[]): Pointer {
  let deepest = { pointer: '', depth: 0 }
  for (const complaint of complaints) {
    const pointer = placeOf(complaint)
    const depth = pointer.split('/').length - 1
    if (depth > deepest.depth) deepest = { pointer, depth }
  }
  return deepest.pointer
}

function placeOf({ instancePath, params }: RuleError): Pointer {
  for (const key of NAMED) {
    const name = params[key]
    if (typeof name === 'string') return child(instancePath, name)
  }
  return instancePath
}
