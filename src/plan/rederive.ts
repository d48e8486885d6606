import { byCodeUnit } from '../model/collections.ts'
import { exit, Failure } from '../model/failure.ts'
import { type Finding, type FindingCode, finding } from '../model/finding.ts'
import type { Change, PatchOperation, Plan, PlanSummary } from '../model/plan.ts'
import { topLevelField } from '../model/pointer.ts'
import { canonical, type Value, valueAt } from '../model/value.ts'
import { fieldAt } from '../schema/field.ts'
import { updatePath } from './body.ts'
import { downgradesOf } from './downgrade.ts'
import { impactOf } from './impact.ts'
import { withSecrets } from './references.ts'

/** Why a WLAN cannot be planned: each of these blocks one. */
const blocking: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'WLAN_NOT_FOUND',
  'WLAN_AMBIGUOUS',
  'WLAN_CLAIMED_TWICE',
  'WLAN_INHERITED',
  'SECRET_HIDDEN',
  'SECRET_LOST',
  'SECRET_MASKED',
  'NUMBER_NOT_KEPT',
  'CHANGED_SINCE'
])

/**
 * What a saved plan says of itself, derived again from its operations: a file is a claim, and what is shown
 * must not depend on it.
 *
 * | of the plan                       | is                                                             |
 * |-----------------------------------|----------------------------------------------------------------|
 * | impact, downgrades, their findings | derived from the operations                                   |
 * | changed, unmanaged, blocked, failed | counted                                                      |
 * | WLANs and sites                   | at least what is counted                                       |
 * | request, address, waves           | checked: they follow from the operations, the ids and the sites |
 * | unchanged, names, owners, places, other findings | as the file says                                |
 *
 * What the file says otherwise is a finding. Throws a `Failure` (exit 3) if parts contradict each other.
 */
export function rederived(plan: Plan, name: string): Plan {
  checkParts(plan, name)
  const derived = plan.changes.map(relabelled)
  const changes = [...derived].sort((a, b) => byCodeUnit(a.address, b.address))
  const findings = [...findingsFrom(plan, changes), ...unreadWithoutReason(plan)]
  const summary = summaryOf(plan)
  const wrong = [
    ...differing('impact or downgrades', plan.changes.map(labels), derived.map(labels)),
    ...differing('findings', plan.findings.map(said), findings.map(said)),
    ...differing('counts', plan.summary, summary)
  ]
  const claims = wrong.length === 0 ? [] : [finding('PLAN_CLAIMS', {}, wrong)]
  return { ...plan, summary, changes, findings: [...findings, ...claims] }
}

function differing(what: string, claimed: unknown, derived: unknown): string[] {
  return JSON.stringify(claimed) === JSON.stringify(derived) ? [] : [what]
}

function labels({ impact, downgrades }: Change): unknown {
  return [impact, downgrades]
}

function said({ level, code, message, address }: Finding): unknown {
  return [level, code, message, address]
}

/** The change with the impact and the downgrades that its operations have. */
export function relabelled(change: Change): Change {
  const patch = change.patch.map(withKnownSecrets)
  const impact = impactOf(patch)
  const downgrades = downgradesOf(patch)
  const { address, site, wlan, origin, owner, impact: _, downgrades: __, ...rest } = change
  return {
    address,
    site,
    wlan,
    origin,
    ...(owner === undefined ? {} : { owner }),
    ...(impact === undefined ? {} : { impact }),
    ...(downgrades.length === 0 ? {} : { downgrades }),
    ...rest
  }
}

function withKnownSecrets(operation: PatchOperation): PatchOperation {
  return 'value' in operation ? { ...operation, value: withSecrets(operation.value) } : operation
}

/** A downgrade that the policy allows has no finding, so one that is absent stays so. */
function findingsFrom({ findings }: Plan, changes: readonly Change[]): Finding[] {
  const lessSafe = new Map(changes.map(({ address, downgrades }) => [address, downgrades]))
  return findings.flatMap(found => {
    if (found.code !== 'DOWNGRADE') return found
    const downgrades = lessSafe.get(found.address ?? '')
    return downgrades === undefined ? [] : { ...found, ...finding('DOWNGRADE', {}, downgrades) }
  })
}

/** Sites that were not read must be seen, whatever findings the file has. */
function unreadWithoutReason({ unread = [], findings }: Plan): Finding[] {
  const told = new Set(
    findings.flatMap(({ code, address }) => (code === 'SITE_NOT_READ' ? (address ?? []) : []))
  )
  return unread
    .filter(({ name }) => !told.has(name))
    .map(({ name }) => finding('SITE_NOT_READ', { address: name }, 'the plan does not say why'))
}

function summaryOf({ summary, changes, unmanaged, unread, findings }: Plan): PlanSummary {
  const changed = changes.length
  const stuck = findings.filter(({ code }) => blocking.has(code)).length
  const blocked = Math.max(summary.blocked, stuck)
  const missing = unread?.reduce((sum, { wlans }) => sum + wlans, 0)
  const failed = unread?.length ?? summary.sites_failed
  const known = changed + summary.unchanged + blocked
  const sites = new Set(changes.map(({ site }) => site.id.toLowerCase())).size + failed
  return {
    ...summary,
    sites: Math.max(summary.sites, sites),
    sites_failed: failed,
    wlans: missing === undefined ? Math.max(summary.wlans, known) : known + missing,
    changed,
    blocked,
    unmanaged: unmanaged.length
  }
}

function checkParts({ changes, rollout }: Plan, name: string): void {
  const addresses = new Set<string>()
  const wlans = new Set<string>()
  const waves = rollout && waveCounts(rollout.flatMap(({ sites }) => sites))
  for (const change of changes) {
    const { address, site, wlan } = change
    const key = `${site.id}/${wlan.id}`.toLowerCase()
    const problem =
      addresses.has(address) || wlans.has(key)
        ? 'is changed twice'
        : waves && waves.get(site.name) !== 1
          ? 'is in no wave of its rollout, or in several'
          : problemOf(change)
    if (problem !== undefined) {
      const where = address.length > 200 ? `${address.slice(0, 200)}…` : address
      throw new Failure(
        exit.wrongInput,
        `${name}: ${where} ${problem}`,
        'the file was damaged or edited: plan again'
      )
    }
    addresses.add(address)
    wlans.add(key)
  }
}

function waveCounts(sites: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const site of sites) counts.set(site, (counts.get(site) ?? 0) + 1)
  return counts
}

/** What contradicts itself in a change, in words; undefined if nothing does. */
export function problemOf(change: Change): string | undefined {
  const { address, site, wlan, patch, request } = change
  const named = address.startsWith(`${site.name}/`) && address.length > site.name.length + 1
  if (!named) return `is an address of another site than ${site.name.slice(0, 200)}`
  if (request.path !== updatePath(site, wlan)) return 'has a request that goes to another WLAN'
  const fields = new Set(patch.map(({ path }) => topLevelField(path)))
  const { body } = request
  const sent = Object.keys(body)
  const fits = sent.length === fields.size && sent.every(field => fields.has(field))
  const isSent = (operation: PatchOperation) =>
    (operation.op !== 'add' && operation.op !== 'replace') ||
    isSame(valueAt(body, operation.path), operation.value)
  const kept = patch.find(({ path }) => fieldAt(path).readOnly)
  if (kept !== undefined) return `changes ${kept.path}, which the service keeps itself`
  return fits && patch.every(isSent)
    ? undefined
    : 'has a request that does not do what its operations say'
}

function isSame(a: Value | undefined, b: Value): boolean {
  if (a === undefined) return false
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b))
}
