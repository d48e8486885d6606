import type { DesiredWlan } from '../../model/desired.ts'
import { type Finding, finding } from '../../model/finding.ts'
import type {
  FleetRules,
  PolicyRule,
  RuleSite,
  RuleSubject,
  RuleViolation
} from '../../model/fleet-rules.ts'
import { fromEntries, type ValueObject } from '../../model/value.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { Budget, limits } from '../limits.ts'
import type { Rule } from '../policy.ts'
import type { Waivers } from '../waivers.ts'
import { type SourceLocation, sourceLocationOf } from '../wlans/references.ts'
import type { Entry, MapNode } from '../yaml/tree.ts'
import { completed, type Effective, effective } from './effective.ts'
import { conjunctsOf, namedIn, readsNamedOnly, readsUnknown, type UnknownValue } from './reads.ts'
import { invalid, type Schema } from './schema.ts'
import type { Compiler, Evaluator, RuleError } from './validator.ts'
import { deepestErrorPath, isNoWorse, Violations } from './violations.ts'

/** The compiled rules of a policy. */
export interface RuleSet extends FleetRules {
  /**
   * Evaluates a WLAN as the files declare it. `declared` returns its merged declaration, `entry` is its own
   * declaration, and `site` returns the site as rules read it.
   */
  evaluate(wlan: EvaluatedWlan, declared: () => MapNode, entry: Entry, site: () => RuleSite): void
  /**
   * Adds the findings of `evaluate` with their places; with `isWhole` also the rules that apply to no WLAN.
   * Call it once, after the last WLAN.
   */
  reportTo(findings: Findings, isWhole: boolean): void
  /** True if a rule reads `$site`. */
  readonly readsSite: boolean
  /** True if `evaluate` does nothing, so that callers can skip it. */
  readonly isEmpty: boolean
}

type EvaluatedWlan = Pick<DesiredWlan, 'address' | 'key' | 'fields'>

/** A rule set without rules: for excluded WLANs, and for a policy without rules. */
export const noRules: RuleSet = {
  evaluate: () => undefined,
  reportTo: () => undefined,
  fields: new Set(),
  readsSite: false,
  isEmpty: true,
  readsLive: false,
  appliesToUnmanaged: false,
  evaluateLive: () => [],
  evaluateUnmanaged: () => [],
  problems: () => []
}

