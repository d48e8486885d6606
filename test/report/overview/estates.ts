import type { DangerKind } from '../../../src/core/model/danger.ts'
import type { Finding } from '../../../src/core/model/finding.ts'
import type { Impact } from '../../../src/core/model/impact.ts'
import type { Outcome, Status } from '../../../src/core/model/outcome.ts'
import type { Change } from '../../../src/core/model/plan.ts'
import type { TimelineEvent } from '../../../src/core/model/record.ts'
import { byCodeUnit } from '../../../src/core/values/collections.ts'
import type { OutcomesReport, PlanReport } from '../../../src/report/report.ts'
import { siteName } from '../../../src/simulator/fleet/generate.ts'
import { HQ } from '../../support/ids.ts'
import { changeOf, env, live, planOf } from '../plans.ts'

/** The sizes at which people look at a report. */
export const sizes = [3, 40, 300, 2000] as const

const keys = ['corp', 'guest', 'iot', 'staff', 'tills'] as const

/** An edit by hand: of a network, at so many of 300 sites, from the site with this number on. */
interface Damage {
  readonly key: (typeof keys)[number]
  readonly at: number
  readonly from: number
  readonly edits: (site: number) => Parameters<typeof changeOf>[2]
  readonly impact?: Impact
  readonly danger?: readonly [DangerKind, string]
  readonly downgrade?: string
}

const damages: readonly Damage[] = [
  {
    key: 'corp',
    at: 3,
    from: 0,
    edits: () => ({ enabled: [false, true] }),
    danger: ['off', '/enabled']
  },
  {
    key: 'iot',
    at: 4,
    from: 1,
    edits: () => ({ 'auth.type': ['open', 'psk'] }),
    impact: 'outage',
    danger: ['open', '/auth/type']
  },
  {
    key: 'guest',
    at: 18,
    from: 2,
    edits: () => ({ isolation: [false, true] }),
    impact: 'reconnect',
    danger: ['not-isolated', '/isolation']
  },
  {
    key: 'tills',
    at: 30,
    from: 5,
    edits: site => ({ 'auth.psk': [live(), env(`TILLS_${site}`)] }),
    impact: 'outage',
    danger: ['other-key', '/auth/psk']
  },
  {
    key: 'staff',
    at: 3,
    from: 7,
    edits: () => ({ ssid: ['Staff-test', 'Staff'] }),
    impact: 'outage'
  },
  { key: 'corp', at: 8, from: 40, edits: () => ({ vlan_id: [1, 40] }), impact: 'reconnect' },
  { key: 'staff', at: 28, from: 60, edits: () => ({ dtim: [1, 2] }) },
  {
    key: 'guest',
    at: 2,
    from: 31,
    edits: () => ({ 'auth.type': ['psk', 'open'] }),
    impact: 'outage',
    downgrade: '/auth/type'
  }
]

/**
 * An estate of sites with five networks each and mixed damage: networks off, open, less secure, wrong and different,
 * sites that could not be read, a network that is missing, and a finding of one rule at every site, each site in a file of
 * its own.
 */
export function estate(sites: number, kind: PlanReport['kind'] = 'drift'): PlanReport {
  const numbers = Array.from({ length: sites }, (_, nth) => nth)
  const isUnread = (nth: number) => sites > 3 && nth % 100 === 19
  const missing = numbers.find(nth => nth === sites - 1 && !isUnread(nth))
  const changes = new Map<string, Change>()
  for (const damage of damages) {
    const count = Math.max(1, Math.round((damage.at * sites) / 300))
    for (let nth = 0; nth < count; nth += 1) {
      const site = (damage.from + nth * 7) % sites
      const address = `${siteName(site)}/${damage.key}`
      if (!isUnread(site) && !changes.has(address) && !(site === missing && damage.key === 'corp'))
        changes.set(address, changeBy(damage, site, kind))
    }
  }
  const statusOf = (nth: number, address: string) => {
    if (isUnread(nth)) return 'unread'
    if (nth === missing && address.endsWith('/corp')) return 'blocked'
    return changes.has(address) ? 'changed' : 'unchanged'
  }
  const planned = numbers.map(nth => {
    const name = siteName(nth)
    const all = keys.map(key => {
      const address = `${name}/${key}`
      return { address, status: statusOf(nth, address) } as const
    })
    const wlanPlans = all.filter(({ status }) => status !== 'unchanged')
    const declared = keys.map(key => ({ address: `${name}/${key}`, fields: { ssid: ssidOf(key) } }))
    const unchanged = all.length - wlanPlans.length
    return { site: { id: HQ, name }, declared, wlanPlans, unchanged }
  })
  const unread = numbers.filter(isUnread)
  const sorted = [...changes.values()].sort((a, b) => byCodeUnit(a.address, b.address))
  const plan = planOf(sorted, {
    ...(kind === 'drift' && { command: 'drift' }),
    findings: [
      ...unread.map(notRead),
      ...(missing === undefined ? [] : [notFound(missing)]),
      ...numbers.filter(nth => !isUnread(nth)).map(rates)
    ],
    summary: {
      sites,
      sites_failed: unread.length,
      wlans: sites * keys.length,
      changed: changes.size,
      unchanged: planned.reduce((sum, { unchanged }) => sum + unchanged, 0),
      blocked: missing === undefined ? 0 : 1,
      requests: sites
    }
  })
  return { kind, plan, planned }
}

