import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planSite } from '../../../src/core/plan/plan.ts'
import { compareUndeclared } from '../../../src/core/plan/undeclared/undeclared-drift.ts'
import { guardFields } from '../../../src/core/schema/in-use.ts'
import { type Pointer, steps } from '../../../src/core/values/pointer.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import type { WlanRecord } from '../../../src/simulator/json.ts'
import { HQ } from '../../simulator/simulate.ts'
import { nth } from '../../support/ids.ts'
import { stage } from '../../support/stage.ts'
import { type Shape, wlanShape } from '../../support/wlan-shapes.ts'
import { liveSite } from './estates.ts'
import { environment, imported } from './import.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields that a guard field requires to have an effect. */
const contexts: Readonly<Record<Pointer, Fields>> = {
  '/auth/pairwise': { auth: { type: 'psk' } },
  '/auth/multi_psk_only': { auth: { type: 'psk' } },
  '/dynamic_psk/enabled': { auth: { type: 'psk' } },
  '/auth_servers': { auth: { type: 'eap' } },
  '/disable_message_authenticator_check': { auth: { enable_mac_auth: true } },
  '/dynamic_vlan/enabled': { auth: { type: 'eap192' } },
  '/mist_nac/enabled': { auth: { type: 'eap' } },
  '/radsec/enabled': { auth: { type: 'eap' } },
  '/radsec/servers': { auth: { type: 'eap' }, radsec: { enabled: true } },
  '/l2_isolation': { isolation: true },
  '/portal/auth': { portal: { enabled: true } },
  '/portal/bypass_when_cloud_down': { portal: { enabled: true } },
  '/vlan_id': { vlan_enabled: true },
  '/vlan_ids': { vlan_enabled: true, vlan_pooling: true }
}

const host = fc.integer({ min: 1, max: 250 }).map(last => `10.0.0.${last}`)
const vlan = fc.integer({ min: 1, max: 4094 })

/** Values of fields that are not only enums in the schema. */
const special: Readonly<Record<Pointer, fc.Arbitrary<unknown>>> = {
  '/ssid': fc
    .string({ unit: fc.constantFrom(...'Wlan 17'), minLength: 1, maxLength: 32 })
    .filter(text => text.trim() === text),
  '/auth_servers': fc.array(
    host.map(ip => ({ host: ip, secret: 'a-radius-secret' })),
    { maxLength: 3 }
  ),
  '/radsec/servers': fc.array(
    host.map(ip => ({ host: ip })),
    { maxLength: 3 }
  ),
  '/vlan_id': fc.oneof(vlan, vlan.map(String), fc.constant(null)),
  '/vlan_ids': fc.oneof(
    fc.array(vlan, { maxLength: 3 }),
    fc.array(vlan, { minLength: 1, maxLength: 3 }).map(ids => ids.join(','))
  )
}

function shapeAt(pointer: Pointer): Shape {
  return steps(pointer).reduce<Shape>((shape, name) => {
    const inner = shape.kind === 'object' ? shape.members.get(name) : undefined
    if (inner === undefined) throw new Error(`no ${pointer} in the schema`)
    return inner
  }, wlanShape)
}

function valuesOf(pointer: Pointer): fc.Arbitrary<unknown> {
  const known = special[pointer]
  if (known !== undefined) return known
  const shape = shapeAt(pointer)
  if (shape.kind === 'boolean') return fc.boolean()
  if (shape.kind === 'text') return fc.constantFrom(...shape.choices)
  if (shape.kind === 'list' && 'choices' in shape.each)
    return fc.subarray([...shape.each.choices], { minLength: 1 })
  throw new Error(`no values for ${pointer}`)
}

