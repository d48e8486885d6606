import type { DesiredSite, DesiredWlan, Policy } from '../../../core/model/desired.ts'
import { type Finding, finding } from '../../../core/model/finding.ts'
import type {
  FleetRules,
  PolicyRule,
  RuleSite,
  RuleSubject,
  RuleViolation
} from '../../../core/model/fleet-rules.ts'
import { compact, objectOf } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { member, type ValueObject } from '../../../core/values/value.ts'
import { at, atKey } from '../../files/source.ts'
import { Findings } from '../../findings.ts'
import { nodesOfObject, SECONDS_OF_LIVE_WLAN } from '../../limits.ts'
import { FleetTooLarge, type RunTime, type Usage } from '../../usage.ts'
import { type SourceLocation, sourceLocationOf } from '../../wlans/references.ts'
import type { Entry, MapNode, Node } from '../../yaml/tree.ts'
import type { Rule } from '../policy.ts'
import type { Waivers } from '../waivers.ts'
import { compileConditions } from './conditions.ts'
import { completed, effective } from './effective.ts'
import { type Effective, type Requirement, type RuleError, RuleTooLarge } from './evaluation.ts'
import type { Patterns } from './patterns.ts'
import { compileSchema, invalid, type SchemaReport, whereOf } from './schema.ts'
import { deepestErrorPath, isNoWorse, Violations } from './violations.ts'

/** The site as rules and waivers see it at the base; undefined if they see the same. */
export type SiteAtBase = (site: Pick<RuleSite, 'id'>) => RuleSite | undefined

type EvaluatedWlan = Pick<DesiredWlan, 'address' | 'key' | 'fields'>

export interface RuleRun {
  readonly waivers: Waivers
  readonly unknownFields: Policy['unknownFields']
  readonly findings: Findings
  readonly usage: Usage
  readonly siteAtBase?: SiteAtBase
}

/** Compiles the rules; undefined without any. An invalid rule is a finding. Loads the library for patterns. */
export async function ruleSet(
  rules: readonly Rule[],
  { waivers, unknownFields, findings, usage, siteAtBase = () => undefined }: RuleRun
): Promise<RuleSet | undefined> {
  if (rules.length === 0) return undefined
  const { Patterns } = await import('./patterns.ts')
  const patterns = new Patterns(usage.time)
  const ready = rules.flatMap(rule => {
    if (rule.revision === undefined) return compiled(rule, patterns, unknownFields, findings) ?? []
    const wrong = new Findings()
    const made = compiled(rule, patterns, 'warn', wrong)
    if (made === undefined) findings.push(finding('BASE_WRONG', {}, rule.revision, wrong.first()))
    return made ?? []
  })
  return new RuleSet(ready, usage, waivers, siteAtBase)
}

function compiled(
  rule: Rule,
  patterns: Patterns,
  unknownFields: Policy['unknownFields'],
  findings: Findings
): CompiledRule | undefined {
  const { name, node } = rule
  const report: SchemaReport = {
    invalid: (place, problem, hint) => findings.push(invalid(name, place, problem, hint)),
    unknownField: (place, field, near, places) => {
      const where = whereOf(place)
      findings.push(finding('RULE_FIELD_UNKNOWN', where, name, field, near, unknownFields, places))
    }
  }
  try {
    const requirementIn = (part: Node) =>
      part.kind === 'map'
        ? compileSchema(part, patterns, report)
        : compileConditions(part, findings, report)
    const when = rule.when && requirementIn(rule.when)
    const require = requirementIn(rule.require)
    const isInvalid = require === undefined || (rule.when !== undefined && when === undefined)
    return isInvalid ? undefined : new CompiledRule(rule, when, require)
  } catch (thrown) {
    findings.push(invalid(name, node, failureOf(thrown)))
    return undefined
  }
}

function failureOf(thrown: unknown): string {
  if (thrown instanceof RuleTooLarge) return thrown.message
  throw thrown
}

class CompiledRule {
  readonly rule: Rule
  readonly about: PolicyRule
  readonly violations: Violations
  readonly requirements: readonly Requirement[]
  /** True if a WLAN matches `when`, or may match it. */
  isUsed: boolean
  readonly #when: Requirement | undefined
  readonly #require: Requirement

  constructor(rule: Rule, when: Requirement | undefined, require: Requirement) {
    const { name, message, level, over, node, revision } = rule
    this.rule = rule
    const place = node.source.place(node.offset)
    this.about = { name, message, level, over, place: { ...place, ...compact({ revision }) } }
    this.violations = new Violations(rule)
    this.isUsed = when === undefined
    this.#when = when
    this.#require = require
    this.requirements = when === undefined ? [require] : [when, require]
  }

