import type { RuleExplanation } from '../model/explanation.ts'
import type { LintRule } from './rule.ts'
import { fleetRules } from './rules/across-sites.ts'
import { authenticationRules } from './rules/authentication.ts'
import { encryptionRules } from './rules/encryption.ts'
import { guestRules } from './rules/guests.ts'
import { limitRules } from './rules/limits.ts'
import { portalRules } from './rules/portal.ts'
import { radioRules } from './rules/radio.ts'
import { radiusRules } from './rules/radius.ts'
import { radiusSecurityRules } from './rules/radius-security.ts'
import { siteRules } from './rules/same-site.ts'
import { serviceRules } from './rules/services.ts'
import { sixGhzRules } from './rules/six-ghz.ts'
import { ssidRules } from './rules/ssid.ts'
import { vlanRules } from './rules/vlan.ts'

/** All rules of the linter, in the order of the reference. */
export const lintRules: readonly LintRule[] = [
  ...authenticationRules,
  ...encryptionRules,
  ...sixGhzRules,
  ...radiusRules,
  ...radiusSecurityRules,
  ...portalRules,
  ...guestRules,
  ...vlanRules,
  ...radioRules,
  ...limitRules,
  ...serviceRules,
  ...ssidRules,
  ...siteRules,
  ...fleetRules
]

const scopes = { D: 'WLAN', T: 'change', S: 'site', F: 'fleet' } as const

/** The explanation of a rule; undefined for an unknown id. */
export function explainRule(id: string): RuleExplanation | undefined {
  const rule = lintRules.find(each => each.id === id)
  if (rule === undefined) return undefined
  const { severity, message: title, why, condition, advice, source, fields, view } = rule
  const { falseAlarms = 'low' } = rule
  const scope = view === undefined ? 'WLAN' : scopes[view]
  return { id, severity, title, why, condition, advice, source, falseAlarms, fields, scope }
}