/** Compiles the rules; an invalid rule is a finding. Loads the libraries for that. */
export async function ruleSet(
  rules: readonly Rule[],
  waivers: Waivers,
  findings: Findings
): Promise<RuleSet> {
  if (rules.length === 0) return noRules
  const { Compiler, failureOf } = await import('./validator.ts')
  const budget = new Budget(limits.rulesSteps)
  const compiler = new Compiler(budget)
  const ready = rules.flatMap((rule): CompiledRule[] => {
    try {
      const wrong = wrongPatterns(rule, compiler, findings)
      return wrong ? [] : [new CompiledRule(rule, compiler)]
    } catch (thrown) {
      findings.push(invalid(rule.name, rule.node, failureOf(thrown)))
      return []
    }
  })
  return new CompiledRuleSet(ready, { budget, waivers, failureOf })
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

const CONTEXT = ['$site', '$live'] as const

/** A rule with its compiled schemas. */
class CompiledRule {
  readonly rule: Rule
  readonly about: PolicyRule
  readonly violations: Violations
  /** True if a WLAN matches `when`, or may match it. */
  isUsed: boolean
  /** The names among `$site` and `$live` that the rule reads. */
  readonly context: readonly ('$site' | '$live')[]
  readonly #compiler: Compiler
  readonly #concerns: Evaluator | undefined
  readonly #require: Evaluator
  #conjuncts: readonly { readonly data: ValueObject; readonly evaluate: Evaluator }[] | undefined

  constructor(rule: Rule, compiler: Compiler) {
    const { name, message, level, over, when, require, node } = rule
    this.rule = rule
    this.about = { name, message, level, over, place: node.source.place(node.offset) }
    this.violations = new Violations(rule)
    this.isUsed = when === undefined
    const read = [when, require].flatMap(schema => [...(schema ? namedIn(schema.data) : [])])
    this.context = CONTEXT.filter(name => read.includes(name))
    this.#compiler = compiler
    this.#concerns = when && compiler.compile(when.data, when.size)
    this.#require = compiler.compile(require.data, require.size)
  }

  /** The errors of a WLAN, apart from errors about unknown values. Throws the errors of the libraries. */
  errors(wlan: Effective): readonly RuleError[] {
    const { when, require } = this.rule
    const value = this.#valueOf(wlan)
    if (when && this.#concerns) {
      if (this.#concerns(value, steps(when, wlan)).length > 0) return []
      this.isUsed = true
    }
    const errors = this.#require(value, steps(require, wlan))
    if (errors.length === 0) return errors
    const places = [...wlan.unknown, ...this.#unknownContext(wlan)]
    if (when && places.some(place => readsUnknown(when.data, place))) return []
    const unknown = places.filter(place => readsUnknown(require.data, place))
    if (unknown.length === 0) return errors
    this.#conjuncts ??= conjunctsOf(require.data).map(data => ({
      data,
      evaluate: this.#compiler.compile(data, require.size)
    }))
    return this.#conjuncts
      .filter(({ data }) => !unknown.some(place => readsUnknown(data, place)))
      .flatMap(({ evaluate }) => evaluate(value, steps(require, wlan)))
  }

  #valueOf({ value, context }: Effective): ValueObject {
    if (this.context.length === 0) return value
    const known = this.context.flatMap(name => {
      const part = context[name]
      return part === undefined ? [] : [[name, part] as const]
    })
    return fromEntries([...Object.entries(value), ...known])
  }

  #unknownContext({ context }: Effective): readonly UnknownValue[] {
    return this.context
      .filter(name => context[name] === undefined)
      .map(name => ({ steps: [name], isPresent: false }))
  }
}

/** The state that the rules of a run share. */
interface RuleRun {
  readonly budget: Budget
  readonly waivers: Waivers
  readonly failureOf: (thrown: unknown) => string
}

class CompiledRuleSet implements RuleSet {
  readonly fields: ReadonlySet<string> | undefined
  readonly readsSite: boolean
  readonly isEmpty = false
  readonly readsLive: boolean
  readonly appliesToUnmanaged: boolean
  readonly #rules: readonly CompiledRule[]
  readonly #budget: Budget
  readonly #waivers: Waivers
  readonly #failureOf: (thrown: unknown) => string
  /** The fields that the rules mention; they get their documented defaults. */
  readonly #named: ReadonlySet<string>
  /** The reason why a rule is no longer evaluated. */
  readonly #failures = new Map<CompiledRule, string>()
  /** The places by the fields, which several sites share. */
  readonly #locations = new Map<ValueObject, ReadonlyMap<CompiledRule, SourceLocation>>()

  constructor(rules: readonly CompiledRule[], { budget, waivers, failureOf }: RuleRun) {
    this.#rules = rules
    this.#budget = budget
    this.#waivers = waivers
    this.#failureOf = failureOf
    const schemas = rules.flatMap(({ rule: { when, require } }) => [
      ...(when ? [when] : []),
      require
    ])
    const named = new Set(schemas.flatMap(({ data }) => [...namedIn(data)]))
    this.readsSite = named.delete('$site')
    this.readsLive = named.delete('$live')
    this.#named = named
    this.fields = schemas.every(({ data }) => readsNamedOnly(data)) ? named : undefined
    this.appliesToUnmanaged = rules.some(({ rule }) => rule.over === 'all')
  }

  evaluate(
    { address, key, fields }: EvaluatedWlan,
    declared: () => MapNode,
    entry: Entry,
    site: () => RuleSite
  ): void {
    const kept = this.#locations.get(fields)
    const locations = kept ?? this.#broken(fields, declared, entry, site)
    if (!this.readsSite) this.#locations.set(fields, locations)
    for (const [{ rule, violations }, location] of locations) {
      const subject = () => ({ site: site(), wlan: key })
      violations.add(location, address, this.#waivers.covering(rule.name, subject))
    }
  }

  evaluateLive(after: RuleSubject, before: RuleSubject): readonly RuleViolation[] {
    return this.#violations(this.#rules, after, before)
  }

  evaluateUnmanaged(live: RuleSubject): readonly RuleViolation[] {
    return this.#violations(
      this.#rules.filter(({ rule }) => rule.over === 'all'),
      live,
      live
    )
  }