  /** The errors of a WLAN; none if it is unknown whether it breaks the rule. */
  errors(wlan: Effective, time: RunTime): readonly RuleError[] {
    const isConcerned = this.#when?.matches(wlan, time) !== false
    this.isUsed ||= isConcerned || this.#when?.errors(wlan, time).length === 0
    return isConcerned ? this.#require.errors(wlan, time) : []
  }

  /** Marks the rule as used if a WLAN may match `when` because of values that the files do not declare. */
  considerUndeclared({ value }: Effective): void {
    if (this.isUsed || this.#when === undefined) return
    const { named, readsAll } = this.#when
    this.isUsed =
      readsAll || [...named].some(name => name !== '$site' && !Object.hasOwn(value, name))
  }
}

interface ChangedWlan {
  readonly site: DesiredSite
  readonly fields: ValueObject
  /** Absent for a new WLAN. */
  readonly fieldsAtBase?: ValueObject
}

/** The WLANs of a site with another declaration than at the base, by address; none without a base. */
function changedSince(site: DesiredSite): ReadonlyMap<string, ChangedWlan> {
  const changed = site.wlans.flatMap(({ address, key, fields }) => {
    const change = site.sinceBase?.wlans.get(key)
    return change === undefined ? [] : [[address, { site, fields, ...change }] as const]
  })
  return new Map(changed)
}

type Broken = ReadonlyMap<CompiledRule, Pointer>
type Places = ReadonlyMap<CompiledRule, SourceLocation>

export class RuleSet implements FleetRules {
  readonly readsSite: boolean
  readonly #rules: readonly CompiledRule[]
  readonly #usage: Usage
  readonly #waivers: Waivers
  readonly #siteAtBase: SiteAtBase
  /** The fields that the rules mention; they get their documented defaults. */
  readonly #named: ReadonlySet<string>
  /** True if the rules may read other fields, too. */
  readonly #readsAll: boolean
  readonly #readsLive: boolean
  readonly #failures = new Map<CompiledRule, string>()
  /** The broken rules by the fields, which equal WLANs share; each with the field that breaks it. */
  readonly #broken = new Map<ValueObject, Broken>()
  /** The places of these fields by the block, which several sites share. */
  readonly #locations = new WeakMap<Entry, { readonly broken: Broken; readonly places: Places }>()

  constructor(
    rules: readonly CompiledRule[],
    usage: Usage,
    waivers: Waivers,
    siteAtBase: SiteAtBase
  ) {
    this.#siteAtBase = siteAtBase
    this.#rules = rules
    this.#usage = usage
    this.#waivers = waivers
    const requirements = rules.flatMap(rule => rule.requirements)
    const named = new Set(requirements.flatMap(each => [...each.named]))
    this.readsSite = named.delete('$site')
    this.#readsLive = named.delete('$live')
    this.#named = named
    this.#readsAll = requirements.some(({ readsAll }) => readsAll)
  }

