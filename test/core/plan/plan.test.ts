import { describe, expect, test } from 'vitest'
import { validatePlan } from '#forms'
import type { DesiredWlan, Policy } from '../../../src/core/model/desired.ts'
import { finding } from '../../../src/core/model/finding.ts'
import type { LiveWlan } from '../../../src/core/model/live.ts'
import type { Plan, PlannedSite, WlanPlan } from '../../../src/core/model/plan.ts'
import {
  assemble,
  planSite,
  planUnread,
  planWlan,
  wlanFindings
} from '../../../src/core/plan/plan.ts'
import { formatPlan } from '../../../src/files/saved-plan.ts'
import { context, desiredSite, env, live, liveSite, nth, SITE, shown, wlan } from './support.ts'

/** The result for one declaration and one live WLAN. */
function verdict(fields: DesiredWlan['fields'], found: object): WlanPlan {
  return planWlan(SITE, wlan(fields), live(found))
}

function changeOf(fields: DesiredWlan['fields'], found: object) {
  const result = verdict(fields, found)
  if (result.status !== 'changed') throw new Error(`it is ${result.status}`)
  return result.change
}

/** A plan of these sites, validated with the schema of the saved form. */
function plan(sites: readonly PlannedSite[], policy: Partial<Policy> = {}): Plan {
  const made = assemble(sites, context(policy))
  expect(validatePlan(JSON.parse(formatPlan(made))), JSON.stringify(validatePlan.errors)).toBe(true)
  return made
}

function site(wlans: readonly DesiredWlan[], found: readonly LiveWlan[]): PlannedSite {
  return planSite(desiredSite(wlans), liveSite(found))
}

const named = (key: string, ssid: string, rest: Partial<DesiredWlan> = {}) =>
  wlan({ ssid }, { key, address: `hq/${key}`, ...rest })

describe('a WLAN in sync', () => {
  test('is unchanged', () => {
    expect(verdict({ vlan_id: 5 }, { vlan_id: '5', dtim: 1 })).toMatchObject({
      status: 'unchanged',
      address: 'hq/corp',
      notCompared: []
    })
  })

  test('lists the secrets that could not be compared', () => {
    expect(verdict({ auth: { psk: env('x') } }, { auth: { psk: '****' } })).toMatchObject({
      status: 'unchanged',
      address: 'hq/corp',
      notCompared: ['/auth/psk'],
      references: { '/auth/psk': { $env: 'WLAN_SECRET_PSK' } }
    })
  })
})

describe('a change', () => {
  test('has the operations and the request that fix the drift', () => {
    const auth = { type: 'psk', psk: 'hush-live', owe: 'x' }
    const declared = { ssid: 'Guest', auth: { type: 'psk', psk: env('hush-new', 'GUEST') } }
    const change = planWlan(
      SITE,
      wlan(declared, { key: 'guest', address: 'hq/guest', matchSsid: 'Visitors' }),
      live({ ssid: 'Visitors', auth, dtim: 1 }, nth(7))
    )
    expect(change).toMatchObject({ status: 'changed', address: 'hq/guest' })
    const psk = { $env: 'WLAN_SECRET_GUEST' }
    expect(shown(Object(change).change)).toEqual({
      address: 'hq/guest',
      context: { '/auth/type': 'psk' },
      site: SITE,
      wlan: { id: nth(7), ssid: 'Visitors' },
      origin: { file: 'sites/hq.yaml', line: 3, column: 3 },
      impact: 'outage',
      dangers: [
        { kind: 'renamed', pointer: '/ssid' },
        { kind: 'other-key', pointer: '/auth/psk' }
      ],
      patch: [
        { op: 'replace', path: '/auth/psk', value: psk },
        { op: 'test', path: '/ssid', value: 'Visitors' },
        { op: 'replace', path: '/ssid', value: 'Guest' }
      ],
      request: {
        method: 'PUT',
        path: `/api/v1/sites/${SITE.id}/wlans/${nth(7)}`,
        body: { auth: { owe: 'x', psk, type: 'psk' }, ssid: 'Guest' }
      },
      secrets: { '/auth/psk': 'changed' }
    })
  })

  test('has no impact and no `not_compared` without one', () => {
    const change = changeOf({ max_idletime: 90 }, { max_idletime: 60 })
    expect(Object.keys(change)).toEqual(['address', 'site', 'wlan', 'origin', 'patch', 'request'])
  })

  test('lists the declared secrets that could not be compared', () => {
    const change = changeOf({ dtim: 2, auth: { psk: env() } }, { dtim: 1, auth: { psk: 'x' } })
    expect(change.not_compared).toEqual(['/auth/psk'])
    expect(Object.keys(change.request.body)).toEqual(['dtim'])
  })

  test('keeps the values that it was computed from', () => {
    const declared = wlan({ dtim: 2 })
    const found = live({ dtim: 1 })
    expect(planWlan(SITE, declared, found)).toMatchObject({ desired: declared, live: found })
  })
})

