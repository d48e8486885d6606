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

/** The compiled rules of a policy. */
export interface RuleSet {
  /**
   * Evaluates a WLAN. `declared` returns its merged declaration, `entry` is its own declaration.
   */
  evaluate(wlan: EvaluatedWlan, declared: () => MapNode, entry: Entry): void
  /** The rules that these fields break. */
  breaking(fields: ValueObject): readonly Rule[]
  /** Adds which rules are broken, and where. Call it once, after the last WLAN. */
  reportTo(findings: Findings): void
}

type EvaluatedWlan = Pick<DesiredWlan, 'address' | 'fields'>

/** Evaluates nothing: for excluded WLANs, and for a policy without rules. */
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
  const ready = rules.flatMap((rule): CompiledRule[] => {
    try {
      const wrong = wrongPatterns(rule, compiler, findings)
      return wrong ? [] : [{ rule, ...compiled(rule, compiler), violations: new Violations(rule) }]
    } catch (thrown) {
      findings.push(invalid(rule.name, rule.node, failureOf(thrown)))
      return []
    }
  })
  return new CompiledRuleSet(ready, failureOf)
}

/** A rule with its compiled schemas. */
interface CompiledRule {
  readonly rule: Rule
  readonly concerns: Evaluator
  readonly require: Evaluator
  readonly violations: Violations
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
  readonly #rules: readonly CompiledRule[]
  readonly #failureOf: (thrown: unknown) => string
  /** Why a rule is no longer evaluated. */
  readonly #failures = new Map<Rule, string>()
  /** By the fields, which several sites share. */
  readonly #locations = new Map<ValueObject, ReadonlyMap<CompiledRule, SourceLocation>>()

  constructor(rules: readonly CompiledRule[], failureOf: (thrown: unknown) => string) {
    this.#rules = rules
    this.#failureOf = failureOf
  }

  evaluate({ address, fields }: EvaluatedWlan, declared: () => MapNode, entry: Entry): void {
    const locations =
      this.#locations.get(fields) ?? this.#broken(effective(fields), declared, entry)
    this.#locations.set(fields, locations)
    for (const [{ violations }, location] of locations) violations.add(location, address)
  }

  /** A rule that failed counts as broken: it must not let an update pass. */
  breaking(fields: ValueObject): readonly Rule[] {
    const wlan = effective(fields)
    return this.#rules.flatMap(ready => {
      const errors = this.#errors(ready, wlan)
      return errors === undefined || errors.length > 0 ? ready.rule : []
    })
  }

  reportTo(findings: Findings): void {
    for (const { rule, violations } of this.#rules) {
      const failure = this.#failures.get(rule)
      if (failure !== undefined) findings.push(invalid(rule.name, rule.node, failure))
      findings.pushAll(violations.findings())
    }
  }

  /** The rules that a WLAN breaks, each with the place. */
  #broken(
    wlan: Effective,
    declared: () => MapNode,
    entry: Entry
  ): ReadonlyMap<CompiledRule, SourceLocation> {
    const locations = new Map<CompiledRule, SourceLocation>()
    for (const ready of this.#rules) {
      const errors = this.#errors(ready, wlan)
      if (errors === undefined || errors.length === 0) continue
      const pointer = deepestErrorPath(errors)
      const at = atKey(entry)
      const whole = { at, atKey: at, variable: undefined }
      locations.set(ready, pointer === '' ? whole : sourceLocationOf(declared(), pointer))
    }
    return locations
  }

  /** The errors of a WLAN under a rule; undefined if the rule failed. */
  #errors({ rule, concerns, require }: CompiledRule, wlan: Effective) {
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

/** The steps to evaluate a WLAN at most: some keywords read every value, others every character. */
function steps({ cost }: Schema, { size, characters }: Effective): number {
  return cost.once * (1 + Math.floor(characters / 1024)) + cost.each * size
}

/** Rules see this text in place of every secret. */
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
    Object.entries(object).map(([name, value]) => [
      name,
      redacted(value, field.member(name), count)
    ])
  )
}

function redacted(value: Value, field: Field, count: Count): Value {
  count.size += 1
  if (isList(value)) return value.map(item => redacted(item, field.item(), count))
  if (isObject(value)) return members(value, field, count)
  if (typeof value === 'string') count.characters += value.length
  return value instanceof Secret || (field.secret && value !== null && value !== '') ? MASK : value
}

/** Where a rule is broken, and by which WLANs: a place that several share is one. */
export class Violations {
  readonly #rule: Rule
  readonly #places = new Map<string, Violation>()
  #more = 0

  constructor(rule: Rule) {
    this.#rule = rule
  }

  add(location: SourceLocation, address: string): void {
    const key = JSON.stringify(location.at.place)
    const violation = this.#places.get(key)
    if (violation !== undefined) violation.addresses.push(address)
    else if (this.#places.size < limits.broken)
      this.#places.set(key, { location, addresses: [address] })
    else this.#more += 1
  }

  findings(): Finding[] {
    const { name, message, level, node } = this.#rule
    const shown = [...this.#places.values()].map(violation => {
      const { at, variable } = violation.location
      const addresses = violation.addresses.sort(byCodeUnit)
      const [address = '', ...others] = addresses
      const about = others.length === 0 ? { address } : { addresses }
      const where = { ...at, ...about, rule: name }
      return finding('RULE_BROKEN', where, name, message, level, addresses, variable)
    })
    if (this.#more === 0) return shown
    return [...shown, finding('RULE_BROKEN_OFTEN', at(node), name, this.#more, level)]
  }
}

interface Violation {
  readonly location: SourceLocation
  readonly addresses: string[]
}

/** What a error names of a map that has it too much, by the keywords that forbid it. */
const NAME_PARAMS = ['additionalProperty', 'unevaluatedProperty', 'propertyName']

/**
 * The field that breaks a rule: the deepest that the schema complains of, the first of several. It is
 * the whole WLAN, `''`, where the error is that a field is absent.
 */
function deepestErrorPath(errors: readonly RuleError[]): Pointer {
  let deepest = { pointer: '', depth: 0 }
  for (const error of errors) {
    const pointer = placeOf(error)
    const depth = pointer.split('/').length - 1
    if (depth > deepest.depth) deepest = { pointer, depth }
  }
  return deepest.pointer
}

function placeOf({ instancePath, params }: RuleError): Pointer {
  for (const key of NAME_PARAMS) {
    const name = params[key]
    if (typeof name === 'string') return child(instancePath, name)
  }
  return instancePath
}