  problems(isWhole: boolean): readonly Finding[] {
    const failed = [...this.#failures].map(([{ about }, problem]) =>
      finding('RULE_FAILED', { place: about.place, rule: about.name }, about.name, problem)
    )
    return [...failed, ...this.#unused(isWhole)]
  }

  reportTo(findings: Findings, isWhole: boolean): void {
    for (const ready of this.#rules) {
      const { rule, violations } = ready
      findings.pushAll(violations.findings())
      const failure = this.#failures.get(ready)
      if (failure !== undefined) findings.push(invalid(rule.name, rule.node, failure))
    }
    findings.pushAll(this.#unused(isWhole))
    findings.pushAll(this.#waivers.problems(() => false))
  }

  #unused(isWhole: boolean): readonly Finding[] {
    const unused = this.#rules.filter(each => !each.isUsed && !this.#failures.has(each))
    if (!isWhole) return []
    return unused.map(({ rule: { name, node } }) => finding('RULE_UNUSED', at(node), name))
  }

  #violations(
    rules: readonly CompiledRule[],
    after: RuleSubject,
    before: RuleSubject
  ): readonly RuleViolation[] {
    this.#budget.grant(limits.wlanRuleSteps)
    const wlan = completed(after, this.#named, this.readsLive)
    let was: Effective | undefined
    return rules.flatMap(ready => {
      const errors = this.#errors(ready, wlan) ?? []
      if (errors.length === 0) return []
      const violation = { rule: ready.about, pointer: deepestErrorPath(errors) }
      if (before === after) return { ...violation, existing: true }
      was ??= completed(before, this.#named, this.readsLive)
      const earlier = { errors: this.#errors(ready, was) ?? [], value: was.value }
      return { ...violation, existing: isNoWorse(earlier, { errors, value: wlan.value }) }
    })
  }

  /** The rules that a WLAN breaks, each with its place. */
  #broken(
    fields: ValueObject,
    declared: () => MapNode,
    entry: Entry,
    site: () => RuleSite
  ): ReadonlyMap<CompiledRule, SourceLocation> {
    const wlan = effective(fields, this.readsSite ? site() : undefined)
    const locations = new Map<CompiledRule, SourceLocation>()
    for (const ready of this.#rules) {
      const errors = this.#errors(ready, wlan) ?? []
      ready.isUsed ||= mayConcern(ready.rule, wlan)
      if (errors.length === 0) continue
      const pointer = deepestErrorPath(errors)
      const at = atKey(entry)
      const whole = { at, atKey: at, variable: undefined }
      locations.set(ready, pointer === '' ? whole : sourceLocationOf(declared(), pointer))
    }
    return locations
  }

  /** The errors of a WLAN under a rule; undefined if the rule failed. */
  #errors(ready: CompiledRule, wlan: Effective): readonly RuleError[] | undefined {
    if (this.#failures.has(ready)) return undefined
    try {
      return ready.errors(wlan)
    } catch (thrown) {
      this.#failures.set(ready, this.#failureOf(thrown))
      return undefined
    }
  }
}

/** True if a WLAN may match `when` because of values that the files do not declare. */
function mayConcern({ when }: Rule, { value }: Effective): boolean {
  if (when === undefined || !readsNamedOnly(when.data)) return true
  return [...namedIn(when.data)].some(name => name !== '$site' && !Object.hasOwn(value, name))
}

/** The maximum number of steps to evaluate a WLAN: some keywords read every value, others every character. */
function steps({ cost }: Schema, { size, characters }: Effective): number {
  return cost.once * (1 + Math.floor(characters / 1024)) + cost.each * size
}
