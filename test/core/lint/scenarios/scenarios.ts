import type { Scenarios } from '../scenario.ts'
import { networkScenarios } from './network.ts'
import { portalScenarios } from './portal.ts'
import { radiusScenarios } from './radius.ts'
import { relationScenarios } from './relations.ts'
import { securityScenarios } from './security.ts'
import { serviceScenarios } from './services.ts'

/** The scenarios of all rules. */
export const scenarios: Scenarios = {
  ...securityScenarios,
  ...radiusScenarios,
  ...portalScenarios,
  ...networkScenarios,
  ...serviceScenarios,
  ...relationScenarios
}
