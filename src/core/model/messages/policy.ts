import { listFirst, plural, quote } from '../../values/text.ts'
import { didYouMean, fromVariable, type Messages, placesHint } from './template.ts'

interface LintViolation {
  readonly level: 'error' | 'warning' | 'info'
  readonly message: string
  readonly advice: string
  /** True if the live state already breaks the rule. */
  readonly existing: boolean
}

function markOf(existing: boolean): string {
  return existing ? 'existing: ' : ''
}

export const policyMessages = {
  WAIVER_EXPIRED: (rule: string, until: string) => ({
    message: `the waiver of the rule ${quote(rule)} ended on ${until}`,
    hint: 'fix the cause and remove the waiver, or agree on a later `until`'
  }),
  WAIVER_UNUSED: (rule: string) => ({
    level: 'warning',
    message: `the waiver of the rule ${quote(rule)} matches no finding`,
    hint: 'remove the waiver, or correct its `site` or `wlan`'
  }),
  POLICY_TWICE: (file: string) => ({
    message: `duplicate policy: ${file} declares one, too`,
    hint: 'a fleet has one `policy`'
  }),
  RULE_INVALID: (name: string, problem: string, hint?: string) => ({
    message: `invalid rule ${quote(name)}: ${problem}`,
    hint
  }),
  RULE_FIELD_UNKNOWN: (
    name: string,
    field: string,
    near: string | undefined,
    level: 'error' | 'warn',
    places: readonly string[] = []
  ) => ({
    level: level === 'warn' && places.length === 0 ? 'warning' : 'error',
    message: `the rule ${quote(name)} is about the unknown field ${quote(field)}`,
    hint:
      placesHint(field, places) ??
      didYouMean(
        near,
        level === 'warn'
          ? 'correct the name, if it is no field of a newer service'
          : 'correct the name, or set `policy.unknown_fields: warn`'
      )
  }),
  RULE_UNUSED: (name: string) => ({
    level: 'warning',
    message: `the rule ${quote(name)} applies to no WLAN: none matches its \`when\``,
    hint: 'correct `when`, or remove the rule'
  }),
  RULE_FAILED: (name: string, problem: string) => ({
    message: `the rule ${quote(name)} could not be evaluated: ${problem}`,
    hint: 'simplify the rule'
  }),
  RULE: (
    name: string,
    message: string,
    level: 'error' | 'warning' | 'info',
    variable?: string,
    existing = false
  ) => ({
    level,
    message: `${markOf(existing)}violates the rule ${quote(name)}: ${message}${fromVariable(variable)}`
  }),
  RULE_BROKEN_OFTEN: (name: string, places: number, level: 'error' | 'warning' | 'info') => ({
    level,
    message: `the rule ${quote(name)} is violated at ${plural(places, 'other place')}`
  })
} as const satisfies Messages

export const lintMessages = {
  LINT: ({ level, message, advice, existing }: LintViolation) => ({
    level,
    message: `${markOf(existing)}${message}`,
    hint: advice
  }),
  RELATIONS_NOT_CHECKED: (rules: readonly string[], narrowedBy: readonly string[]) => ({
    level: 'warning',
    message: `${listFirst(rules, 5)} (level error) ${rules.length === 1 ? 'compares' : 'compare'} WLANs of all sites, and this run leaves some out: ${listFirst(narrowedBy, 5)}`,
    hint: 'plan the whole fleet to check its sites with one another'
  })
} as const satisfies Messages
