import { describe, expect, it, test } from 'vitest'
import type { DesiredSite, DesiredWlan, SiteSinceBase } from '../../../src/core/model/desired.ts'
import { assemble, planSite } from '../../../src/core/plan/plan.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { formatPlan, parsePlan } from '../../../src/files/saved-plan.ts'
import { context, desiredSite, env, live, liveSite, nth, wlan } from './support.ts'

const place = { file: 'fleet/hq.yaml', line: 7, column: 3, revision: 'main' }

function since(change: Partial<SiteSinceBase>): Pick<DesiredSite, 'sinceBase'> {
  return { sinceBase: { revision: 'main', wlans: new Map(), removed: [], ...change } }
}

const planOf = (
  wlans: readonly DesiredWlan[],
  lives: readonly ReturnType<typeof live>[],
  change: Partial<SiteSinceBase> | undefined
) =>
  assemble(
    [planSite({ ...desiredSite(wlans), ...(change && since(change)) }, liveSite(lives))],
    context()
  )

describe('the cause of a change', () => {
  const fields: ValueObject = { vlan_id: 40, auth: { type: 'psk', psk: env('the-secret') } }
  const now = [live({ vlan_id: 20, auth: { type: 'open', psk: 'another' }, isolation: true })]
  const causes = (changed: readonly string[] | undefined) =>
    planOf([wlan(fields)], now, changed && { wlans: new Map([['corp', { changed, removed: [] }]]) })
      .changes[0]?.causes

  test.each<[changed: readonly string[] | undefined, declared: readonly string[] | undefined]>([
    [undefined, undefined],
    [[], []],
    [['/vlan_id'], ['/vlan_id']],
    [['/auth'], ['/auth/psk', '/auth/type']],
    [['/auth/type'], ['/auth/type']],
    [[''], ['/auth/psk', '/auth/type', '/vlan_id']],
    [['/vlan_ids'], []]
  ])('is the files for %j: %j', (changed, declared) => {
    const found = causes(changed)
    expect(found && Object.keys(found).filter(each => found[each] === 'declaration')).toEqual(
      declared
    )
    if (found !== undefined) expect(Object.keys(found)).toHaveLength(3)
  })

  it('is drift for a WLAN that the files did not change', () => {
    expect(
      new Set(Object.values(planOf([wlan(fields)], now, {}).changes[0]?.causes ?? {}))
    ).toEqual(new Set(['drift']))
  })

  it('does not change the digest', () => {
    expect(planOf([wlan(fields)], now, {}).digest).toBe(
      planOf([wlan(fields)], now, undefined).digest
    )
  })

  it('is no other word in a saved plan', () => {
    const text = formatPlan(planOf([wlan(fields)], now, {}))
    expect(() => parsePlan(text.replaceAll('"drift"', '"magic"'), 'plan.json')).toThrow('damaged')
  })
})

describe('a removed declaration', () => {
  test.each<[what: string, pointer: string, live: object, message: RegExp]>([
    ['a value', '/vlan_id', { vlan_id: 20 }, /^vlan_id .*"main".*the live value 20 stays/],
    ['no live value', '/vlan_id', {}, /live has no value/],
    ['an empty one', '/dns_server_rewrite', { dns_server_rewrite: {} }, /live has no value/],
    ['a text', '/hostname_ie', { hostname_ie: 'x\u001b[31m' }, /"x\\u001b\[31m" stays/],
    ['a secret', '/auth/psk', { auth: { psk: 'planted-secret' } }, /live value \(secret\) stays/],
    ['a mask', '/auth/psk', { auth: { psk: '********' } }, /live value \(secret\) stays/],
    [
      'a secret in a list',
      '/auth_servers',
      { auth_servers: [{ host: '10.0.0.2', secret: 'planted-secret' }] },
      /"host":"10\.0\.0\.2","secret":"\(secret\)"/
    ]
  ])('%s', (_, pointer, record, message) => {
    const removed = [{ pointer, place }]
    const wlans = new Map([['corp', { changed: [], removed }]])
    const { findings } = planOf([wlan({})], [live(record)], { wlans })
    expect(findings).toEqual([
      expect.objectContaining({
        level: 'warning',
        code: 'NO_LONGER_DECLARED',
        address: 'hq/corp',
        place,
        message: expect.stringMatching(message)
      })
    ])
    expect(JSON.stringify(findings)).not.toContain('planted')
  })

  const old = wlan({ ssid: 'Events' }, { key: 'events', place })

  test.each<[what: string, lives: readonly ReturnType<typeof live>[], message: RegExp | undefined]>(
    [
      ['live', [live({ ssid: 'Events' })], /live WLAN "Events" \(.*\) stays on the air/],
      ['switched off', [live({ ssid: 'Events', enabled: false })], /stays, switched off/],
      ['not live', [live({ ssid: 'Other' })], undefined]
    ]
  )('of a WLAN: %s', (_, lives, message) => {
    const { findings } = planOf([], lives, { removed: [old] })
    expect(findings.map(found => found.message)).toEqual(
      message === undefined ? [] : [expect.stringMatching(message)]
    )
  })

  it('of a WLAN that is no longer managed', () => {
    const now = { ...old, excluded: true, managed: false } as const
    const { findings, unmanaged } = planOf([now], [live({ ssid: 'Events' })], { removed: [old] })
    expect(findings).toMatchObject([{ code: 'NO_LONGER_DECLARED' }])
    expect(unmanaged).toEqual([])
  })

  it('of a WLAN whose live record matches another declaration', () => {
    const now = wlan({}, { id: nth(1) })
    expect(planOf([now], [live({ ssid: 'Events' })], { removed: [old] }).findings).toEqual([])
  })

  it('is listed up to a limit', () => {
    const removed = Array.from({ length: 5002 }, (_, n) => ({ pointer: `/field_${n}`, place }))
    const wlans = new Map([['corp', { changed: [], removed }]])
    const { findings } = planOf([wlan({})], [live({})], { wlans })
    expect(findings).toHaveLength(5001)
    expect(findings.at(-1)).toMatchObject({ code: 'MORE_WARNINGS' })
  })
})

describe('the modification time of a live WLAN', () => {
  test.each<[time: unknown, modified: string | undefined]>([
    [1_700_000_000, '2023-11-14T22:13:20Z'],
    [1_700_000_000.75, '2023-11-14T22:13:20Z'],
    [undefined, undefined],
    [0, undefined],
    [-1, undefined],
    [1e300, undefined],
    ['1700000000', undefined]
  ])('%j is %s', (modified_time, modified) => {
    const { changes } = planOf([wlan({ vlan_id: 4 })], [live({ modified_time })], undefined)
    expect(changes[0]?.modified).toBe(modified)
  })
})

describe('the fields with the highest impact', () => {
  test.each<[fields: ValueObject, pointers: readonly string[] | undefined]>([
    [{ vlan_id: 40 }, undefined],
    [{ vlan_id: 40, sle_excluded: true }, ['/vlan_id']],
    [{ enabled: false, vlan_id: 40, sle_excluded: true }, ['/enabled']],
    [{ sle_excluded: true }, undefined]
  ])('%j: %j', (fields, pointers) => {
    expect(
      planOf([wlan(fields)], [live({ vlan_enabled: true })], undefined).changes[0]?.impact_fields
    ).toEqual(pointers)
  })
})