const ssidOf = (key: string) => key[0]?.toUpperCase() + key.slice(1)

function changeBy(
  { key, edits, impact, danger, downgrade }: Damage,
  site: number,
  kind: PlanReport['kind']
): Change {
  const name = siteName(site)
  const [dangerKind, pointer] = danger ?? []
  return changeOf(`${name}/${key}`, impact, edits(site), {
    wlan: { id: `id-${site}-${key}`, ssid: ssidOf(key) },
    origin: { file: `sites/${name}.yaml`, line: 4 + keys.indexOf(key) * 6, column: 3 },
    ...(kind === 'drift' && {
      dangers: dangerKind === undefined ? [] : [{ kind: dangerKind, pointer: pointer ?? '' }]
    }),
    ...(downgrade !== undefined && {
      downgrades: [downgrade],
      downgrade_levels: { [downgrade]: 'high' as const }
    })
  })
}

function notRead(nth: number): Finding {
  return {
    level: 'error',
    code: 'SITE_NOT_READ',
    message: `the site could not be read: GET /api/v1/sites/7d6f1c5e-0000-4000-8000-${String(nth).padStart(12, '0')}/wlans: 503: Service unavailable.`,
    address: siteName(nth)
  }
}

function notFound(nth: number): Finding {
  return {
    level: 'error',
    code: 'WLAN_NOT_FOUND',
    message: 'no live WLAN has the SSID "Corp"',
    hint: 'wlanctl creates no WLANs: create the WLAN in the service, or correct the declaration',
    address: `${siteName(nth)}/corp`,
    place: { file: `sites/${siteName(nth)}.yaml`, line: 4, column: 3 }
  }
}

/** The same note about each site, in a file of its own. */
function rates(nth: number): Finding {
  return {
    level: 'info',
    code: 'LINT',
    rule: 'rates-mixed',
    message: `the rates of 2 WLANs differ from those of "${siteName(nth)}"`,
    hint: 'use the same rates',
    address: siteName(nth),
    place: { file: `sites/${siteName(nth)}.yaml`, line: 2, column: 1 }
  }
}

/** The outcomes of a plan of the estate, with every status. */
export function outcomesReport(sites: number): OutcomesReport {
  const { plan, planned = [] } = estate(sites, 'plan')
  const outcomes = plan.changes.map(({ address }, nth): Outcome => {
    const status = endOf(nth)
    return {
      address,
      status,
      ...(status === 'diverged' && {
        fields: [{ pointer: '/vlan_id', before: 1, wanted: 40, found: 1 }]
      }),
      ...(nth % 13 === 0 && { side_effects: ['/limit_bcast'] }),
      ...(status === 'applied' ? {} : { reason: reasons[status] ?? '' })
    }
  })
  const timeline = new Map(
    outcomes.map(({ address, status }, nth) => [address, eventsOf(status, nth)])
  )
  return { kind: 'outcomes', plan, planned, outcomes, timeline }
}

/** Ten at a time, each about a second long. */
function eventsOf(status: Status, nth: number): TimelineEvent[] {
  const start = Date.UTC(2026, 10, 20, 10) + Math.floor(nth / 10) * 1500 + (nth % 10) * 90
  const at = (after: number) => new Date(start + after).toISOString()
  if (status === 'stale') return [{ at: at(0), step: 'outcome' }]
  return [
    { at: at(0), step: 'sending' },
    { at: at(300 + (nth % 7) * 40), step: 'answered' },
    { at: at(700 + (nth % 11) * 50), step: 'read', note: status },
    { at: at(710 + (nth % 11) * 50), step: 'outcome' }
  ]
}

const reasons: Partial<Record<Status, string>> = {
  diverged: 'accepted, but reading it back shows otherwise',
  failed: 'PUT /api/v1/sites/4ac1dcf4-9d8b-4211-95c4-057819f0862b/wlans: 400: vlan_id is taken',
  stale: 'changed outside this run since the plan',
  unknown: 'sent, and the connection was lost before the answer came'
}

function endOf(nth: number): Status {
  if (nth % 29 === 11) return 'diverged'
  if (nth % 31 === 17) return 'failed'
  if (nth % 37 === 5) return 'stale'
  return nth === 23 ? 'unknown' : 'applied'
}
