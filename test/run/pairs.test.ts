import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Auditor } from '../../src/core/audit/auditor.ts'
import { defaultLintPolicy } from '../../src/core/model/defaults.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { secretSource } from '../../src/fleet/secrets/source.ts'
import { lintDeclared } from '../../src/run/checks/run-linter.ts'
import { makeDrift } from '../../src/run/make-drift.ts'
import { makePlan } from '../../src/run/make-plan.ts'
import { openReader } from '../../src/service/client.ts'
import { clockUntil } from '../../src/service/http/clock.ts'
import { wlanValue } from '../../src/service/live.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
import { load } from '../fleet/fleet.ts'
import { revisionOf } from '../fleet/since/revision.ts'
import { simulate } from '../simulator/simulate.ts'
import { legalRecord } from '../support/legal-records.ts'
import { runs } from '../support/properties.ts'

const SITES = 5
/** More than a declaration has states of its own, so that sites share those of similar ones. */
const AUDITED = 24
const names = ['corp', 'guest']
const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const KEY = { $env: 'WLAN_SECRET_KEY' }
const server = { host: '10.0.0.1', secret: KEY }
const ownServer = { host: { $format: '{net}.1' }, secret: KEY }
const portal = { enabled: true, auth: 'password', password: KEY }
const ownPortal = { enabled: true, auth: { $var: 'login' }, password: KEY }

/** The variables of a site, of which some break rules. */
const variables = fc.record({
  net: fc.constantFrom('10.0.0', '8.8.8', '0.0.0'),
  vlan: fc.constantFrom(30, 1, 40),
  type: fc.constantFrom('eap', 'psk', 'open'),
  login: fc.constantFrom('password', 'none')
})

/** Fields to declare, of which some break rules. */
const declared = fc.constantFrom<JsonObject>(
  ...[
    { vlan_id: 30, vlan_enabled: true },
    { enabled: false },
    { hide_ssid: true },
    { dtim: 2 },
    { auth: { type: 'psk' } }
  ],
  ...[{ auth: { type: 'open' } }, { auth: { type: 'eap' } }, { auth: { type: 'psk', psk: KEY } }],
  ...[{ auth: { type: 'eap' }, auth_servers: [server] }, { isolation: true }, { portal }],
  ...[{ auth: { type: 'eap' }, auth_servers: [ownServer] }, { vlan_id: { $var: 'vlan' } }],
  ...[{ auth: { type: { $var: 'type' } }, auth_servers: [ownServer] }, { portal: ownPortal }]
)
const block = fc.tuple(declared, declared).map(([one, other]) => ({ ...one, ...other }))
const policy = fc.constantFrom(
  '{}',
  '{ unmanaged: error, unwatched: drift }',
  '{ unwatched: error, lint: { strict: true } }',
  '{ waivers: [{ rule: weak-key, site: s1, reason: known, until: 2027-01-01 }] }',
  '{ rules: [{ name: r, message: m, require: { properties: { vlan_id: { maximum: 35 } } } }] }'
)

/** Two states of a WLAN as declared, which differ in one field. */
function statesOf(ssid: string) {
  const field = fc.constantFrom('vlan_id', 'enabled', 'dtim', 'isolation', 'auth', 'auth_servers')
  return fc
    .tuple(legalRecord('', ssid), legalRecord('', ssid), field)
    .map(([one, other, name]) => [one, { [name]: other[name] ?? null }] as const)
}

/** What stands in each secret field of a site; undefined if the service omits it. */
const secrets = ['key-number-0', 'key-number-0', 'key-number-1', 'key-{{x}}', '********', undefined]

const fleetsOf = (size: number) =>
  fc.record({
    blocks: fc.tuple(block, block),
    atBase: fc.option(fc.tuple(block, block)),
    policy,
    command: fc.constantFrom('plan', 'drift', 'validate'),
    states: fc.tuple(...names.map(statesOf)),
    /** Which of the two states each WLAN of a site has, the secrets of the site, and its variables. */
    sites: fc.array(fc.tuple(fc.nat(1), fc.nat(1), fc.constantFrom(...secrets), variables), {
      minLength: size,
      maxLength: size
    }),
    groups: fc.array(fc.subarray(['north', 'south']), { minLength: size, maxLength: size })
  })

type Fleet = ReturnType<typeof fleetsOf> extends fc.Arbitrary<infer T> ? T : never

