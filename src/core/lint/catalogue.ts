import type { RuleExplanation } from '../model/explanation.ts'
import { compact } from '../values/collections.ts'
import { fieldNames, type Pointer } from '../values/pointer.ts'
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
import { keyChecks } from './rules/keys.ts'
import { networkChecks } from './rules/network.ts'
import { portalChecks } from './rules/portal.ts'
import { radiusChecks } from './rules/radius.ts'
import { siteChecks } from './rules/same-site.ts'
import { serviceChecks } from './rules/services.ts'
import rows from './rules.json' with { type: 'json' }
import type { WlanView } from './view.ts'
import { parseWhen, pointerOf } from './when.ts'

/** In lists of fields and messages: the fields of the conditions `any` that are met. */
const MET = '{*}'

type CaseLevel = LintLevel | `${LintLevel} if ${string} else ${LintLevel}`

/** One way to break a rule; absent members are those of the rule. Fields are separated by `, `. */
interface Case {
  /** Words, for each of which the case applies with the word in place of `{}`. */
  readonly each?: string
  /** The condition of a violation; see `when.ts`. */
  readonly when: string
  /** The case does not apply under this condition. Where it is unknown, the case applies: it must not decide alone. */
  readonly unless?: string
  /** At least one of these applies, too: the fields of those that do are `{*}` in `fields`, `ignored` and `message`. */
  readonly any?: string
  readonly level?: CaseLevel
  readonly message?: string
  /** Default: those that the condition names. */
  readonly fields?: string
  readonly ignored?: string
  /** Default: the word of `each`, or the message, since one message is about one problem. */
  readonly subject?: string
  /** The size: the number of a field, or of one `-` another; by default, how many `any` apply. */
  readonly extent?: string
}

/** A rule of `rules.json`: with one condition, with several cases, with a function for its id, or with these. */
interface Row extends Pick<RuleFacts, 'severity' | 'view' | 'fromSecret' | 'isDowngrade'> {
  readonly when?: string
  /** The level of cases without one. */
  readonly level?: CaseLevel
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
  ([id, { when, level, ignored, cases, given: needed, fields: listed, ...texts }]) => {
    const own = when === undefined ? [] : [{ when, ...compact({ fields: listed, ignored }) }]
    const leveled = (cases ?? own).map(each => ({ ...compact({ level }), ...each }))
    const parsed = leveled.flatMap(forEach).map(parsedCase)
    const given = needed === undefined ? givenOf(parsed) : pointersIn(needed)
    const named = parsed.length === 0 ? (given ?? []) : parsed.flatMap(({ named }) => named)
    const fields = listed === undefined ? [...new Set(named)] : pointersIn(listed)
    const facts: RuleFacts = { falseAlarms: 'low', ...texts, id, fields, ...compact({ given }) }
    return { facts, cases: parsed }
  }
)

/** All rules of the linter, in the order of the reference. */
export const lintRules: readonly RuleFacts[] = rules.map(({ facts }) => facts)

const wlanFunctions: Readonly<Record<string, WlanCheck>> = {
  ...keyChecks,
  ...networkChecks,
  ...portalChecks,
  ...radiusChecks,
  ...serviceChecks
}

/** The rules about single WLANs, and their changes. */
export const wlanRules: readonly WlanRule[] = withChecks(
  Object.fromEntries(
    rules.flatMap(({ facts: { id }, cases }) => {
      const check = checkOf(cases, wlanFunctions[id])
      return check === undefined ? [] : [[id, check]]
    })
  )
)
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

interface ParsedCase {
  readonly named: readonly Pointer[]
  readonly given: Pointer | undefined
  readonly violation: (wlan: WlanView, before: WlanView | undefined) => Violation | undefined
}

function parsedCase(row: Case): ParsedCase {
  const { when, unless, any, level, message, fields, ignored, extent, subject = message } = row
  const { test, fields: named, given } = parseWhen(when)
  const exception = unless === undefined ? undefined : parseWhen(unless).test
  const parts = any?.split(', ').map(parseWhen)
  const levelOf = parsedLevel(level)
  const fieldsOf = fields === undefined ? () => named : parsedList(fields)
  const ignoredOf = ignored === undefined ? undefined : parsedList(ignored)
  const extentOf = extent === undefined ? undefined : parsedExtent(extent)
  return {
    named,
    given,
    violation(wlan, before) {
      if (!test(wlan, before) || exception?.(wlan, before)) return undefined
      const met = parts?.flatMap(part => (part.test(wlan, before) ? part.fields : []))
      if (met?.length === 0) return undefined
      return {
        fields: fieldsOf(met),
        ...compact({
          level: levelOf(wlan, before),
          message: met ? message?.replace(MET, fieldNames(met)) : message,
          ignored: ignoredOf?.(met),
          extent: extentOf?.(wlan) ?? met?.length,
          subject
        })
      }
    }
  }
}

function parsedLevel(text: CaseLevel | undefined) {
  const [, level, condition, other] = /^(\w+) if (.+) else (\w+)$/.exec(text ?? '') ?? []
  const test = condition === undefined ? undefined : parseWhen(condition).test
  return (wlan: WlanView, before: WlanView | undefined) =>
    (test === undefined ? text : test(wlan, before) ? level : other) as LintLevel | undefined
}

function parsedList(names: string): (met: readonly Pointer[] | undefined) => readonly Pointer[] {
  const parts = names.split(', ').map(name => (name === MET ? name : pointerOf(name)))
  return (met = []) => [...new Set(parts.flatMap(part => (part === MET ? met : part)))]
}

function parsedExtent(text: string): (wlan: WlanView) => number {
  const [plus = '', minus = ''] = text.split('-').map(name => name && pointerOf(name))
  const numberOf = (wlan: WlanView, field: Pointer) => (field && wlan.number(field)) || 0
  return wlan => numberOf(wlan, plus) - numberOf(wlan, minus)
}

/** The field without which no case applies, if all of them begin with it. */
function givenOf(cases: readonly ParsedCase[]): Pointer[] | undefined {
  const [given, ...others] = new Set(cases.map(each => each.given))
  return given === undefined || others.length > 0 ? undefined : [given]
}

function checkOf(cases: readonly ParsedCase[], other?: WlanCheck): WlanCheck | undefined {
  if (cases.length === 0) return other
  return (wlan, before) => {
    const found = [...(other?.(wlan, before) ?? [])]
    for (const { violation } of cases) found.push(violation(wlan, before))
    return found
  }
}

function pointersIn(names: string): Pointer[] {
  return names.split(', ').map(pointerOf)
}

const scopes = { D: 'WLAN', T: 'change', S: 'site', F: 'fleet' } as const

export function explainRule(id: string): RuleExplanation | undefined {
  const rule = lintRules.find(each => each.id === id)
  if (rule === undefined) return undefined
  const { severity, message: title, why, condition, advice, source, falseAlarms, fields } = rule
  const scope = rule.view === undefined ? 'WLAN' : scopes[rule.view]
  return { id, severity, title, why, condition, advice, source, falseAlarms, fields, scope }
}
