import fc, { type Arbitrary } from 'fast-check'
import type { Plan } from '../../../src/core/model/plan.ts'
import { withDigests } from '../../../src/core/plan/digest.ts'
import { isObject } from '../../../src/core/values/value.ts'
import type { Json, JsonObject } from '../../../src/simulator/json.ts'
import { HQ } from '../../simulator/simulate.ts'
import { FLEET, wlans } from '../canaries/secrets.ts'
import { disturbed, json, mutated, relined, words } from './edits.ts'

const PROFILES = `profiles:
  base: { hide_ssid: false, dtim: 2, auth: { type: psk } }
policy:
  max_changes: 3
  rules:
    - { name: r, message: m, when: { properties: { ssid: { pattern: "^C" } } },
        require: { required: [auth] }, level: warning }
`

/** Fleet files: almost valid ones, and words in any order. */
export const yaml: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: relined(FLEET + PROFILES) },
  { weight: 3, arbitrary: mutated(FLEET + PROFILES) },
  { weight: 1, arbitrary: mutated(PROFILES) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 40 }).map(all => all.join(''))
  }
)

/** Records that were edited or truncated. */
export function recordsLike(record: string): Arbitrary<string> {
  const [first = '', ...lines] = record.split('\n')
  const within = fc
    .nat(lines.length - 2)
    .chain(at =>
      disturbed(JSON.parse(lines[at] ?? '0')).map(value => lines.with(at, JSON.stringify(value)))
    )
  return fc.oneof(
    within.map(changed => [first, ...changed].join('\n')),
    relined(record),
    mutated(record),
    fc.nat(record.length).map(end => record.slice(0, end)),
    fc
      .nat(record.length)
      .map(end => record.slice(0, end) + record.replaceAll('0a1b2c3d', '1a1b2c3d'))
  )
}

/** Responses of the service that are almost valid. */
export const answers: Arbitrary<Json> = fc.oneof(disturbed(wlans), json)

const fleet: JsonObject = {
  site: { id: HQ, name: 'hq', vars: { vlan: 7, key: 'in clear' } },
  wlans: Object.fromEntries(
    wlans.map(({ id, ssid, site_id: _, ...fields }) => [ssid, { id, ssid, ...fields }])
  ),
  profiles: { base: { dtim: 2 }, other: { $extends: 'base' } },
  policy: {
    plaintext_secrets: 'warn',
    rules: [
      {
        name: 'r',
        message: 'm',
        require: { type: 'object', properties: { ssid: { pattern: '^.' } } }
      }
    ]
  }
}

/** Fleet files that are valid YAML, as JSON is. */
export const fleets: Arbitrary<string> = disturbed(fleet).map(value => JSON.stringify(value))

/** Saved plans that were edited, or forged with a matching digest. */
export function plansLike(plan: Json): Arbitrary<string> {
  return fc.oneof(
    disturbed(plan).map(value => JSON.stringify(value)),
    disturbed(plan).map(value => JSON.stringify(resealed(value))),
    mutated(JSON.stringify(plan))
  )
}

function resealed(plan: Json): Json {
  if (!isObject(plan)) return plan
  try {
    return withDigests(plan as unknown as Plan) as unknown as Json
  } catch {
    return plan
  }
}
