import { byCodeUnit } from '../../model/collections.ts'
import type { DesiredSite, DesiredWlan } from '../../model/desired.ts'
import type { LoadContext } from '../load-context.ts'
import { noRules } from '../rules/rule-set.ts'
import { isSelected, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import type { Entry } from '../yaml/tree.ts'
import { Blocks } from './blocks.ts'
import { Profiles } from './profiles.ts'

/** Turns the blocks of the files into the WLANs of the sites. Unused profiles are checked too. */
export async function declareWlans(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  selection: Selection,
  run: LoadContext
): Promise<DesiredSite[]> {
  const layers = new Profiles(profiles, run)
  const meant = new Blocks(layers, run)
  // What the run leaves out is checked, too; its secrets are nobody's business, and no rule's.
  const others = new Blocks(layers, { ...run, secrets: run.secrets.checking, rules: noRules })
  const declared: DesiredSite[] = []
  for (const site of sites) {
    const blocksOf = (key: string) => (isSelected(selection, site, key) ? meant : others)
    declared.push(await declareSite(site, run, blocksOf))
    if (run.budget.exhausted) break
  }
  others.checkUnused()
  return declared
}

/** The same of some sites of a fleet, all of whose WLANs are meant. Unused profiles are not looked at. */
export async function declareSites(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  run: LoadContext
): Promise<DesiredSite[]> {
  const blocks = new Blocks(new Profiles(profiles, run), run)
  const declared: DesiredSite[] = []
  for (const site of sites) declared.push(await declareSite(site, run, () => blocks))
  return declared
}

async function declareSite(
  site: FleetSite,
  { pace }: Pick<LoadContext, 'pace'>,
  blocksOf: (key: string) => Blocks
): Promise<DesiredSite> {
  const { id, name, owner } = site
  const wlans: DesiredWlan[] = []
  for (const [key, block] of site.wlans()) {
    const wlan = blocksOf(key).declare(site, key, block)
    if (wlan !== undefined) wlans.push(wlan)
    if (pace.isOver) await pace.turn()
  }
  return {
    id,
    name,
    ...(owner === undefined ? {} : { owner }),
    wlans: wlans.sort((a, b) => byCodeUnit(a.key, b.key))
  }
}
