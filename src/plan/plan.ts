import { byCodeUnit } from '../model/collections.ts'
import type { DesiredSite, DesiredWlan, Part, Policy, Site, Wave } from '../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../model/live.ts'
import type {
  Against,
  Change,
  NotCompared,
  Plan,
  SecretReferences,
  Unmanaged,
  UnreadPart,
  WlanPlan
} from '../model/plan.ts'
import { type Pointer, topLevelField } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { member, type ValueObject, valueAt } from '../model/value.ts'
import { composeBody, updatePath } from './body.ts'
import { diff } from './diff.ts'
import { digestOf } from './digest.ts'
import { downgradesOf } from './downgrade.ts'
import { impactOf } from './impact.ts'
import { matchSite } from './match.ts'
import { rolloutOf } from './rollout.ts'

/** What the planner says of one site. */
export interface PlannedSite {
  /** The site's; absent where it could not be read. */
  readonly name?: string
  /** One for each declared WLAN, in their order. */
  readonly verdicts: readonly WlanPlan[]
  readonly unmanaged: readonly Unmanaged[]
  readonly unread?: UnreadSite
}

/**
 * Plans one site: each declared WLAN against the live ones. Those that the run leaves out still claim
 * their live WLANs, and get no verdict. Pure, as all of this room.
 */
export function planSite(site: DesiredSite, live: LiveSite): PlannedSite {
  const matches = matchSite(site, live)
  const claimed = new Set(
    [...matches.values()].map(match => ('live' in match ? match.live : match.contested))
  )
  const verdicts = [...matches]
    .filter(([wlan]) => !wlan.excluded)
    .map(([wlan, match]) =>
      'live' in match ? planWlan(site, wlan, match.live) : blocked(wlan, match.finding)
    )
  const unmanaged = live.wlans
    .filter(wlan => !claimed.has(wlan))
    .map(({ id, ssid }) => ({ site: site.name, id, ssid, ...ownerOf(site) }))
  return { name: site.name, verdicts, unmanaged }
}

/** A site that could not be read: nothing can be said of its WLANs. */
export function planUnread(site: DesiredSite, unread: UnreadSite): PlannedSite {
  const wlans = site.wlans.filter(wlan => !wlan.excluded)
  const verdicts = wlans.map(({ address }): WlanPlan => ({ status: 'unread', address }))
  const owner = ownersOf(site, wlans)
  return { verdicts, unmanaged: [], unread: { ...unread, ...(owner && { owner }) } }
}

/** Who answers for these WLANs of a site, else for the site; empty where nobody is named. */
function ownersOf(site: DesiredSite, wlans: readonly DesiredWlan[]): string {
  const owners = wlans.length === 0 ? [site] : wlans
  const names = new Set(owners.flatMap(({ owner }) => owner ?? []))
  return [...names].sort(byCodeUnit).join(', ')
}

/** Plans one WLAN: what differs, what would be sent, and whether it may be. */
export function planWlan(site: Site, wlan: DesiredWlan, live: LiveWlan): WlanPlan {
  const { address } = wlan
  const { patch, notCompared } = diff(wlan.fields, live.record)
  const references = referencesAt(wlan.fields, notCompared)
  if (patch.length === 0) return { status: 'unchanged', address, notCompared, ...references }
  const fields = [...new Set(patch.map(({ path }) => topLevelField(path)))]
  const template = member(live.record, 'template_id')
  if (typeof template === 'string' && template !== '') {
    return blocked(wlan, finding('WLAN_INHERITED', aboutWlan(wlan), template, fields))
  }
  const composed = composeBody(wlan.fields, live.record, fields, aboutWlan(wlan))
  if ('finding' in composed) return blocked(wlan, composed.finding)
  const impact = impactOf(patch)
  const downgrades = downgradesOf(patch)
  const change: Change = {
    address,
    site: { id: site.id, name: site.name },
    wlan: { id: live.id, ssid: live.ssid },
    origin: wlan.origin,
    ...ownerOf(wlan),
    ...(impact === undefined ? {} : { impact }),
    ...(downgrades.length === 0 ? {} : { downgrades }),
    patch,
    request: { method: 'PUT', path: updatePath(site, live), body: composed.body },
    ...(notCompared.length === 0 ? {} : { not_compared: notCompared, ...references })
  }
  return { status: 'changed', address, change, desired: wlan, live }
}

/** What a plan says beside what the sites gave. */
export interface PlanContext {
  /** The program and its version, e.g. `wlanctl/0.1.0`. */
  readonly tool: string
  /** When the plan is made, UTC, to the second. */
  readonly created: string
  readonly baseUrl: string
  /** The snapshot that stands for the live state; absent where the service itself was read. */
  readonly against?: Against
  readonly part?: Part
  readonly policy: Policy
  /** The waves of the fleet; absent where none is declared. */
  readonly rollout?: readonly Wave[] | undefined
  /** What is to be said of the files: warnings, and refusals by the policy. */
  readonly findings: readonly Finding[]
  /** HTTP requests it took to read the service. */
  readonly requests: number
}