it('a fleet whose sites share declarations has the plan of one whose sites do not, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(fleetsOf(SITES), async fleet => {
      const { blocks, atBase, policy, command, sites } = fleet
      const files = (of: readonly JsonObject[]) => ({
        'fleet.yaml': `policy: ${policy}\nsites:\n${sites
          .map(
            ([, , , vars], n) =>
              `  - { id: ${idOf(1, n)}, name: s${n}, vars: ${JSON.stringify(vars)} }\n`
          )
          .join(
            ''
          )}wlans:\n${names.map((name, n) => `  ${name}:\n    ${JSON.stringify({ ssid: name, ...of[n] })}\n`).join('')}`
      })
      const { desired } = await load(files(blocks), {
        secrets: secretSource({ prefix: 'WLAN_SECRET_', env: { WLAN_SECRET_KEY: 'key-number-0' } }),
        now: () => new Date('2026-11-01T00:00:00Z'),
        ...(atBase && { base: async () => revisionOf(files(atBase)) })
      })
      if (desired === undefined) throw new Error('invalid fleet')
      const { simulator } = await simulate({ sites: sitesOf(fleet) })
      const planOf = async (of: Desired) => {
        if (command === 'validate') return JSON.stringify(lintDeclared(of, defaultLintPolicy))
        const never = new AbortController().signal
        const clock = clockUntil(never)
        const reader = openReader({
          ...{ baseUrl: simulator.url, tokens: [simulator.token], parallelism: 1, timeout: 20 },
          ...{ userAgent: 'wlanctl/test', env: {} },
          retryPolicy: { maxAttempts: 1, maxWait: 60, clock, random: Math.random }
        })
        const context = {
          ...{ tool: 'wlanctl/test', now: () => new Date('2026-11-01T00:00:00Z') },
          ...{ interrupted: never, abortSignal: never, on: () => undefined }
        }
        const result =
          command === 'plan'
            ? await makePlan(of, reader, { parallelism: 1 }, context)
            : await makeDrift(of, reader, { parallelism: 1, listsSites: false }, context)
        await reader.close()
        return JSON.stringify([result.plan, result.lint])
      }
      expect(await planOf(desired)).toBe(await planOf(unshared(desired)))
    }),
    runs(6)
  )
})

it('sites whose networks are equal have the audit of sites whose networks are not, byte for byte', () => {
  fc.assert(
    fc.property(fleetsOf(AUDITED), fleet => {
      expect(auditOf(fleet, true)).toBe(auditOf(fleet, false))
    }),
    runs(10)
  )
})

function auditOf(fleet: Fleet, isShared: boolean): string {
  const auditor = new Auditor()
  for (const [n, { id, name, wlans }] of sitesOf(fleet).entries()) {
    // No two records with members of different names are equal.
    const own = isShared ? {} : { [`of ${name}`]: true }
    const live = wlans.map(wlan => {
      const record = wlanValue({ ...wlan, ...own } as never) as ValueObject
      return { id: wlan.id, ssid: wlan.ssid, record, readAt: 0 }
    })
    auditor.add({ site: { id, name }, wlans: live }, fleet.groups[n])
  }
  return JSON.stringify(auditor.result({ baseUrl: '', requests: AUDITED, unread: [] }))
}

/** The live sites of a fleet. */
function sitesOf({ blocks, states, sites }: Fleet) {
  const recordOf = (of: number, isOther: number, vars: JsonObject) => {
    const [one, change] = states[of] ?? [{}, {}]
    return { ...one, ...withVariables(blocks[of] ?? {}, vars), ...(isOther === 1 && change) }
  }
  const wlansOf = (site: SiteState, n: number) =>
    names.map((name, of) => ({
      ...withSecrets(
        recordOf(of, of === 0 ? site[0] : site[1], site[3]),
        of === 0 ? site[2] : undefined
      ),
      ...{
        id: idOf(2 + of, n),
        ssid: name,
        // Undeclared, and of each site.
        acct_servers: [{ host: `${site[3]['net']}.2`, port: 1813 }],
        site_id: idOf(1, n),
        modified_time: 1_700_000_000 + n
      }
    }))
  return sites.map((site, n) => ({ id: idOf(1, n), name: `s${n}`, wlans: wlansOf(site, n) }))
}

/** The same declarations, of which each site has its own copy. */
function unshared(desired: Desired): Desired {
  const sites = desired.sites.map(site => ({
    ...site,
    wlans: site.wlans.map(({ template: _, ...wlan }) => ({ ...wlan, fields: { ...wlan.fields } }))
  }))
  return { ...desired, sites }
}

type SiteState = readonly [number, number, string | undefined, JsonObject]

function withVariables(declared: JsonObject, vars: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(declared, (_, value) =>
      value?.$format ? `${vars['net']}.1` : value?.$var ? vars[value.$var] : value
    )
  )
}

function withSecrets(record: JsonObject, secret: string | undefined): JsonObject {
  return JSON.parse(
    JSON.stringify(record, (name, value) =>
      /^(psk|secret|password)$/.test(name) && value !== null ? secret : value
    )
  )
}
