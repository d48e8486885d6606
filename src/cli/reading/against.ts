import { planSite, planUnread } from '../../plan/plan.ts'
import { sitesIn } from '../../plan/snapshot.ts'
import { referencesOnly } from '../../secrets/source.ts'
import { readSnapshot } from '../files/saved-files.ts'
import type { Io } from '../io.ts'
import type { PlanningOptions } from '../words/options.ts'
import { type Derived, derived, desire } from './derive.ts'

/** Desired → snapshot → plan: no network, no token, and references that are checked, not followed. */
export async function planAgainst(
  file: string,
  fleet: string,
  options: PlanningOptions,
  io: Io
): Promise<Omit<Derived, 'kept'>> {
  const snapshot = await readSnapshot(file, io)
  const desired = await desire(fleet, options, io, referencesOnly(options.secretPrefix))
  const { created, digest, base_url: baseUrl } = snapshot
  const read = sitesIn(snapshot)
  const planned = desired.sites.map(site => {
    const live = read(site)
    return 'wlans' in live ? planSite(site, live) : planUnread(site, live)
  })
  return derived(planned, desired, { baseUrl, requests: 0, against: { created, digest } }, io)
}