const merged = (a: unknown, b: unknown): unknown => {
  if (!isFields(a) || !isFields(b)) return b
  const names = Object.entries(b).map(([name, value]) => [name, merged(a[name], value)])
  return { ...a, ...Object.fromEntries(names) }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A record in which a field has a value and an effect. */
function recordWith(pointer: Pointer, value: unknown): Fields {
  const nested = steps(pointer).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  const base = { id: nth(1), ssid: 'Corp', ...(contexts[pointer] ?? {}) }
  return merged(base, nested) as Fields
}

/** The normal form of a value: strings, numbers and order as the service compares them. */
const comparable = (value: unknown): string => {
  const text =
    Array.isArray(value) && value.every(item => !isFields(item))
      ? [...new Set(value.map(String))].sort()
      : value
  if (text === null || text === '' || (Array.isArray(text) && text.length === 0)) return ''
  return Array.isArray(text) && !text.some(isFields)
    ? text.join()
    : typeof text === 'object'
      ? JSON.stringify(text)
      : String(text).split(',').sort().join()
}

const changes = fc.constantFrom(...guardFields()).chain(pointer =>
  fc
    .record({
      pointer: fc.constant(pointer),
      before: valuesOf(pointer),
      after: valuesOf(pointer)
    })
    .filter(({ before, after }) => comparable(before) !== comparable(after))
)

const radiusServer = (host: string) => [{ host, secret: 'a-radius-secret' }]

describe('a guard field that changes live after an import', () => {
  it.each([false, true])(
    'is drift, for any values before and after (all fields: %s)',
    async all => {
      const seen = new Set<Pointer>()
      await fc.assert(
        fc.asyncProperty(changes, async ({ pointer, before, after }) => {
          seen.add(pointer)
          const site = { id: nth(0), name: 'hq' }
          const made = imported(liveSite(site, [recordWith(pointer, before)]), all)
          const { desired } = await loadTexts(
            new Map([['hq.yaml', made.text]]),
            environment(made.secrets)
          )
          const [declared] = desired?.sites ?? []
          if (declared === undefined) throw new Error(made.text)
          const planned = (value: unknown) =>
            planSite(declared, liveSite(site, [recordWith(pointer, value)])).wlanPlans[0]
          expect(planned(before)).toMatchObject({ status: 'unchanged' })
          const unwatched = { unwatched: 'error' } as const
          const was = liveSite(site, [recordWith(pointer, before)])
          expect(compareUndeclared(declared, was, unwatched).unwatched).toEqual([])
          // A type whose secret is not live blocks the WLAN, which is reported, too.
          expect(['changed', 'blocked']).toContain(planned(after)?.status)
        })
      )
      expect(seen.size).toBeGreaterThan(15)
    }
  )

  it.each<[what: string, before: Fields, after: Fields]>([
    [
      'the RADIUS server of an external portal',
      { portal: { enabled: true, auth: 'external' }, auth_servers: radiusServer('10.0.0.1') },
      { auth_servers: radiusServer('6.6.6.6') }
    ],
    [
      'the ciphers of 192-bit security',
      { auth: { type: 'eap192', pairwise: ['wpa3'] } },
      { auth: { type: 'eap192', pairwise: ['wpa1-tkip'] } }
    ],
    [
      'the ciphers of OWE',
      { auth: { type: 'open', owe: 'required', pairwise: ['wpa3'] } },
      { auth: { type: 'open', owe: 'required', pairwise: ['wpa1-tkip'] } }
    ]
  ])('is drift in the built program: %s', async (_, before, after) => {
    const wlans = [{ id: nth(1), ssid: 'Corp', ...before } as unknown as WlanRecord]
    const { run, simulator } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
    expect(await run(`import ${HQ} --secrets-dir keys`)).toMatchObject({ code: 0 })
    expect(await run('drift sites --secrets-dir keys')).toMatchObject({ code: 0 })
    simulator.edit(HQ, nth(1), after as never)
    expect(await run('drift sites --secrets-dir keys')).toMatchObject({ code: 2 })
  })

  it('is drift in the built program for any field', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async ({ pointer, before, after }) => {
        const wlans = [recordWith(pointer, before) as unknown as WlanRecord]
        const { run, simulator, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
        expect(await run(`import ${HQ} --secrets-out secrets.env`)).toMatchObject({ code: 0 })
        simulator.edit(HQ, nth(1), recordWith(pointer, after) as never)
        write('sites/policy.yaml', 'policy: { lint: { level: off } }\n')
        expect([2, 5]).toContain((await run('drift sites')).code)
      }),
      { numRuns: 5 }
    )
  })
})
