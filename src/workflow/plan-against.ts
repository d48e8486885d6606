import { readSnapshot } from '../cli/files/saved-files.ts'
import type { Io } from '../cli/io.ts'
import type { PlanningOptions } from '../cli/options.ts'
import { planSite, planUnread } from '../plan/plan.ts'
import { sitesIn } from '../plan/snapshot.ts'
import { referencesOnly } from '../secrets/source.ts'
import { assemblePlan, loadDesired, type PlanResult } from './make-plan.ts'

/** Desired → snapshot → plan: no network, no token, and references that are checked, not followed. */
export async function planAgainst(
  file: string,
  fleet: string,
  options: PlanningOptions,
  io: Io
): Promise<Omit<PlanResult, 'liveById'>> {
  const snapshot = await readSnapshot(file, io)
  const desired = await loadDesired(fleet, options, io, referencesOnly(options.secretPrefix))
  const { created, digest, base_url: baseUrl } = snapshot
  const read = sitesIn(snapshot)
  const planned = desired.sites.map(site => {
    const live = read(site)
    return 'wlans' in live ? planSite(site, live) : planUnread(site, live)
  })
  return assemblePlan(planned, desired, { baseUrl, requests: 0, against: { created, digest } }, io)
}
