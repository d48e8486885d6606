import type { DesiredSite } from '../../model/desired.ts'
import { defaultPolicy, type Policy } from '../../model/desired.ts'
import { finding } from '../../model/finding.ts'
import type { SecretSource } from '../../secrets/source.ts'
import { RunBudget } from '../budget.ts'
import { Findings } from '../checks/findings.ts'
import { Suggestions } from '../checks/suggest.ts'
import { Pace } from '../pace.ts'
import { noRules } from '../rules/rule-set.ts'
import type { FleetSite } from '../site-builder.ts'
import { Texts } from '../wlans/texts.ts'
import { declareSites } from '../wlans/wlans.ts'
import type { Entry } from '../yaml/tree.ts'
import type { BaseRevision } from './base.ts'
import { ChangePrefilter } from './change-prefilter.ts'
import { sameSite } from './same.ts'

/** What the files of a fleet declare, each site with all that they say of it together. */
export interface JoinedFleet {
  readonly sites: readonly FleetSite[]
  readonly profiles: ReadonlyMap<string, Entry>
}

/** It is no policy's business whether two states are the same: what one forbids can be compared, too. */
const policy: Policy = { ...defaultPolicy, unknownFields: 'warn', plaintextSecrets: 'allow' }

/**
 * The sites, by id in lower case, that are not declared as they were at a revision: what counts is the
 * name of the site and, of each WLAN, which live one it means and its fields, with profiles and
 * variables put in. Not how and where that is written, who answers for it, whether it is protected, nor
 * the policy. Secrets are compared by reference, and none is read.
 *
 * Sites that are new have changed; so has every site if the files of then are wrong, which is a finding.
 * Only WLANs that are written in another way, or extend a profile that is, are looked at more closely.
 */
export async function changedSites(
  base: BaseRevision,
  now: JoinedFleet,
  secrets: SecretSource,
  findings: Findings
): Promise<ReadonlySet<string>> {
  const { wrong } = base
  const { renamed, are, were } = doubtsBetween(now, base)
  const before = byId(await declared({ ...base, sites: were }, secrets, wrong))
  if (wrong.hasError) {
    findings.push(finding('REVISION_WRONG', {}, base.name, wrong.first()))
    return new Set(now.sites.map(keyOf))
  }
  const after = await declared({ ...now, sites: are }, secrets, new Findings())
  const changed = after.filter(site => !sameSite(site, before.get(keyOf(site))))
  return new Set([...renamed, ...changed].map(keyOf))
}

/** Sites that are new or have another name; and, of the others, what has to be compared. */
function doubtsBetween(now: JoinedFleet, then: JoinedFleet) {
  const earlier = byId(then.sites)
  const suspicion = new ChangePrefilter(now.profiles, then.profiles)
  const renamed: FleetSite[] = []
  const are: FleetSite[] = []
  const were: FleetSite[] = []
  for (const site of now.sites) {
    const before = earlier.get(keyOf(site))
    if (before === undefined || before.name !== site.name) {
      renamed.push(site)
      continue
    }
    const keys = suspicion.keysIn(site, before)
    if (keys.size === 0) continue
    are.push(withOnly(site, keys))
    were.push(withOnly(before, keys))
  }
  return { renamed, are, were }
}

function withOnly(site: FleetSite, keys: ReadonlySet<string>): FleetSite {
  return { ...site, wlans: new Map([...site.wlans].filter(([key]) => keys.has(key))) }
}

async function declared(
  { sites, profiles }: JoinedFleet,
  secrets: SecretSource,
  findings: Findings
): Promise<DesiredSite[]> {
  const runBudget = new RunBudget()
  const { resolving: budget } = runBudget
  const suggestions = new Suggestions()
  const shared = { budget, findings, suggestions, texts: new Texts(), pace: new Pace() }
  const all = await declareSites(sites, profiles, { policy, rules: noRules, secrets, ...shared })
  const { exceeded } = runBudget
  if (exceeded !== undefined) findings.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
  return all
}

function byId<S extends Pick<FleetSite, 'id'>>(sites: readonly S[]): ReadonlyMap<string, S> {
  return new Map(sites.map(site => [keyOf(site), site]))
}

function keyOf({ id }: Pick<FleetSite, 'id'>): string {
  return id.toLowerCase()
}