/** Puts the planned sites together: sorted by address, counted, and sealed with a digest. */
export function assemble(sites: readonly PlannedSite[], context: PlanContext): Plan {
  const verdicts = sites.flatMap(site => site.verdicts).sort(byAddress)
  const failed = sites.flatMap(site => (site.unread ? [{ ...site, unread: site.unread }] : []))
  const unread = failed.map(site => site.unread).sort(bySiteName)
  const { policy, rollout } = context
  const unmanaged =
    policy.unmanaged === 'ignore' ? [] : sites.flatMap(site => site.unmanaged).sort(bySite)
  const changes = verdicts.flatMap(verdict => (verdict.status === 'changed' ? verdict.change : []))
  const open = verdicts.flatMap(notCompared)
  const waves = rollout && rolloutOf(rollout, sitesToApprove(sites))
  const countOf = (status: WlanPlan['status']) =>
    verdicts.filter(verdict => verdict.status === status).length
  return {
    format: 'wlanctl-plan/1',
    tool: context.tool,
    created: context.created,
    base_url: context.baseUrl,
    ...(context.against && { against: context.against }),
    ...context.part,
    summary: {
      sites: sites.length,
      sites_failed: unread.length,
      wlans: verdicts.length,
      changed: changes.length,
      unchanged: countOf('unchanged'),
      blocked: countOf('blocked'),
      unmanaged: unmanaged.length,
      requests: context.requests
    },
    ...(waves && { rollout: waves }),
    changes,
    not_compared: open,
    unmanaged,
    ...(failed.length === 0 ? {} : { unread: failed.map(unreadPart).sort(byName) }),
    findings: [...context.findings, ...liveFindings(verdicts, unread, unmanaged, policy)],
    digest: digestOf(context.baseUrl, changes, {
      not_compared: open,
      ...(waves && { rollout: waves })
    })
  }
}

/** The sites that an approval is about: with a change, or with a secret that may turn out to be one. */
function sitesToApprove(sites: readonly PlannedSite[]): string[] {
  const isOpen = (verdict: WlanPlan) =>
    verdict.status === 'changed' ||
    (verdict.status === 'unchanged' && verdict.notCompared.length > 0)
  return sites.flatMap(({ name, verdicts }) =>
    name !== undefined && verdicts.some(isOpen) ? name : []
  )
}

function unreadPart({
  unread,
  verdicts
}: Required<Pick<PlannedSite, 'unread' | 'verdicts'>>): UnreadPart {
  const { id, name } = unread.site
  return { id, name, wlans: verdicts.length }
}

function notCompared(verdict: WlanPlan): NotCompared[] {
  if (verdict.status !== 'unchanged' || verdict.notCompared.length === 0) return []
  const { address, notCompared: pointers, references } = verdict
  return [{ address, pointers, ...(references && { references }) }]
}

/** Where the declared secrets at these places come from; nothing where there are none. */
function referencesAt(
  declared: ValueObject,
  pointers: readonly Pointer[]
): { readonly references?: SecretReferences } {
  const entries = pointers.flatMap(pointer => {
    const value = valueAt(declared, pointer)
    return value instanceof Secret ? [[pointer, value.reference] as const] : []
  })
  return entries.length === 0 ? {} : { references: Object.fromEntries(entries) }
}

function liveFindings(
  verdicts: readonly WlanPlan[],
  unread: readonly UnreadSite[],
  unmanaged: readonly Unmanaged[],
  policy: Policy
): Finding[] {
  return [
    ...verdicts.flatMap(verdict => findingOf(verdict, policy)),
    ...unread.map(({ site, reason, hint, owner }) =>
      finding('SITE_NOT_READ', { address: site.name, ...(owner && { owner }) }, reason, hint)
    ),
    ...(policy.unmanaged === 'error'
      ? unmanaged.map(found => {
          const { site, ssid, id } = found
          return finding('UNMANAGED', { address: site, ...ownerOf(found) }, ssid, id)
        })
      : [])
  ]
}

/** What stands in the way of a WLAN's change. */
function findingOf(verdict: WlanPlan, { allowDowngrade }: Policy): Finding[] {
  if (verdict.status === 'blocked') return [verdict.finding]
  if (verdict.status !== 'changed' || allowDowngrade) return []
  const { desired, change } = verdict
  const { downgrades } = change
  return downgrades === undefined ? [] : [finding('DOWNGRADE', aboutWlan(desired), downgrades)]
}

function blocked({ address }: DesiredWlan, reason: Finding): WlanPlan {
  return { status: 'blocked', address, finding: reason }
}

function ownerOf({ owner }: { readonly owner?: string }): { readonly owner?: string } {
  return owner === undefined ? {} : { owner }
}

function byAddress(a: WlanPlan, b: WlanPlan): number {
  return byCodeUnit(a.address, b.address)
}

function byName(a: Site, b: Site): number {
  return byCodeUnit(a.name, b.name)
}

function bySiteName(a: UnreadSite, b: UnreadSite): number {
  return byCodeUnit(a.site.name, b.site.name)
}

function bySite(a: Unmanaged, b: Unmanaged): number {
  return byCodeUnit(a.site, b.site) || byCodeUnit(a.ssid, b.ssid) || byCodeUnit(a.id, b.id)
}
