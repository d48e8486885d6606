import type { Finding } from '../../../src/core/model/finding.ts'
import type { Impact } from '../../../src/core/model/impact.ts'
import type { Outcome, Status } from '../../../src/core/model/outcome.ts'
import type { Change } from '../../../src/core/model/plan.ts'
import type { TimelineEvent } from '../../../src/core/model/record.ts'
import { byCodeUnit } from '../../../src/core/values/collections.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { OutcomesReport, PlanReport } from '../../../src/report/report.ts'
import { siteName } from '../../../src/simulator/fleet/generate.ts'
import { changeOf, dangerous, planOf } from '../plans.ts'

const keys = ['corp', 'guest', 'voice', 'iot', 'tills', 'cameras', 'events', 'staff', 'lab', 'byod']

export interface FleetSize {
  readonly sites: number
  readonly wlans: number
  /** The percentage of WLANs that differ. */
  readonly drift: number
  /** The interval of sites that could not be read; 0 for none. */
  readonly unread?: number
}

/** A deterministic report on a large fleet: most drift is the same edit, some is not. */
export function fleetReport({ sites, wlans, drift, unread: every = 0 }: FleetSize): PlanReport & {
  readonly verdicts: NonNullable<PlanReport['verdicts']>
} {
  const random = randomOf(7)
  const changes: Change[] = []
  const findings: Finding[] = []
  const verdicts: { address: string; status: 'changed' | 'unchanged' | 'unread' }[] = []
  for (const [site, nth] of namesOf(sites)) {
    const failed = every > 0 && nth % every === every - 1
    if (failed) findings.push(notRead(site, nth))
    for (let w = 0; w < wlans; w += 1) {
      const address = `${site}/${keys[w % keys.length]}${w < keys.length ? '' : w}`
      const differs = random() * 100 < drift
      if (!failed && differs) changes.push(driftOf(address, nth, w, random()))
      verdicts.push({ address, status: failed ? 'unread' : differs ? 'changed' : 'unchanged' })
    }
  }
  changes.sort((a, b) => byCodeUnit(a.address, b.address))
  const failed = findings.length
  const summary = {
    sites,
    sites_failed: failed,
    wlans: sites * wlans,
    changed: changes.length,
    unchanged: verdicts.filter(({ status }) => status === 'unchanged').length,
    requests: sites
  }
  return { kind: 'drift', plan: planOf(changes, { findings, summary }), verdicts }
}

/** The sites, sorted by name, each with its number. */
function namesOf(sites: number): (readonly [name: string, nth: number])[] {
  const names = Array.from({ length: sites }, (_, nth) => [siteName(nth), nth] as const)
  return names.sort(([a], [b]) => byCodeUnit(a, b))
}

function driftOf(address: string, site: number, wlan: number, chance: number): Change {
  const [impact, edits] = editOf(site, chance)
  const more = {
    wlan: { id: uuid(1, site, wlan), ssid: address.split('/')[1] ?? '' },
    site: { id: uuid(0, site, 0), name: siteName(site) },
    origin: {
      file: `sites/store-${String(site).padStart(4, '0')}.yaml`,
      line: 12 + wlan * 9,
      column: 3
    },
    ...(impact === 'downgrade' ? { downgrades: ['/auth/type'] } : {}),
    request: {
      method: 'PUT',
      path: `/api/v1/sites/${uuid(0, site, 0)}/wlans/${uuid(1, site, wlan)}`,
      body: Object.fromEntries(Object.entries(edits).map(([name, [, after]]) => [name, after]))
    }
  } as const
  const change = changeOf(address, impact === 'downgrade' ? 'reconnect' : impact, edits, more)
  return 'enabled' in edits ? dangerous(change, 'off', '/enabled') : change
}

type Edits = Parameters<typeof changeOf>[2]

function editOf(site: number, chance: number): readonly [Impact | 'downgrade' | undefined, Edits] {
  if (chance < 0.02)
    return ['downgrade', { 'auth.type': ['psk', 'open'], isolation: [true, false] }]
  if (chance < 0.08) return ['outage', { enabled: [false, true] }]
  if (chance < 0.4)
    return ['reconnect', { vlan_id: [1, 40], 'auth.pairwise': [['wpa2-ccmp'], ['wpa3']] }]
  if (chance < 0.5) {
    const psk = [Secret.live('x'), new Secret({ $env: 'WLAN_SECRET_GUEST_PSK' }, 'y')] as const
    return ['reconnect', { 'auth.psk': psk }]
  }
  if (chance < 0.8)
    return [undefined, { client_limit_down: [512, 1000], client_limit_down_enabled: [false, true] }]
  return [undefined, { 'portal.terms': [`Edited by hand on site ${site}`, 'The declared terms'] }]
}

function notRead(site: string, nth: number): Finding {
  return {
    level: 'error',
    code: 'SITE_NOT_READ',
    message: `the site could not be read: GET /api/v1/sites/${uuid(0, nth, 0)}/wlans: 503: Service unavailable.`,
    address: site
  }
}

/** The outcomes of such a plan, with every status. Only drift reports have dangers. */
export function outcomesReport(size: FleetSize): OutcomesReport {
  const { plan: drift, verdicts } = fleetReport(size)
  const plan = { ...drift, changes: drift.changes.map(({ dangers: _, ...change }) => change) }
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
  return { kind: 'outcomes', plan, verdicts, outcomes, timeline }
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

function uuid(kind: number, site: number, wlan: number): string {
  return `7d6f1c5e-000${kind}-4000-8000-${(site * 100 + wlan).toString(16).padStart(12, '0')}`
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
