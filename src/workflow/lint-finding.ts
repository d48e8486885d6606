import { isLintRefusal, type RuleFinding } from '../lint/rule-finding.ts'
import { compact } from '../model/collections.ts'
import type { LintPolicy } from '../model/desired.ts'
import {
  aboutAddresses,
  asWaived,
  type Finding,
  type FindingWaiver,
  finding,
  type Location
} from '../model/finding.ts'
import { quote } from '../model/text.ts'

/** A violation with the message, owner and waiver that the run adds. */
export interface FoundByRule {
  readonly found: RuleFinding
  readonly message: string
  readonly owner: string | undefined
  readonly waived: FindingWaiver | undefined
  /** The change is allowed to weaken security. */
  readonly isAllowed?: boolean
}

/**
 * The finding of a plan about these addresses. An existing error of the live state is a warning, unless the
 * policy is strict.
 */
export function lintFinding(
  { found, message, owner, waived, isAllowed }: FoundByRule,
  place: Location | undefined,
  addresses: readonly string[],
  policy: Pick<LintPolicy, 'strict'>
): Finding {
  const { rule, existing, advice } = found
  const about = aboutAddresses(addresses)
  const isTolerated = found.level === 'error' && (isAllowed || !isLintRefusal(policy, found))
  const level = isTolerated ? 'warning' : found.level
  const made = finding(
    'LINT',
    {
      ...compact({ place, owner }),
      ...about,
      rule,
      ...(existing && { existing: true })
    },
    { level, message, advice, existing }
  )
  return waived === undefined ? made : asWaived(made, waived)
}

/** The message about an undeclared WLAN, which starts with its name. */
export function undeclaredMessage({ message }: RuleFinding, name: string): string {
  return `${quote(name)}: ${message}`
}
