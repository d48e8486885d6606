import { formatNumber, listFirst, quote } from '../text.ts'
import { didYouMean, type Messages, type MessageTemplate } from './template.ts'

/** The data of a lint rule's violation for its message. */
interface LintViolation {
  readonly level: 'error' | 'warning' | 'info'
  readonly message: string
  readonly advice: string
  /** True if the live state already breaks the rule. */
  readonly existing: boolean
}

/** Rules about relations across sites that `merge` cannot check. */
interface UncheckedParts {
  readonly rules: readonly string[]
  readonly limit: number
  readonly level: 'error' | 'warning'
}

/** Findings of the linter. */
export const lintMessages = {
  LINT: ({ level, message, advice, existing }: LintViolation): MessageTemplate => ({
    level,
    message: `${existing ? 'existing: ' : ''}${message}`,
    hint: advice
  }),
  RELATIONS_NOT_CHECKED: (
    rules: readonly string[],
    part: { readonly shard: string } | { readonly narrowedBy: readonly string[] }
  ): MessageTemplate => ({
    level: 'warning',
    message: `${listFirst(rules, 5)} (level error) ${rules.length === 1 ? 'compares' : 'compare'} WLANs of all sites, and ${
      'shard' in part
        ? `shard ${part.shard} covers a part of them`
        : `this run leaves some out: ${listFirst(part.narrowedBy, 5)}`
    }`,
    hint:
      'shard' in part
        ? 'merge the plans of all shards, and run `apply` on each shard with `--plan` of the merged plan'
        : 'plan the whole fleet to check its sites with one another'
  }),
  RELATIONS_TOO_MANY: ({ rules, limit, level }: UncheckedParts): MessageTemplate => ({
    level,
    message: `${listFirst(rules, 5)} not checked across the merged parts: more than ${formatNumber(limit)} kinds of WLANs`,
    hint: '`validate` checks what the files declare, and a plan that is not sharded checks the live state too'
  }),
  LINT_RULE_UNKNOWN: (name: string, near: string | undefined): MessageTemplate => ({
    message: `unknown lint rule ${quote(name)}`,
    ...didYouMean(near)
  })
} as const satisfies Messages