describe('a WLAN that cannot be changed', () => {
  test.each([
    ['inherited', { dtim: 2 }, { dtim: 1, template_id: nth(9) }, 'WLAN_INHERITED'],
    [
      'that removes the key that it needs and live hides',
      { auth: { psk: null, pairwise: ['wpa3'] } },
      { auth: { type: 'psk', psk: '****' } },
      'SECRET_HIDDEN'
    ],
    ['with a number too large', { qos: { class: 'a' } }, { qos: { x: 2 ** 53 } }, 'NUMBER_NOT_KEPT']
  ])('%s is blocked', (_, declared, found, code) => {
    expect(verdict(declared, found)).toMatchObject({
      status: 'blocked',
      address: 'hq/corp',
      finding: { code, level: 'error', address: 'hq/corp', place: { line: 3 } }
    })
  })

  test('is not one with a hidden secret that travels along', () => {
    const found = { vlan_id: 9, auth: { type: 'psk', psk: '****' } }
    const planned = verdict({ vlan_id: 10, auth: { pairwise: ['wpa3'] } }, found)
    expect(planned).toMatchObject({
      status: 'changed',
      hidden: ['/auth/psk'],
      change: { request: { body: { vlan_id: 10, auth: { pairwise: ['wpa3'] } } } }
    })
    expect(wlanFindings(planned)).toMatchObject([{ code: 'SECRET_HIDDEN', level: 'warning' }])
  })

  test.each([
    ['inherited', { dtim: 1 }, { dtim: 1, template_id: nth(9) }],
    ['with a hidden secret', { auth: { type: 'psk' } }, { auth: { type: 'psk', psk: '****' } }],
    ['with a number too large', { qos: { class: 'a' } }, { qos: { class: 'a', x: 2 ** 53 } }]
  ])('%s is unchanged if it equals its declaration', (_, declared, found) => {
    expect(verdict(declared, found).status).toBe('unchanged')
  })

  test.each([null, '', undefined])('is not one with the template_id %j', template_id => {
    expect(verdict({ dtim: 2 }, { dtim: 1, template_id }).status).toBe('changed')
  })
})

describe('a site', () => {
  const corp = live({ ssid: 'Corp' }, nth(1))
  const guest = live({ ssid: 'Guest' }, nth(2))
  const iot = live({ ssid: 'IoT' }, nth(3))

  test('lists the undeclared live WLANs', () => {
    expect(site([named('corp', 'Corp')], [corp, guest, iot]).unmanaged).toEqual([
      { site: 'hq', id: nth(2), ssid: 'Guest', network: 'open' },
      { site: 'hq', id: nth(3), ssid: 'IoT', network: 'open' }
    ])
  })

  test('does not list a live WLAN with several declarations', () => {
    const twice = site([named('a', 'Corp'), named('b', 'Corp')], [corp, iot])
    expect(twice.wlanPlans.map(({ status }) => status)).toEqual(['blocked', 'blocked'])
    expect(twice.unmanaged).toEqual([{ site: 'hq', id: nth(3), ssid: 'IoT', network: 'open' }])
  })

  test('keeps only a count of the WLANs that are as declared, and the others in their order', () => {
    const secret = named('corp', 'Corp', { fields: { ssid: 'Corp', auth: { psk: env() } } })
    const declared = [secret, named('gone', 'Gone'), named('guest', 'Guest'), named('iot', 'IoT')]
    const { wlanPlans, unchanged } = site(declared, [guest, iot, corp])
    expect(wlanPlans.map(({ address, status }) => [address, status])).toEqual([
      ['hq/corp', 'unchanged'],
      ['hq/gone', 'blocked']
    ])
    expect(unchanged).toBe(3)
  })

  test('excludes an unmanaged WLAN, and knows that it is declared', () => {
    const { wlanPlans, unchanged, unmanaged } = site(
      [
        named('corp', 'Corp'),
        named('guest', 'Guest', { excluded: true }),
        named('no', 'No', { excluded: true })
      ],
      [corp, guest, iot]
    )
    expect([wlanPlans, unchanged]).toEqual([[], 1])
    expect(unmanaged.map(({ ssid }) => ssid)).toEqual(['IoT'])
  })

  test('blocks a WLAN that matches the live WLAN of an excluded one', () => {
    const { wlanPlans } = site([named('a', 'Corp'), named('b', 'Corp', { excluded: true })], [corp])
    expect(wlanPlans).toMatchObject([{ address: 'hq/a', finding: { code: 'WLAN_CLAIMED_TWICE' } }])
  })

  test('that could not be read is unread for each WLAN of the run', () => {
    const declared = [named('corp', 'Corp'), named('guest', 'Guest', { excluded: true })]
    const unread = { site: SITE, reason: 'it timed out' }
    expect(planUnread(desiredSite(declared), unread)).toEqual({
      site: SITE,
      declared,
      wlanPlans: [{ status: 'unread', address: 'hq/corp' }],
      unchanged: 0,
      unmanaged: [],
      unread
    })
  })
})

