import type { RuleExplanation } from '../model/explanation.ts'
import { compact } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import type {
  FleetRule,
  LintLevel,
  RuleFacts,
  SiteRule,
  Violation,
  WlanCheck,
  WlanRule
} from './rule.ts'
import { fleetChecks } from './rules/across-sites.ts'
import { authenticationChecks } from './rules/authentication.ts'
import { keyChecks } from './rules/keys.ts'
import { portalChecks } from './rules/portal.ts'
import { radioChecks } from './rules/radio.ts'
import { radiusChecks } from './rules/radius.ts'
import { radiusSecurityChecks } from './rules/radius-security.ts'
import { siteChecks } from './rules/same-site.ts'
import { serviceChecks } from './rules/services.ts'
import { ssidChecks } from './rules/ssid.ts'
import { vlanChecks } from './rules/vlan.ts'
import rows from './rules.json' with { type: 'json' }
import type { WlanView } from './view.ts'
import { parseWhen, pointerOf } from './when.ts'

/** One way to break a rule; absent members are those of the rule. Fields are separated by `, `. */
interface Case {
  /** Words, for each of which the case applies with the word in place of `{}`. */
  readonly each?: string
  /** The condition of a violation; see `when.ts`. */
  readonly when: string
  readonly level?: LintLevel
  readonly message?: string
  /** Default: those that the condition names. */
  readonly fields?: string
  readonly ignored?: string
  /** Default: the word of `each`, or the message, since one message is about one problem. */
  readonly subject?: string
  /** The size of the problem: the number of a field, or of one `-` another, such as `-max_num_clients`. */
  readonly extent?: string
}

/** A rule of `rules.json`: with one condition, with several cases, or with a function for its id. */
interface Row extends Pick<RuleFacts, 'severity' | 'view' | 'fromSecret' | 'isDowngrade'> {
  readonly when?: string
  readonly ignored?: string
  readonly cases?: readonly Case[]
  readonly given?: string
  /** Default: those that its conditions name, or those of `given`. */
  readonly fields?: string
  readonly message: string
  readonly why: string
  readonly condition: string
  readonly advice: string
  readonly source: string
  /** Default: low. */
  readonly falseAlarms?: string
}

const rules = Object.entries(rows as unknown as Readonly<Record<string, Row>>).map(
  ([id, { when, ignored, cases, given: needed, fields: listed, ...texts }]) => {
    const own = when === undefined ? [] : [{ when, ...compact({ fields: listed, ignored }) }]
    const parsed = (cases ?? own).flatMap(forEach).map(parsedCase)
    const given = needed === undefined ? givenOf(parsed) : pointersIn(needed)
    const named = parsed.length === 0 ? (given ?? []) : parsed.flatMap(({ named }) => named)
    const fields = listed === undefined ? [...new Set(named)] : pointersIn(listed)
    const facts: RuleFacts = { falseAlarms: 'low', ...texts, id, fields, ...compact({ given }) }
    return { facts, cases: parsed }
  }
)

/** All rules of the linter, in the order of the reference. */
export const lintRules: readonly RuleFacts[] = rules.map(({ facts }) => facts)

/** The rules about single WLANs, and their changes. */
export const wlanRules: readonly WlanRule[] = withChecks({
  ...Object.fromEntries(
    rules.flatMap(({ facts, cases }) => (cases.length > 0 ? [[facts.id, checkOf(cases)]] : []))
  ),
  ...authenticationChecks,
  ...keyChecks,
  ...portalChecks,
  ...radioChecks,
  ...radiusChecks,
  ...radiusSecurityChecks,
  ...serviceChecks,
  ...ssidChecks,
  ...vlanChecks
})
export const siteRules: readonly SiteRule[] = withChecks(siteChecks)
export const fleetRules: readonly FleetRule[] = withChecks(fleetChecks)

function withChecks<C>(checks: Readonly<Record<string, C>>): (RuleFacts & { readonly check: C })[] {
  return lintRules.flatMap(facts => {
    const check = checks[facts.id]
    return check === undefined ? [] : { ...facts, check }
  })
}

function forEach({ each, ...row }: Case): readonly Case[] {
  if (each === undefined) return [row]
  return each.split(', ').map(word => {
    const members = Object.entries({ subject: word, ...row })
    const filled = members.map(([name, text]) => [name, text.replaceAll('{}', word)])
    return Object.fromEntries(filled) as Case
  })
}

function parsedCase({ when, fields, ignored, extent, ...others }: Case) {
  const { test, fields: named, given } = parseWhen(when)
  const violation: Violation = {
    ...compact({ subject: others.message }),
    ...others,
    fields: fields === undefined ? named : pointersIn(fields),
    ...(ignored !== undefined && { ignored: pointersIn(ignored) })
  }
  return { test, named, given, violationOf: withExtent(violation, extent) }
}

function withExtent(violation: Violation, extent?: string): (wlan: WlanView) => Violation {
  if (extent === undefined) return () => violation
  const [plus = '', minus = ''] = extent.split('-').map(name => name && pointerOf(name))
  const numberOf = (wlan: WlanView, field: Pointer) => (field && wlan.number(field)) || 0
  return wlan => ({ ...violation, extent: numberOf(wlan, plus) - numberOf(wlan, minus) })
}

type ParsedCase = ReturnType<typeof parsedCase>

/** The field without which no case applies, if all of them begin with it. */
function givenOf(cases: readonly ParsedCase[]): Pointer[] | undefined {
  const [given, ...others] = new Set(cases.map(each => each.given))
  return given === undefined || others.length > 0 ? undefined : [given]
}

function checkOf(cases: readonly ParsedCase[]): WlanCheck {
  const [only, ...others] = cases
  if (only !== undefined && others.length === 0) {
    return (wlan, before) => (only.test(wlan, before) ? [only.violationOf(wlan)] : none)
  }
  return (wlan, before) =>
    cases.map(({ test, violationOf }) => test(wlan, before) && violationOf(wlan))
}

const none: readonly Violation[] = []

function pointersIn(names: string): Pointer[] {
  return names.split(', ').map(pointerOf)
}

const scopes = { D: 'WLAN', T: 'change', S: 'site', F: 'fleet' } as const

/** The explanation of a rule; undefined for an unknown id. */
export function explainRule(id: string): RuleExplanation | undefined {
  const rule = lintRules.find(each => each.id === id)
  if (rule === undefined) return undefined
  const { severity, message: title, why, condition, advice, source, falseAlarms, fields } = rule
  const scope = rule.view === undefined ? 'WLAN' : scopes[rule.view]
  return { id, severity, title, why, condition, advice, source, falseAlarms, fields, scope }
}
