import { createHash } from 'node:crypto'
import type { Calendar } from '../../core/model/calendar.ts'
import type { Policy, Waiver } from '../../core/model/desired.ts'
import { compact } from '../../core/values/collections.ts'
import type { Parsing } from '../declared.ts'
import { Findings } from '../findings.ts'
import type { Base } from '../since/base.ts'
import { siteKey } from '../since/same.ts'
import type { FleetSite } from '../sites.ts'
import { digestOfNode } from '../yaml/tree.ts'
import { checkLintRules } from './lint-policy.ts'
import type { DeclaredPolicy, Rule } from './policy.ts'
import { ruleSiteOf } from './rules/effective.ts'
import { type RuleSet, ruleSet, type SiteAtBase } from './rules/rule-set.ts'
import { currentWaivers, Waivers } from './waivers.ts'

/** What judges a run: the policy of its files, and with a base its policy, too. */
export interface Judgement {
  readonly policy: Policy
  readonly policyDigest?: string
  readonly rules?: RuleSet
  readonly waivers: readonly Waiver[]
  /** The waivers of the base; absent without a base. */
  readonly waiversAtBase?: readonly Waiver[]
  readonly calendar?: Calendar
  readonly relaxed: readonly string[]
}

/** Reports what is wrong with the policy of the files. A base without a fleet judges nothing. */
export async function judgementOf(
  files: DeclaredPolicy,
  sites: readonly FleetSite[],
  base: Base | undefined,
  today: Date,
  { findings, usage }: Parsing
): Promise<Judgement> {
  await checkLintRules(files.node, findings)
  const waivers = await currentWaivers(files.waivers, namesOf(files.rules), today, findings)
  const isJudging = base !== undefined && (base.policy.node !== undefined || base.sites.length > 0)
  if (!isJudging) {
    const { policy } = files
    const covering = new Waivers(waivers, undefined, usage.time)
    const run = { waivers: covering, unknownFields: policy.unknownFields, findings, usage }
    const rules = await ruleSet(files.rules, run)
    const calendar = await calendarOf(files, sites, findings)
    const policyDigest = policyDigestOf(files)
    return { policy, waivers, ...compact({ policyDigest, rules, calendar }), relaxed: [] }
  }
  const { stricterPolicy } = await import('../since/stricter-policy.ts')
  const { policy, rules: both, relaxed } = await stricterPolicy(base, files, today)
  const { rules: own, waivers: declared } = base.policy
  const waiversAtBase = await currentWaivers(declared, namesOf(own), today, new Findings())
  const covering = new Waivers(waivers, waiversAtBase, usage.time)
  const siteAtBase = await sitesAtBase(base, sites)
  const run = { waivers: covering, unknownFields: policy.unknownFields, findings, usage }
  const rules = await ruleSet(both, { ...run, siteAtBase })
  const calendar = await bothCalendars(files, sites, base, findings)
  const policyDigest = policyDigestOf(files, base.policy)
  return { policy, waivers, waiversAtBase, ...compact({ policyDigest, rules, calendar }), relaxed }
}

function policyDigestOf(...policies: readonly DeclaredPolicy[]): string | undefined {
  const digests = new Set(policies.flatMap(({ node }) => (node ? digestOfNode(node) : [])))
  if (digests.size === 0) return undefined
  const hash = createHash('sha256').update([...digests].join())
  return `sha256:${hash.digest('hex')}`
}

function namesOf(rules: readonly Rule[]): string[] {
  return rules.map(({ name }) => name)
}

async function sitesAtBase(base: Base, sites: readonly FleetSite[]): Promise<SiteAtBase> {
  const { otherwiseSeen } = await import('../since/compare.ts')
  const then = new Map(base.sites.map(site => [siteKey(site), site]))
  const now = new Map(sites.map(site => [siteKey(site), site]))
  return site => {
    const [is, was] = [now, then].map(all => all.get(siteKey(site)))
    return is && was && otherwiseSeen(ruleSiteOf(is), was)
  }
}

/** The windows and freezes of a policy; checks `timezone`. Loads the code for time zones only if needed. */
async function calendarOf(
  { calendar, timezone }: Pick<DeclaredPolicy, 'calendar' | 'timezone'>,
  sites: readonly FleetSite[],
  findings: Findings
): Promise<Calendar | undefined> {
  if (calendar === undefined && timezone === undefined) return undefined
  const { checkCalendar, zoneIn } = await import('../time-zones.ts')
  zoneIn(timezone, findings)
  return calendar && checkCalendar(calendar, timezone, sites, findings)
}

/** A site that is new since the base has its own time zone there, too. */
async function bothCalendars(
  files: DeclaredPolicy,
  sites: readonly FleetSite[],
  base: Base,
  findings: Findings
): Promise<Calendar | undefined> {
  const then = await calendarOf(base.policy, base.sites, new Findings())
  if (then === undefined) return calendarOf(files, sites, findings)
  const declared = { ...files, calendar: files.calendar ?? { windows: [], freezes: [] } }
  const now = await calendarOf(declared, sites, findings)
  if (now === undefined) return then
  const timezones = new Map([...now.timezones, ...then.timezones])
  return { ...now, base: { ...then, timezones } }
}