describe('a plan', () => {
  const store = { id: '0b6f1c5e-0000-4000-8000-000000000002', name: 'store' }
  const mixed = () => [
    planUnread(desiredSite([wlan({}, { address: 'store/corp' })], store), {
      site: store,
      reason: 'it timed out',
      hint: 'try again'
    }),
    site(
      [
        wlan({ dtim: 2 }),
        named('gone', 'Gone'),
        named('guest', 'Guest'),
        wlan({ ssid: 'Lab', auth: { psk: env() } }, { key: 'lab', address: 'hq/lab' })
      ],
      [
        live({ dtim: 1 }, nth(1)),
        live({ ssid: 'Guest' }, nth(2)),
        live({ ssid: 'IoT' }, nth(4)),
        live({ ssid: 'Bar' }, nth(6)),
        live({ ssid: 'Bar' }, nth(5)),
        live({ ssid: 'Lab', auth: { psk: 'hush' } }, nth(3))
      ]
    )
  ]

  test('contains every WLAN once', () => {
    const made = plan(mixed())
    expect(made.summary).toEqual({
      sites: 2,
      sites_failed: 1,
      wlans: 5,
      changed: 1,
      unchanged: 2,
      blocked: 1,
      unmanaged: 3,
      requests: 1
    })
    expect(made.changes.map(({ address }) => address)).toEqual(['hq/corp'])
    expect(made.not_compared).toEqual([
      {
        address: 'hq/lab',
        pointers: ['/auth/psk'],
        references: { '/auth/psk': { $env: 'WLAN_SECRET_PSK' } }
      }
    ])
    expect(made.unmanaged.map(({ ssid, id }) => [ssid, id])).toEqual([
      ['Bar', nth(5)],
      ['Bar', nth(6)],
      ['IoT', nth(4)]
    ])
    expect(made.findings).toMatchObject([
      { code: 'WLAN_NOT_FOUND', address: 'hq/gone' },
      { code: 'SITE_NOT_READ', address: 'store', hint: 'try again' }
    ])
  })

  test('has the findings of the files before its own', () => {
    const findings = [finding('FILE_EMPTY', {})]
    const made = assemble(mixed(), { ...context(), findings })
    expect(made.findings.map(({ code }) => code)).toEqual([
      'FILE_EMPTY',
      'WLAN_NOT_FOUND',
      'SITE_NOT_READ'
    ])
  })

  test.each([
    ['report', 3, 0],
    ['ignore', 0, 0],
    ['error', 3, 3]
  ] as const)('with unmanaged WLANs as %s', (unmanaged, listed, errors) => {
    const made = plan(mixed(), { unmanaged })
    expect(made.unmanaged).toHaveLength(listed)
    expect(made.summary.unmanaged).toBe(listed)
    expect(made.findings.filter(({ code }) => code === 'UNMANAGED')).toHaveLength(errors)
  })

  test('without sites is valid', () => {
    expect(plan([]).summary).toMatchObject({ sites: 0, wlans: 0, changed: 0 })
  })
})
