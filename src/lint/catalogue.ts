import type { RuleExplanation } from '../model/explanation.ts'
import type { LintRule } from './rule.ts'
import { authenticationRules } from './rules/authentication.ts'
import { broadcastRules } from './rules/broadcast.ts'
import { encryptionRules } from './rules/encryption.ts'
import { fleetRules } from './rules/fleet.ts'
import { gardenRules } from './rules/garden.ts'
import { hardeningRules } from './rules/hardening.ts'
import { keyRules } from './rules/keys.ts'
import { portalRules } from './rules/portal.ts'
import { radioRules } from './rules/radio.ts'
import { radiusRules } from './rules/radius.ts'
import { radiusServerRules } from './rules/radius-servers.ts'
import { rateRules } from './rules/rates.ts'
import { scheduleRules } from './rules/schedule.ts'
import { scopeRules } from './rules/scope.ts'
import { serviceRules } from './rules/services.ts'
import { siteRules } from './rules/site.ts'
import { variableRules } from './rules/variables.ts'
import { vlanRules } from './rules/vlan.ts'

/** All rules of the linter. */
export const lintRules: readonly LintRule[] = [
  ...authenticationRules,
  ...encryptionRules,
  ...keyRules,
  ...radiusRules,
  ...radiusServerRules,
  ...portalRules,
  ...gardenRules,
  ...vlanRules,
  ...scopeRules,
  ...rateRules,
  ...radioRules,
  ...broadcastRules,
  ...serviceRules,
  ...scheduleRules,
  ...variableRules,
  ...hardeningRules,
  ...siteRules,
  ...fleetRules
]

const byId: ReadonlyMap<string, LintRule> = new Map(lintRules.map(rule => [rule.id, rule]))

const scopes = { D: 'WLAN', M: 'WLAN', T: 'change', S: 'site', F: 'fleet' } as const

/** The explanation of a rule; undefined for an unknown id. */
export function explainRule(id: string): RuleExplanation | undefined {
  const rule = byId.get(id)
  if (rule === undefined) return undefined
  const { severity, message, why, condition, advice, source, falseAlarms, fields, view } = rule
  const scope = scopes[view]
  return {
    id,
    severity,
    title: message,
    why,
    condition,
    advice,
    source,
    falseAlarms,
    fields,
    scope
  }
}
