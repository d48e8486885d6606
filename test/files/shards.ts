import { createHash } from 'node:crypto'
import fc, { type Arbitrary } from 'fast-check'
import type { DesiredSite, Part, Site, SiteSinceBase, Wave } from '../../src/core/model/desired.ts'
import { byPlace, type Finding, finding } from '../../src/core/model/finding.ts'
import type { LiveSite, UnreadSite } from '../../src/core/model/live.ts'
import { isInShard } from '../../src/core/model/shard.ts'
import { byCodeUnit } from '../../src/core/values/collections.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { Violations } from '../../src/fleet/policy/rules/violations.ts'
import { desiredSite, env, live, nth, wlan } from '../core/plan/support.ts'

/** Ways in which a declared WLAN matches live ones. */
const meetings = {
  equal: [{}, {}],
  differing: [{ vlan_id: 1 }, { vlan_id: 2 }],
  missing: [{ ssid: 'Nobody' }, {}],
  inherited: [{ vlan_id: 1 }, { vlan_id: 2, template_id: nth(99) }],
  unkept: [{ portal: { enabled: true } }, { portal: { enabled: false, brand: 1e17 } }],
  downgrade: [{ auth: { type: 'open' } }, { auth: { type: 'psk', psk: 'hush-hush' } }],
  unresolved: [{ auth: { psk: env() } }, { auth: { type: 'psk', psk: 'hush-hush' } }]
} as const satisfies Record<string, readonly [ValueObject, object]>

type Meeting = keyof typeof meetings

/** A site of a generated fleet. */
export interface MadeSite {
  readonly desired: DesiredSite
  readonly live: LiveSite
  readonly isRead: boolean
  readonly breaks: boolean
}

/** A fleet, with the number of its shards. */
export interface MadeFleet {
  readonly sites: readonly MadeSite[]
  readonly shards: number
}

/** A run with its sites. */
export interface Run {
  readonly part: Part
  readonly sites: readonly MadeSite[]
  /** The sites of the complete fleet. */
  readonly rollout: readonly Wave[]
}

const baseField = {
  pointer: '/dtim',
  place: { file: 'profiles.yaml', line: 3, column: 3, revision: 'main' }
}

/** A field of a profile that the base declares for two WLANs of each site, and a WLAN. */
const sinceBase: SiteSinceBase = {
  revision: 'main',
  wlans: new Map([
    ['w0', { changed: ['/vlan_id'], removed: [baseField] }],
    ['w1', { changed: [], removed: [{ ...baseField, pointer: '/vlan_id' }, baseField] }]
  ]),
  removed: [wlan({ ssid: 'Other 1' }, { key: 'other', place: baseField.place })]
}

const madeSite: Arbitrary<(n: number) => MadeSite> = fc
  .record({
    wlans: fc.array(fc.constantFrom(...(Object.keys(meetings) as Meeting[])), { maxLength: 3 }),
    unmanaged: fc.nat({ max: 2 }),
    isRead: fc.constantFrom(true, true, true, false),
    breaks: fc.boolean()
  })
  .map(({ wlans, unmanaged, isRead, breaks }) => n => {
    // Names in another order than ids, including some that a locale sorts differently.
    const site = { id: idOf(n), name: `${['b', 'B', 'a-', 'a'][n % 4]}${n}` }
    const records = wlans.map((meeting, at) =>
      live({ ssid: `W${at}`, ...meetings[meeting][1] }, nth(1000 * n + at))
    )
    const others = Array.from({ length: unmanaged }, (_, at) =>
      live({ ssid: `Other ${at % 2}` }, nth(1000 * n + 500 - at))
    )
    const declared = wlans.map((meeting, at) => {
      const key = `w${at}`
      const origin = { file: `${site.name}.yaml`, line: at + 3, column: 3 }
      const rest = { key, address: `${site.name}/${key}`, origin, place: origin }
      return wlan({ ssid: `W${at}`, ...meetings[meeting][0] }, rest)
    })
    const desired = { ...desiredSite(declared, site), ...(n % 3 > 0 && { sinceBase }) }
    return { desired, live: { site, wlans: [...records, ...others] }, isRead, breaks }
  })

/** Fleets of up to twelve sites, in up to five shards. */
export const madeFleets: Arbitrary<MadeFleet> = fc
  .record({
    sites: fc.array(madeSite, { maxLength: 12 }),
    shards: fc.integer({ min: 1, max: 5 })
  })
  .map(({ sites, shards }) => ({ shards, sites: sites.map((site, n) => site(n)).sort(byName) }))

function idOf(n: number): string {
  const hex = createHash('sha256').update(`${n}`).digest('hex')
  return `${hex.slice(0, 8)}-0000-4000-8000-${hex.slice(8, 20)}`
}

function byName(a: MadeSite, b: MadeSite): number {
  return byCodeUnit(a.desired.name, b.desired.name)
}

/** The run over the complete fleet. */
export function wholeRun(fleet: MadeFleet): Run {
  return { part: {}, sites: fleet.sites, rollout: wavesOf(fleet) }
}

/** A wave of one site, one that may be empty, and the rest. */
function wavesOf({ sites }: MadeFleet): Wave[] {
  const names = sites.map(({ desired }) => desired.name)
  return [
    { name: 'canary', sites: names.slice(0, 1) },
    { name: 'more', sites: names.slice(1, 6) },
    { sites: names.slice(6) }
  ]
}

/** The runs over each shard. */
export function runsOf(fleet: MadeFleet): Run[] {
  const { sites, shards: of } = fleet
  return Array.from({ length: of }, (_, n) => ({
    part: of === 1 ? {} : { shard: `${n + 1}/${of}` },
    sites: sites.filter(({ desired }) => isInShard(desired.id, { number: n + 1, of })),
    rollout: wavesOf(fleet)
  }))
}

/** What a run reads of a site. */
export function foundAt({ desired, live, isRead }: MadeSite): LiveSite | UnreadSite {
  const site: Site = { id: desired.id, name: desired.name }
  return isRead ? { ...live, site } : { site, reason: 'answered 500' }
}

/** The findings of every run: the same warnings, and a rule that WLANs of its sites violate. */
export function findingsFor(sites: readonly MadeSite[]): Finding[] {
  const place = { file: 'sites.yaml', line: 7, column: 3 }
  const at = { place, path: 'wlans.w0' }
  const breaches = new Violations({
    name: 'rule',
    message: 'not so',
    level: 'warning'
  } as ConstructorParameters<typeof Violations>[0])
  for (const { desired, breaks } of sites) {
    for (const { address } of breaks ? desired.wlans : []) {
      breaches.add({ at, atKey: at, variable: undefined }, address)
    }
  }
  return [
    finding('FILE_EMPTY', { place: { ...place, line: 1 } }),
    finding('SECRET_UNRESOLVED', at, '$env: WLAN_SECRET_X', 'it is not set'),
    ...breaches.findings(() => true)
  ].sort(byPlace)
}
