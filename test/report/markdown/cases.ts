import type { Finding } from '../../../src/core/model/finding.ts'
import type { Change } from '../../../src/core/model/plan.ts'
import type { RecordedRun } from '../../../src/core/model/record.ts'
import type { Report } from '../../../src/report/report.ts'
import {
  changeOf,
  dangerous,
  ended,
  env,
  guest,
  live,
  notFound,
  planOf,
  staff,
  tills,
  unread
} from '../plans.ts'

const store = (n: number) => `store-${String(n).padStart(4, '0')}`
const numbers = (n: number) => Array.from({ length: n }, (_, at) => at + 1)

/** The edit of a profile that applies to every store. */
const rollOut = (n: number): Change =>
  changeOf(
    `${store(n)}/guest`,
    'reconnect',
    { dtim: [1, 2], 'auth.pairwise': [['wpa2-ccmp'], ['wpa2-ccmp', 'wpa3']] },
    { origin: { file: 'stores.yaml', line: 8, column: 3 }, wlan: { id: `${n}`, ssid: 'Guest' } }
  )

/** A store with an earlier edit of its own. */
const exception = (n: number): Change =>
  changeOf(`${store(n)}/guest`, n % 2 === 0 ? 'outage' : 'reconnect', {
    dtim: [3 + n, 2],
    ssid: [`Guest ${n}`, 'Guest']
  })

const downgraded = changeOf(
  'hq/corp',
  'outage',
  {
    'auth.type': ['eap', 'open'],
    isolation: [true, false],
    'auth.psk': [live(), env('CORP_PSK')]
  },
  { downgrades: ['/auth/type', '/isolation'] }
)

const summary = (sites: number, wlans: number, changed: number) => ({
  sites,
  wlans,
  changed,
  unchanged: wlans - changed,
  requests: sites
})

const aps = (from: number, to: number) =>
  numbers(to)
    .slice(from - 1)
    .map(n => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)

const longList = changeOf('store-bonn/voice', undefined, { ap_ids: [aps(1, 14), aps(3, 16)] })

const findings: readonly Finding[] = [
  notFound,
  unread('store-essen', 1),
  unread('store-kiel', 2),
  {
    level: 'warning',
    code: 'SECRET_UNRESOLVED',
    message: '"WLAN_SECRET_GUEST_PSK" is not available: no such variable',
    hint: 'the field is not compared, and `apply` needs it',
    place: { file: 'fleet/sites/hq.yaml', line: 17, column: 12 },
    path: 'wlans.guest.auth.psk'
  }
]

const unmanaged = [
  { site: 'hq', id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0f', ssid: 'IoT' },
  { site: 'store-bonn', id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0e', ssid: 'old printers' },
  { site: 'store-kiel', id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0d', ssid: 'old printers' }
]

const exceptions = [17, 204, 377, 512, 513, 900, 1201, 1444, 1800, 2001, 2500, 2777, 2999]

const sameEverywhere = numbers(3000).map(n => (exceptions.includes(n) ? exception(n) : rollOut(n)))

const different = numbers(2000).map(n =>
  changeOf(`${store(n)}/guest`, n % 50 === 0 ? 'outage' : undefined, {
    vlan_id: [n, n + 1],
    ssid: [`Store ${n}`, `Guest ${n}`],
    max_idletime: [1800, 1800 + n]
  })
)

const failures = planOf([...numbers(28).map(rollOut), guest, staff, tills], {
  findings: [notFound],
  summary: { ...summary(33, 64, 31), blocked: 1, unchanged: 32 }
})

const run: RecordedRun = {
  id: '3f9c2a1b',
  command: 'apply',
  tool: 'wlanctl/0.1.0',
  baseUrl: 'https://api.example.com',
  digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
  started: '2026-11-20T10:00:00.000Z',
  changes: [
    {
      change: guest,
      lostSecrets: ['/auth/psk'],
      outcome: ended('hq/guest', 'applied'),
      timeline: [],
      line: 2
    },
    {
      change: tills,
      lostSecrets: [],
      outcome: ended('store-kiel/tills', 'unknown'),
      timeline: [],
      line: 3
    }
  ]
}

/** Changes that exceed the limit of a comment. */
export const allDifferent = {
  kind: 'plan',
  plan: planOf(different, { summary: summary(2000, 2000, 2000), findings, unmanaged })
} as const satisfies Report

/** 3,000 sites with the same change, and 13 exceptions. */
export const allAlike = {
  kind: 'plan',
  plan: planOf(sameEverywhere, { summary: summary(3000, 9000, 3000) })
} as const satisfies Report

/** Realistic reports by name. */
export const cases = {
  'a bit of everything': {
    kind: 'plan',
    plan: planOf([downgraded, guest, longList, staff, tills], {
      findings,
      unmanaged,
      not_compared: [
        { address: 'hq/voice', pointers: ['/auth_servers/0/secret'] },
        { address: 'store-kiel/voice', pointers: ['/auth_servers/0/secret'] }
      ],
      summary: { ...summary(6, 14, 5), sites_failed: 2, unchanged: 4, blocked: 1 }
    })
  },
  drift: {
    kind: 'drift',
    plan: planOf([dangerous(guest, 'other-key', '/auth/psk'), tills], { unmanaged })
  },
  'outcomes with failures': {
    kind: 'outcomes',
    plan: failures,
    outcomes: [
      ...numbers(28).map(n => ended(`${store(n)}/guest`, 'applied')),
      ended('hq/guest', 'diverged', {
        reason: 'accepted, but reading it back shows otherwise',
        fields: [
          { pointer: '/auth/psk', before: live(), wanted: env('GUEST_PSK'), found: live() },
          { pointer: '/vlan_id', before: 20, wanted: 40, found: 20 },
          { pointer: '/dtim', wanted: 2 }
        ]
      }),
      ended('store-bonn/staff', 'failed', {
        reason:
          'PUT /api/v1/sites/4ac1dcf4-9d8b-4211-95c4-057819f0862b/wlans/7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b01: 400: vlan_id: Must be small.'
      }),
      ended('store-kiel/tills', 'skipped', {
        reason: 'wave canary: hq/guest is diverged'
      })
    ]
  },
  'invalid files': { kind: 'findings', findings: [findings[0], findings[3]] as Finding[] },
  'a record of two runs': {
    kind: 'record',
    runs: [
      {
        ...run,
        ended: '2026-11-20T10:00:04.000Z',
        waves: [{ name: 'canary', changes: 1, started: '2026-11-20T10:00:00.000Z' }]
      },
      { ...run, id: '77aa00ff', command: 'revert' }
    ]
  }
} as const satisfies Record<string, Report>