  /** `declared` returns the merged declaration, `entry` is its own, `site` is as rules read it. */
  evaluate(
    { address, key, fields }: EvaluatedWlan,
    declared: () => MapNode,
    entry: Entry,
    site: () => RuleSite
  ): void {
    const broken = this.#broken.get(fields) ?? this.#brokenBy(fields, site)
    if (!this.readsSite) this.#broken.set(fields, broken)
    if (broken.size === 0) return
    for (const [{ rule, violations }, location] of this.#placesOf(broken, declared, entry)) {
      this.#usage.add('nodes', nodesOfObject(1))
      const subject = () => ({ site: this.#withBase(site()), wlan: key })
      violations.add(location, address, this.#waivers.covering(rule.name, subject))
    }
  }

  evaluateLive(
    after: RuleSubject,
    before: RuleSubject,
    over: PolicyRule['over']
  ): readonly RuleViolation[] {
    const rules = this.#rules.filter(({ rule }) => over === 'managed' || rule.over === 'all')
    if (rules.length === 0) return []
    const { time } = this.#usage
    time.extend(SECONDS_OF_LIVE_WLAN)
    try {
      return time.measure(() => this.#brokenLive(rules, after, before))
    } catch (thrown) {
      if (!(thrown instanceof FleetTooLarge)) throw thrown
      for (const rule of rules) this.#failures.set(rule, thrown.message)
      return []
    }
  }

  #brokenLive(
    rules: readonly CompiledRule[],
    after: RuleSubject,
    before: RuleSubject
  ): readonly RuleViolation[] {
    this.#usage.time.check()
    const { site, siteAtBase, atBase } = after
    const earlier = [
      ...(before === after ? [] : [before]),
      ...(atBase === undefined ? [] : [{ ...after, fields: atBase, live: atBase }])
    ]
    const sites = siteAtBase === undefined || !this.readsSite ? [site] : [site, siteAtBase]
    const known = new Map<PolicyRule, RuleViolation>()
    for (const site of sites) {
      const at = (subject: RuleSubject) => ({ ...subject, site })
      for (const violation of this.#violationsAt(rules, at(after), earlier.map(at))) {
        if (known.get(violation.rule)?.existing !== false) known.set(violation.rule, violation)
      }
    }
    return [...known.values()]
  }

  problems(isWhole: boolean): readonly Finding[] {
    const failed = [...this.#failures].map(([{ about }, problem]) =>
      finding('RULE_FAILED', { place: about.place, rule: about.name }, about.name, problem)
    )
    return [...failed, ...this.#unused(isWhole)]
  }

  /**
   * Adds the findings of `evaluate`; with `isWhole` also of rules that apply to no WLAN. Call it once, at the end. An error
   * that WLANs had before is a warning: `compared` are the sites with their changes since a base, absent without one.
   */
  reportTo(findings: Findings, isWhole: boolean, compared?: readonly DesiredSite[]): void {
    const since = compared && new Map(compared.flatMap(site => [...changedSince(site)]))
    for (const ready of this.#rules) {
      const { rule, violations } = ready
      const isNew = (address: string) => {
        const change = since?.get(address)
        return since === undefined || (change !== undefined && this.#isNewlyBroken(ready, change))
      }
      findings.pushAll(violations.findings(isNew))
      const failure = this.#failures.get(ready)
      if (failure !== undefined) findings.push(invalid(rule.name, rule.node, failure))
    }
    findings.pushAll(this.#unused(isWhole))
    findings.pushAll(this.#waivers.problems(() => false))
  }

  #isNewlyBroken(ready: CompiledRule, { site, fields, fieldsAtBase }: ChangedWlan): boolean {
    if (fieldsAtBase === undefined) return true
    const errors = (of: ValueObject, seen: RuleSite) => this.#errors(ready, effective(of, seen))
    const sites = [site, this.#siteAtBase(site) ?? site]
    return sites.some(seen => !isNoWorse(errors(fieldsAtBase, seen), errors(fields, seen)))
  }

  #unused(isWhole: boolean): readonly Finding[] {
    const unused = this.#rules.filter(
      each => !each.isUsed && each.rule.revision === undefined && !this.#failures.has(each)
    )
    if (!isWhole) return []
    return unused.map(({ rule: { name, node } }) => finding('RULE_UNUSED', at(node), name))
  }

  /** A violation is an existing one if all earlier states have it. */
  #violationsAt(
    rules: readonly CompiledRule[],
    after: RuleSubject,
    earlier: readonly RuleSubject[]
  ): readonly RuleViolation[] {
    const now = this.#completed(after)
    const broken = rules.flatMap(ready => {
      const errors = this.#errors(ready, now)
      return errors.length === 0 ? [] : [{ ready, errors }]
    })
    if (broken.length === 0) return []
    const states = earlier.map(subject => this.#completed(subject))
    return broken.map(({ ready, errors }) => ({
      rule: ready.about,
      pointer: deepestErrorPath(errors),
      existing: states.every(was => isNoWorse(this.#errors(ready, was), errors))
    }))
  }

  #completed(subject: RuleSubject): Effective {
    const names = this.#readsAll ? Object.keys(subject.fields) : [...this.#named]
    const fields = objectOf(names, name => member(subject.fields, name))
    return completed({ ...subject, fields }, this.#named, this.#readsLive)
  }

  #placesOf(broken: Broken, declared: () => MapNode, entry: Entry): Places {
    const kept = this.#locations.get(entry)
    if (kept?.broken === broken) return kept.places
    const at = atKey(entry)
    const whole = { at, atKey: at, variable: undefined }
    const places = new Map(
      [...broken].map(([ready, pointer]) => [
        ready,
        pointer === '' ? whole : sourceLocationOf(declared(), pointer)
      ])
    )
    this.#locations.set(entry, { broken, places })
    return places
  }

  #brokenBy(fields: ValueObject, site: () => RuleSite): Broken {
    const broken = new Map<CompiledRule, Pointer>()
    const now = this.readsSite ? site() : undefined
    const was = now && this.#siteAtBase(now)
    for (const each of was === undefined ? [now] : [now, was]) {
      const wlan = effective(fields, each)
      for (const ready of this.#rules) {
        const errors = this.#errors(ready, wlan)
        ready.considerUndeclared(wlan)
        if (errors.length > 0) broken.set(ready, deepestErrorPath(errors))
      }
    }
    return broken
  }

  #withBase(site: RuleSite): RuleSite & { readonly sinceBase?: { readonly site: RuleSite } } {
    const was = this.#siteAtBase(site)
    return was === undefined ? site : { ...site, sinceBase: { site: was } }
  }

  #errors(ready: CompiledRule, wlan: Effective): readonly RuleError[] {
    if (this.#failures.has(ready)) return []
    try {
      return ready.errors(wlan, this.#usage.time)
    } catch (thrown) {
      this.#failures.set(ready, failureOf(thrown))
      return []
    }
  }
}
