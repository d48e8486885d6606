import { explainRule } from '../../src/core/lint/catalogue.ts'
import type { Audit } from '../../src/core/model/audit.ts'
import type { EstateDiff } from '../../src/core/model/estate-diff.ts'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Outcome } from '../../src/core/model/outcome.ts'
import type { Change, Plan } from '../../src/core/model/plan.ts'
import type { RecordedRun } from '../../src/core/model/record.ts'
import type { Report } from '../../src/report/report.ts'
import { HQ, nth } from '../support/ids.ts'
import { changeOf, ended, env, live, planOf } from './plans.ts'

const LAB = nth(1)

const place = { file: 'sites/hq.yaml', line: 12, column: 3 }
const at = '2026-11-20T10:00:00Z'
const local = '2026-11-20 11:00 Europe/Berlin'

const ids = Array.from({ length: 9 }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`)

/** A change with all members that a change can have. */
export const richChange: Change = {
  ...changeOf(
    'hq/guest',
    'outage',
    {
      ap_ids: [ids, ids.toReversed()],
      'auth.psk': [live(), env('GUEST_PSK')],
      auth_servers: [
        [{ host: 'radius-1', port: 1812, secret: live() }],
        [{ host: 'radius-2', port: 1812, secret: env('RADIUS') }]
      ],
      ssid: ['Visitors', 'Guest'],
      vlan_id: [undefined, '40']
    },
    {
      wlan: { id: ids[0] ?? '', ssid: 'Visitors' },
      origin: place,
      downgrades: ['/vlan_id'],
      downgrade_levels: { '/vlan_id': 'high' },
      impact_fields: ['/ssid'],
      not_compared: ['/auth/psk'],
      references: { '/auth/psk': { $env: 'WLAN_SECRET_GUEST_PSK' } },
      rotations: {
        '/auth/psk': {
          cause: 'reference',
          from: { $file: 'guest-psk' }
        }
      },
      secrets: { '/auth/psk': 'rotates' },
      causes: { '/ssid': 'drift', '/vlan_id': 'declaration' },
      modified: at,
      places: { '/ssid': { ...place, file: 'profiles.yaml', revision: 'main' }, '/vlan_id': place },
      sources: {
        '/vlan_id': [
          { role: 'value', kind: 'profile', name: 'base', place },
          { role: 'hidden', kind: 'site', variable: 'vlan', place: { ...place, file: 'base.yaml' } }
        ]
      }
    }
  ),
  elements: {
    '/auth_servers': {
      added: [{ element: 'radius-2', value: { port: 'x' }, before: 'radius-3' }],
      removed: ['radius-1'],
      changed: [{ element: 'radius-4', fields: [{ path: '/port', before: 'old', after: 'new' }] }],
      order: ['radius-2', 'radius-4']
    }
  }
}

const found: Finding = {
  level: 'error',
  code: 'RULE',
  message: 'the rule no-open is violated',
  hint: 'declare a key',
  place,
  path: 'wlans.guest.auth',
  address: 'hq/guest',
  rule: 'no-open'
}

const { place: _, path: __, ...ofSite } = found

const findings: readonly Finding[] = [
  found,
  { ...found, place: { ...place, revision: 'main' }, address: 'lab/guest' },
  { ...ofSite, code: 'SITE_NOT_READ', message: '503 of proxy' },
  { ...ofSite, level: 'warning', existing: true, rule: 'dtim = 1' },
  { ...ofSite, level: 'info', code: 'LINT', rule: 'weak-key', addresses: ['hq/a', 'lab/a'] },
  {
    ...ofSite,
    level: 'warning',
    rule: 'waived one',
    waived: { reason: 'replaced soon', until: '2026-12-31' }
  },
  { ...ofSite, level: 'warning', code: 'SECRET_UNRESOLVED' },
  { ...ofSite, level: 'warning', code: 'NO_LONGER_DECLARED' }
]

const next = changeOf(
  'lab/staff',
  'reconnect',
  { dtim: [1, 2] },
  { site: { id: LAB, name: 'lab' } }
)
const alike = { ...next, address: 'berlin/staff', site: { id: HQ, name: 'berlin' } }

/** A plan with all members that a plan can have. */
export const richPlan: Plan = planOf([richChange, next, alike], {
  shard: '1/8',
  against: { created: at, digest: `sha256:${'ab'.repeat(32)}` },
  rollout: [
    { name: 'canary', sites: ['hq'] },
    { name: 'shops', sites: ['lab'] },
    { sites: ['berlin'] }
  ],
  not_compared: [
    { address: 'hq/tills', pointers: ['/auth/psk'], names: { '/auth/psk': 'the key' } }
  ],
  unmanaged: [{ site: 'hq', id: HQ, ssid: 'Lobby', template: 'all shops' }],
  inherited: [{ site: 'hq', id: LAB, ssid: 'Corp', template: 'all sites' }],
  unwatched: [{ address: 'hq/tills', pointers: ['/isolation'] }],
  sites: [{ id: LAB, name: 'kiel', unread: 2 }],
  commit: 'c0ffee12'.repeat(5),
  at,
  deferred: [
    { address: 'hq/guest', windows: ['nights'], until: at, local },
    { address: 'lab/staff', freeze: 'the holidays', until: at, local }
  ],
  refusals: [{ ...found, code: 'OVER_MAX_CHANGES' }],
  findings
})

const outcomes: readonly Outcome[] = [
  {
    address: 'hq/guest',
    status: 'diverged',
    reason: 'the read-back differs',
    fields: [
      { pointer: '/ssid', before: 'Visitors', wanted: 'Guest', found: 'Other' },
      { pointer: '/auth/psk', before: live(), wanted: env('GUEST_PSK'), found: live() },
      { pointer: '/ap_ids', before: ids, wanted: ids.toReversed(), found: { odd: 'one' } }
    ],
    side_effects: ['/dtim'],
    not_verifiable: ['/auth/psk'],
    not_restored: ['/auth/psk'],
    wave: 'canary',
    until: at
  },
  ended('lab/staff', 'failed', { reason: 'the service refused: too long', wave: 'shops' }),
  ended('berlin/staff', 'applied')
]

const run: RecordedRun = {
  id: '0a1b2c3d',
  command: 'apply',
  tool: 'wlanctl/0.1.0',
  baseUrl: 'https://api.example.com',
  digest: `sha256:${'cd'.repeat(32)}`,
  started: at,
  ended: at,
  waves: [
    { name: 'canary', changes: 1, started: at, ended: at, problem: 'hq/guest diverged' },
    { name: 'shops', changes: 1, started: at }
  ],
  changes: [richChange, next].map((change, line) => ({
    change,
    lostSecrets: ['/auth/psk'],
    outcome: outcomes[line] as Outcome,
    at,
    timeline: [{ at, step: 'answered', note: 'HTTP 200' }],
    line: line + 1
  }))
}

/** A report of each kind, with all members that it can have. */
export const richReports: readonly Report[] = [
  {
    kind: 'plan',
    plan: richPlan,
    planned: [
      {
        site: { id: HQ, name: 'hq' },
        unchanged: 0,
        declared: [{ address: 'hq/guest', fields: { ssid: 'Guest' } }],
        wlanPlans: [{ address: 'hq/guest', status: 'changed' }]
      }
    ],
    secretFindings: [found]
  },
  { kind: 'drift', plan: richPlan },
  { kind: 'plan', plan: { ...richPlan, changes: [] } },
  {
    kind: 'outcomes',
    plan: richPlan,
    outcomes,
    failedWave: 'wave canary: hq/guest is diverged'
  },
  { kind: 'findings', findings, declared: { sites: 3, wlans: 8 } },
  {
    kind: 'findings',
    findings,
    imported: {
      sites: 1,
      sites_failed: 0,
      wlans: 1,
      requests: 1,
      files: [
        { file: 'sites/hq.yaml', wlans: 1 },
        { file: 'profiles.yaml', wlans: 1, profiles: 2 }
      ],
      secrets: [{ name: 'WLAN_SECRET_GUEST', address: 'hq/guest', pointer: '/auth/psk', uses: 2 }],
      secretValues: 'the values are in secrets.env'
    }
  },
  { kind: 'record', runs: [run, { ...run, id: '4e5f6a7b', command: 'revert' }] }
]

const weakKey = explainRule('weak-key')
if (weakKey === undefined) throw new Error('no rule weak-key')

const auditFinding = {
  level: 'error',
  site: 'hq',
  wlan: 'Guest',
  message: 'no key',
  detail: 'the key'
} as const
const variant = {
  security: 'open',
  vlan: '40',
  bands: '24, 5',
  enabled: true,
  odd: ['vlan']
} as const

export const richAudit: Audit = {
  baseUrl: 'https://api.example.com',
  sites: ['hq', 'lab'],
  unread: [{ site: 'kiel', reason: 'HTTP 503 of proxy' }],
  wlans: 3,
  requests: 3,
  counts: { error: 2, warning: 0, info: 0 },
  rules: [
    {
      rule: weakKey,
      level: 'error',
      count: 2,
      fromSecret: false,
      sites: 2,
      findings: [auditFinding, { ...auditFinding, site: 'lab' }]
    }
  ],
  networks: [
    {
      ssid: 'Guest',
      wlans: 3,
      variants: [
        { ...variant, sites: ['hq'] },
        { ...variant, security: 'wpa3', odd: [], sites: ['lab', 'kiel'] }
      ]
    }
  ],
  outliers: [
    {
      ssid: 'Guest',
      peers: 'group east',
      sites: ['hq', 'lab'],
      differences: [
        { kind: 'value', field: '/vlan_id', usual: 'forty', value: 'fifty', usualCount: 4 },
        { kind: 'missing', similar: 'Geust', usualCount: 4 }
      ]
    },
    {
      ssid: 'Guest',
      sites: ['lab'],
      differences: [{ kind: 'shared', field: '/auth/psk', usualCount: 4 }]
    }
  ],
  lookAlikes: [
    [
      { ssid: 'Guest', wlans: 2 },
      { ssid: 'Gue5t', wlans: 1 }
    ]
  ]
}

const site = { id: nth(1), name: 'hq' }
const changed = { address: 'hq/Guest', site, wlan: { id: nth(2), ssid: 'Guest' } }
const state = { created: at, sites: [], unread: [], isWhole: true }

export const richDiff: EstateDiff = {
  states: [
    { ...state, name: 'before.json' },
    { ...state, name: 'after.json' }
  ],
  changes: [
    {
      ...changed,
      kind: 'changed',
      patch: [
        { op: 'test', path: '/ssid', value: 'Guest' },
        { op: 'replace', path: '/ssid', value: 'Visitors' }
      ],
      impact: 'outage'
    },
    { ...changed, kind: 'removed', network: 'psk, VLAN 20', isOpen: false },
    { ...changed, kind: 'added', network: 'open', isOpen: true }
  ],
  compared: 2,
  appeared: [site],
  disappeared: [{ id: nth(3), name: 'lab' }],
  renamed: [{ before: 'store', after: 'shop' }],
  unread: [{ site, reason: 'the service answered 403' }],
  rules: richAudit.rules
}
