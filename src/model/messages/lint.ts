import { quote } from '../text.ts'
import { didYouMean, type Messages, type MessageTemplate } from './template.ts'

/** The data of a lint rule's violation for its message. */
interface LintViolation {
  readonly level: 'error' | 'warning' | 'info'
  readonly message: string
  readonly advice: string
  /** True if the live state already breaks the rule. */
  readonly existing: boolean
}

/** Findings of the linter. */
export const lintMessages = {
  LINT: ({ level, message, advice, existing }: LintViolation): MessageTemplate => ({
    level,
    message: `${existing ? 'existing: ' : ''}${message}`,
    hint: advice
  }),
  LINT_RULE_UNKNOWN: (name: string, near: string | undefined): MessageTemplate => ({
    message: `unknown lint rule ${quote(name)}`,
    ...didYouMean(near)
  })
} as const satisfies Messages
