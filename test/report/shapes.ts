import type { Wave } from '../../src/core/model/desired.ts'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Outcome } from '../../src/core/model/outcome.ts'
import type { Change } from '../../src/core/model/plan.ts'
import type { RecordedRun, TimelineEvent } from '../../src/core/model/record.ts'
import { groupsBy } from '../../src/core/values/collections.ts'
import type { Report, SitePlan } from '../../src/report/report.ts'
import { HQ } from '../support/ids.ts'
import { changeOf, ended, planOf } from './plans.ts'

const numbers = (n: number) => Array.from({ length: n }, (_, at) => at)
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 10) + seconds * 1000).toISOString()

const vlanOf = (address: string, n: number, more: Partial<Change> = {}) =>
  changeOf(address, n % 3 === 0 ? 'outage' : undefined, { vlan_id: [n, n + 1] }, more)

const fields = (n: number) =>
  Object.fromEntries(numbers(n).map(each => [`field_${each}`, [each, each + 1] as const]))

const pointers = (n: number) => numbers(n).map(each => `/field_${each}`)

const found = (n: number, more: Partial<Finding> = {}): Finding => ({
  level: 'error',
  code: 'WLAN_NOT_FOUND',
  message: `no live WLAN has the SSID "WLAN ${n}"`,
  place: { file: 'sites/hq.yaml', line: n + 1, column: 1 },
  ...more
})

const outcomeOf = (address: string, more: Partial<Outcome> = {}): Outcome =>
  ended(address, 'diverged', {
    reason: `${address}: not as declared`,
    fields: [{ pointer: '/vlan_id', before: 1, wanted: 2, found: 1 }],
    ...more
  })

const waves = (n: number): Wave[] =>
  numbers(n).map(each => ({ name: `wave ${each}`, sites: [`site-${each}`] }))

const timeline = (n: number): TimelineEvent[] =>
  numbers(n).map(each => ({ at: at(each), step: each % 2 === 0 ? 'sending' : 'answered' }))

function runOf(changes: readonly Change[], more: Partial<RecordedRun> = {}): RecordedRun {
  return {
    id: '0a1b2c3d',
    command: 'apply',
    tool: 'wlanctl/0.1.0',
    baseUrl: 'https://api.example.com',
    digest: 'sha256:0',
    started: at(0),
    ended: at(9),
    changes: changes.map((change, line) => ({
      change,
      outcome: outcomeOf(change.address, { status: line % 2 === 0 ? 'unknown' : 'applied' }),
      lostSecrets: [],
      timeline: timeline(2),
      line
    })),
    ...more
  }
}

const siteEach = (n: number) => numbers(n).map(each => vlanOf(`site-${each}/guest`, each))
const oneSite = (n: number) => numbers(n).map(each => vlanOf(`hq/wlan-${each}`, each))
const planned = (changes: readonly Change[]): SitePlan[] =>
  groupsBy(changes, ({ site }) => site.name).map(([first, ...others]) => ({
    site: first.site,
    unchanged: 0,
    declared: [],
    wlanPlans: [first, ...others].map(({ address }) => ({ address, status: 'changed' }))
  }))

/**
 * Reports that grow in one dimension each, for everything that a fleet, a service or a file may have many of.
 */
export const shapes = {
  sites: n => ({
    kind: 'plan',
    plan: planOf(siteEach(n)),
    planned: planned(siteEach(n))
  }),
  'WLANs of one site': n => ({ kind: 'drift', plan: planOf(oneSite(n)) }),
  'unchanged WLANs of one site': n => ({
    kind: 'drift',
    plan: planOf([], {
      not_compared: numbers(n).map(each => ({
        address: `hq/wlan-${each}`,
        pointers: ['/auth/psk']
      }))
    }),
    planned: [{ site: { id: HQ, name: 'hq' }, unchanged: n, declared: [], wlanPlans: [] }]
  }),
  'findings on one site': n => ({
    kind: 'plan',
    plan: planOf([], {
      findings: numbers(n).map(each => found(each, { address: `hq/wlan-${each}` }))
    })
  }),
  'findings that say the same': n => ({
    kind: 'findings',
    findings: numbers(n).map(each => {
      const { place: _, ...said } = found(0, { address: `hq/wlan-${each}` })
      return said
    })
  }),
  'findings in files': n => ({ kind: 'findings', findings: numbers(n).map(each => found(each)) }),
  operations: n => ({
    kind: 'plan',
    plan: planOf([changeOf('hq/guest', 'outage', fields(n), { downgrades: pointers(n) })])
  }),
  'elements of a list': n => ({
    kind: 'plan',
    plan: planOf([
      changeOf('hq/guest', undefined, {
        ap_ids: [numbers(n).map(String), numbers(n).map(each => `new ${each}`)]
      })
    ])
  }),
  'characters of a value': n => ({
    kind: 'plan',
    plan: planOf([
      changeOf('hq/guest', undefined, { terms: [`${'x'.repeat(n)}y`, `${'x'.repeat(n)}z`] })
    ])
  }),
  'unmanaged WLANs': n => ({
    kind: 'plan',
    plan: planOf([], {
      unmanaged: numbers(n).map(each => ({ site: 'hq', id: `${each}`, ssid: `WLAN ${each}` }))
    })
  }),
  'waves of a plan': n => ({ kind: 'plan', plan: planOf(siteEach(n), { rollout: waves(n) }) }),
  outcomes: n => ({
    kind: 'outcomes',
    plan: planOf(oneSite(n)),
    outcomes: oneSite(n).map(({ address }) => outcomeOf(address)),
    planned: planned(oneSite(n))
  }),
  'fields of an outcome': n => ({
    kind: 'outcomes',
    plan: planOf(oneSite(1)),
    outcomes: [
      outcomeOf('hq/wlan-0', {
        fields: pointers(n).map(pointer => ({ pointer, before: 1, wanted: 2, found: 1 })),
        side_effects: pointers(n),
        not_verifiable: pointers(n),
        not_restored: pointers(n)
      })
    ]
  }),
  'runs of a record': n => ({
    kind: 'record',
    runs: numbers(n).map(each => runOf(oneSite(1), { id: `${each}` }))
  }),
  'changes of a run': n => ({ kind: 'record', runs: [runOf(oneSite(n))] }),
  'steps of a change': n => ({
    kind: 'record',
    runs: [
      runOf([], {
        changes: runOf(oneSite(1)).changes.map(change => ({ ...change, timeline: timeline(n) }))
      })
    ]
  })
} satisfies Record<string, (n: number) => Report>

export type ShapeName = keyof typeof shapes

export const shapeNames = Object.keys(shapes) as ShapeName[]
