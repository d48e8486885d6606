import { quote } from '../text.ts'
import { didYouMean, type Messages, type MessageTemplate } from './template.ts'

/** A violation of a lint rule, as its message needs it. */
interface LintViolation {
  readonly level: 'error' | 'warning' | 'info'
  readonly message: string
  readonly advice: string
  /** The live state breaks the rule already. */
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
