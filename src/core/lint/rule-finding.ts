import type { LintPolicy } from '../model/desired.ts'
import { levelRank } from '../model/finding.ts'
import { fieldName, type Pointer } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import { listFirst, plural, quote } from '../values/text.ts'
import { isEmpty, isList, isObject, type Value } from '../values/value.ts'
import type { LintLevel, RuleFacts, Violation, Violations } from './rule.ts'
import type { WlanView } from './view.ts'

/** A problem that a rule found on a WLAN or a site. Strings from the service are not escaped. */
export interface RuleFinding {
  readonly rule: string
  readonly level: LintLevel
  /** The pointers of the fields that the finding is about. */
  readonly fields: readonly Pointer[]
  /** The problem, and the values of the fields with their origins. No secret. */
  readonly message: string
  /** The message without the title of the rule; absent if it has no title. */
  readonly detail?: string
  readonly advice: string
  /** True if the live state already breaks the rule to the same extent. */
  readonly existing: boolean
  /** The finding depends on the value of a secret: exclude it from saved plans, snapshots and records. */
  readonly fromSecret?: true
  /** The secret that it is about: it counts once, however many WLANs use that secret. */
  readonly secret?: Secret
  /** The change weakens security: it is a warning where that is allowed. */
  readonly isDowngrade?: true
}

interface ViolationContext {
  readonly rule: RuleFacts
  readonly existing: boolean
  /** The WLAN whose values the message contains. */
  readonly view?: WlanView | undefined
}

/** The finding about a violation; none if the policy does not report it. */
export function ruleFindings(
  policy: LintPolicy,
  violation: Violation,
  { rule, existing, view }: ViolationContext
): RuleFinding[] {
  const level = levelBy(policy, rule.id, violation.level ?? rule.severity)
  if (level === undefined) return []
  const fields = violation.fields ?? rule.fields
  const values = view === undefined ? '' : describeFields(view, fields)
  const text = violation.message ?? rule.message
  const message = values === '' ? text : `${text}: ${values}`
  return [
    {
      rule: rule.id,
      level,
      fields,
      message,
      ...(violation.message === undefined && values !== '' && { detail: values }),
      advice: rule.advice,
      existing,
      ...(rule.fromSecret && { fromSecret: rule.fromSecret }),
      ...(violation.secret && { secret: violation.secret }),
      ...(rule.isDowngrade && { isDowngrade: rule.isDowngrade })
    }
  ]
}

/** The maximum number of fields, and of entries of a list, whose values a message shows. */
const MAX_FIELDS = 5
const MAX_ENTRIES = 4

/**
 * Known fields with values and origins, `auth.type is "eap" (declared)`; a secret is "set" or "not
 * set". Strings of the service are quoted and truncated; the report escapes them.
 */
function describeFields(view: WlanView, fields: readonly Pointer[]): string {
  const known = fields.flatMap(pointer => {
    const value = view.written(pointer)
    if (value === undefined || (value instanceof Secret && view.value(pointer) === undefined))
      return []
    const isSecret = view.field(pointer).secret || view.field(pointer).item().secret
    return [`${fieldName(pointer)} is ${describe(value, isSecret)} (${view.origin(pointer)})`]
  })
  return listFirst(known, MAX_FIELDS, 'fields')
}

function describe(value: Value, isSecret: boolean): string {
  if (value instanceof Secret) return value.empty ? 'not set' : 'set'
  if (isSecret) return isEmpty(value) ? 'not set' : 'set'
  if (isEmpty(value)) return 'empty'
  if (isList(value)) return describeList(value)
  if (isObject(value)) return plural(Object.keys(value).length, 'entry').replace(/ys$/, 'ies')
  return typeof value === 'string' ? quote(value, 64) : String(value)
}

function describeList(list: readonly Value[]): string {
  if (list.some(entry => typeof entry === 'object' && entry !== null)) {
    return plural(list.length, 'element')
  }
  const texts = list.map(entry => (typeof entry === 'string' ? quote(entry, 64) : String(entry)))
  return `[${listFirst(texts, MAX_ENTRIES)}]`
}

function levelBy(policy: LintPolicy, rule: string, own: LintLevel): LintLevel | undefined {
  const level = Object.hasOwn(policy.rules, rule) ? policy.rules[rule] : own
  if (level === undefined || level === 'off') return undefined
  return isWorse(policy.level, level) ? undefined : level
}

export function isOff(policy: LintPolicy, id: string): boolean {
  return Object.hasOwn(policy.rules, id) && policy.rules[id] === 'off'
}

export function isWorse(a: LintLevel, b: LintLevel): boolean {
  return levelRank(a) < levelRank(b)
}

/**
 * `existing` if the state before the change has the same violation: the same subject, at least the same
 * level, and at least the same extent. Otherwise `new`: the change causes the violation or makes it worse.
 * `severity` is the level of violations without a level of their own.
 */
export function existingOrNew(
  before: Violations,
  after: Violation,
  severity: LintLevel
): 'existing' | 'new' {
  const isThere = before.some(
    was =>
      was &&
      was.subject === after.subject &&
      !isWorse(after.level ?? severity, was.level ?? severity) &&
      (after.extent ?? 0) <= (was.extent ?? after.extent ?? 0)
  )
  return isThere ? 'existing' : 'new'
}
