import { inverse } from '../core/diff/diff.ts'
import { matchSite } from '../core/diff/match.ts'
import { type Replay, replay, unjudgedParts } from '../core/history/replay.ts'
import type { DeferralCheck } from '../core/model/calendar.ts'
import { type Desired, type DesiredSite, defaultLintPolicy } from '../core/model/desired.ts'
import { type Finding, isError } from '../core/model/finding.ts'
import type { Change } from '../core/model/plan.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { compact, groupsBy } from '../core/values/collections.ts'
import { steps } from '../core/values/pointer.ts'
import { sameId } from '../core/values/uuid.ts'
import { removeAt, type ValueObject } from '../core/values/value.ts'
import { withUnknownSecrets } from '../files/redacted-secrets.ts'
import { type Snapshot, sitesIn } from '../files/snapshot.ts'
import { Waivers } from '../fleet/policy/waivers.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import { RuleEvaluator } from './checks/rule-evaluator.ts'
import { RunChecks } from './checks/run-checks.ts'
import { RunLinter } from './checks/run-linter.ts'
import { withMember } from './record/undo.ts'

/** What the policy of a fleet would have done with recorded applies, and how many networks of a state break it. */
export async function replayRuns(
  desired: Desired,
  runs: readonly RecordedRun[],
  state: Snapshot | undefined
): Promise<Replay> {
  const { policy, calendar, rules } = desired
  const deferrals = new Map<string, DeferralCheck | undefined>()
  for (const { started } of runs) {
    deferrals.set(started, await deferralOf(calendar, {}, () => new Date(started)))
  }
  const deferralAt = (time: string) => deferrals.get(time)
  const brokenBy = recordedChangesCheck(desired)
  return {
    ...replay(runs, { ...policy, deferralAt, brokenBy }),
    notJudged: unjudgedParts(policy.lint !== undefined || rules !== undefined),
    ...compact({ broken: state && brokenNetworks(desired, state) })
  }
}

/**
 * Returns a function for the messages of the rules that recorded changes newly break, of the policy and the linter. Of a
 * WLAN only the fields are known that its change sent, and its SSID: a rule about others is not broken.
 */
function recordedChangesCheck(desired: Desired): (changes: readonly Change[]) => readonly string[] {
  const waivers = new Waivers(desired.waivers)
  const isStrict = desired.policy.lint?.strict === true
  return changes => {
    const [before, after] = (['before', 'after'] as const).map(side =>
      brokenIn(sitesOf(changes, desired, side), desired, waivers)
    )
    const isNew = ([key]: readonly [string, string]) => isStrict || !before?.has(key)
    return [...new Set([...(after ?? [])].filter(isNew).map(([, message]) => message))]
  }
}

function sitesOf(
  changes: readonly Change[],
  { sites }: Desired,
  side: 'before' | 'after'
): DesiredSite[] {
  return groupsBy(changes, ({ site }) => site.id.toLowerCase()).map(own => {
    const [first] = own
    const declared = sites.find(({ id }) => sameId(id, first.site.id))
    const wlans = own.map(change => {
      const { address, wlan, origin } = change
      const key = address.slice(change.site.name.length + 1)
      const after = withUnknownSecrets({ ssid: wlan.ssid, ...change.request.body }) as ValueObject
      const fields = side === 'after' ? after : undone(change, { ...after, ssid: wlan.ssid })
      return { address, key, id: wlan.id, fields, origin, place: origin }
    })
    return { ...first.site, ...declared, wlans }
  })
}

function undone({ patch }: Change, fields: ValueObject): ValueObject {
  return inverse(patch).reduce((all, operation) => {
    if (operation.op === 'test') return all
    if (operation.op === 'remove') return removeAt(all, operation.path)
    return withMember(all, steps(operation.path), withUnknownSecrets(operation.value))
  }, fields)
}

function brokenIn(
  sites: readonly DesiredSite[],
  { policy, rules }: Desired,
  waivers: Waivers
): Map<string, string> {
  const broken = new Map<string, string>()
  for (const site of sites) {
    for (const { address, key: wlan, fields } of site.wlans) {
      for (const { name, level, message } of rules?.evaluateKnown(fields, site) ?? []) {
        if (level !== 'error' || waivers.covering(name, () => ({ site, wlan }))) continue
        broken.set(JSON.stringify([name, address]), `${name}: ${message}`)
      }
    }
  }
  if (policy.lint === undefined) return broken
  // Relations across sites need all of their WLANs, so the run counts as a part of the fleet.
  const linter = new RunLinter({ part: { continues: [] } }, policy.lint, 'all', waivers)
  for (const site of sites) linter.addDeclared(site)
  for (const { rule = '', message, ...found } of linter.result().findings.filter(isError)) {
    for (const address of addressesOf(found)) {
      broken.set(JSON.stringify([rule, address]), `${rule}: ${message}`)
    }
  }
  return broken
}

/** The number of networks in a state that break a rule of level error. */
function brokenNetworks(desired: Desired, state: Snapshot): number {
  const { policy, rules } = desired
  const waivers = new Waivers(desired.waivers)
  // A strict policy judges a problem that is live like a new one.
  const lint = { ...(policy.lint ?? defaultLintPolicy), strict: true }
  const strict = { ...desired, policy: { ...policy, lint } }
  const checks = new RunChecks({
    ...(policy.lint && { linter: new RunLinter(strict, lint, 'all', waivers) }),
    ...(rules && { evaluator: new RuleEvaluator(strict, rules, waivers, true) })
  })
  const read = sitesIn(state)
  for (const site of desired.sites) {
    const live = read(site)
    if (!('wlans' in live)) continue
    checks.add(site, live, { wlanPlans: [], unmanaged: [] }, matchSite(site, live))
  }
  const { findings } = checks.result([], () => undefined)
  return new Set(findings.filter(isError).flatMap(addressesOf)).size
}

function addressesOf({ address, addresses }: Pick<Finding, 'address' | 'addresses'>) {
  return addresses ?? (address === undefined ? [] : [address])
}
