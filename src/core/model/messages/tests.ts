import { quote } from '../../values/text.ts'
import { didYouMean, type Messages, type MessageTemplate } from './template.ts'

/** Findings about the `tests` of a fleet. */
export const testMessages = {
  TESTS_TOO_MANY: (limit: number): MessageTemplate => ({
    message: `the fleet has more than ${limit} tests`,
    hint: 'combine some of them: a test has several expectations, and `same` several fields'
  }),
  TEST_INCOMPLETE: (of: 'test' | 'exception', key: string): MessageTemplate => ({
    message: `the ${of} has no \`${key}\``,
    hint:
      of === 'test'
        ? 'write `{ name: one guest network, wlans: { key: guest }, count: 1 }`'
        : 'write `{ sites: ["lab*"], reason: no guests there }`'
  }),
  TEST_INVALID: (name: string, problem: string, hint?: string): MessageTemplate => ({
    message: `invalid test ${quote(name)}: ${problem}`,
    ...(hint !== undefined && { hint })
  }),
  TEST_CANNOT_FAIL: (name: string, reason: string, near?: string): MessageTemplate => ({
    message: `the test ${quote(name)} can never fail: ${reason}`,
    ...didYouMean(near)
  }),
  TEST_FAILED: (
    name: string,
    expected: string,
    found: string,
    holds?: string
  ): MessageTemplate => ({
    message: `the test ${quote(name)} failed: expected ${expected}, found ${found}`,
    ...(holds !== undefined && { hint: holds })
  })
} as const satisfies Messages
