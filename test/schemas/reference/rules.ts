import { explainRules } from '../../../src/core/lint/explain.ts'
import type { RuleExplanation } from '../../../src/core/model/explanation.ts'
import { steps } from '../../../src/core/values/pointer.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'
import { CANARY, type Scenario, scenarios, server, sitesOf } from '../../core/lint/scenario.ts'
import { code, head, sentence, table, yaml } from './markdown.ts'

/** `schemas/rules.md`: the rules of the linter. */
export function rulesPage(): string {
  return `${head(
    'Lint rules',
    'the rules in `src/core/lint/rules.json` and their scenarios in `test/core/lint/scenarios/`',
    'Conditions over fields, WLANs and sites; `wlanctl explain RULE` prints one of them. The scope is the WLAN, its change, the site or the fleet that a rule judges. A value that is not known breaks no rule. `policy.lint` sets levels, and a [waiver](files.md#keys-of-a-waiver) accepts a finding until a day. [Sources](#sources) are at the end. A secret in an example stands for the value of its reference.'
  )}
${table(
  ['rule', 'level', 'scope', 'problem'],
  explainRules().map(({ id, severity, scope, title }) => [
    `[${id}](#${id})`,
    severity,
    scope,
    title
  ])
)}

${explainRules().map(section).join('\n\n')}

## Sources

The source of a rule is *documented* by the vendor, read in *code* of its engineers, a check of its Terraform *provider*, said by *others*, or common
*knowledge* of the standards. None was tried against the live service.

${table(['short', 'source'], Object.entries(sources))}
`
}

/** What the sources of the rules call the documents that they cite. */
export const sources = {
  OAS: "the vendor's [OpenAPI description](https://github.com/mistsys/mist_openapi) of the service, by its schemas",
  'OAS-log': 'its changelog, by version',
  TFP: "the vendor's [Terraform provider](https://github.com/Juniper/terraform-provider-mist): its validators, documentation and release notes",
  TWIN: '[digital-twin](https://github.com/tmunzer-AIDE/digital-twin), a simulator of changes by an engineer of the vendor',
  'J-6E': "the vendor's guide to 6 GHz",
  'J-PSK': "the vendor's guide to pre-shared keys",
  'J-VAR': "the vendor's guide to variables in device profiles",
  AUDIT:
    'the audit of [hpe-networking-mcp](https://github.com/nowireless4u/hpe-networking-mcp), after best practices of a vendor',
  MULTI: 'Cisco Meraki, deployment considerations for several SSIDs',
  HPE: 'HPE Aruba Networking, configuration of wireless networks',
  WPA3: 'Wi-Fi Alliance, WPA3 Specification',
  '802.11': 'IEEE 802.11'
}

function section(rule: RuleExplanation): string {
  const { id, severity, title, why, condition, advice, source, falseAlarms, fields } = rule
  return `## ${id}

${sentence(title)} (${severity}) ${sentence(why)}

- Condition: ${condition}
- Advice: ${advice}
- Fields: ${fields.map(pointer => code(steps(pointer).join('.'))).join(', ')}
- Source: ${source}
- Known false positives: ${falseAlarms}

${exampleOf(id)}`
}

/** The first scenario that breaks the rule, and the first that does not. */
function exampleOf(id: string): string {
  const [broken] = scenarios[id]?.breaks ?? []
  const [passing] = scenarios[id]?.passes ?? []
  if (broken === undefined || passing === undefined) throw new Error(`${id} has no scenario`)
  return `Breaks the rule:\n\n${yaml(shown(broken))}\n\nDoes not break it:\n\n${yaml(shown(passing))}`
}

/** The WLANs of a scenario; with the names of its sites if there are several. */
function shown(scenario: Scenario): unknown {
  const sites = sitesOf(scenario).map(({ name, wlans }) => {
    const all = wlans.map(({ live, declared }) =>
      live && declared
        ? { live: fieldsOf(live), declared: fieldsOf(declared) }
        : fieldsOf(live ?? declared ?? {})
    )
    return [name, all.length === 1 ? all[0] : all] as const
  })
  return sites.length === 1 ? sites[0]?.[1] : Object.fromEntries(sites)
}

/** The fields that the scenario itself sets. A secret is a reference, unless its value is the example. */
function fieldsOf({ portal_api_secret, ...fields }: ValueObject): unknown {
  const plain = (value: Value | undefined): unknown => {
    if (value instanceof Secret) return plainSecret(value)
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]))
  }
  return plain(fields)
}

function plainSecret(secret: Secret): unknown {
  const isGiven = secret.known && ![CANARY, server.secret.reveal()].includes(secret.reveal())
  return isGiven ? secret.reveal() : { $env: 'WLAN_SECRET_KEY' }
}
