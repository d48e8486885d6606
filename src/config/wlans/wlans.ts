import type { DesiredSite } from '../../model/desired.ts'
import { finding } from '../../model/finding.ts'
import { byCodeUnit } from '../../model/identity.ts'
import type { Foresight } from '../ahead.ts'
import type { FleetSite } from '../draft.ts'
import { noRules } from '../rules/book.ts'
import type { Run } from '../run.ts'
import { isMeant, type Selection } from '../select.ts'
import type { Entry } from '../yaml/tree.ts'
import { Blocks } from './blocks.ts'
import { Profiles } from './profiles.ts'
import type { Texts } from './texts.ts'

/** Turns the blocks of the files into the WLANs of the sites. Unused profiles are checked too. */
export async function declareWlans(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  selection: Selection,
  run: Run,
  pace: Pick<Foresight, 'step'>
): Promise<DesiredSite[]> {
  const layers = new Profiles(profiles, run)
  const meant = new Blocks(layers, run)
  // What the run leaves out is checked, too; its secrets are nobody's business, and no rule's.
  const others = new Blocks(layers, { ...run, secrets: run.secrets.checking, rules: noRules })
  const declared: DesiredSite[] = []
  for (const site of sites) {
    declared.push(
      declareSite(site, run.texts, key => (isMeant(selection, site, key) ? meant : others))
    )
    await pace.step()
  }
  others.checkUnused()
  if (run.budget.exhausted) run.findings.push(finding('FLEET_TOO_LARGE', {}))
  return declared
}

/** The same of some sites of a fleet, all of whose WLANs are meant. Unused profiles are not looked at. */
export function declareSites(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  run: Run
): DesiredSite[] {
  const room = new Blocks(new Profiles(profiles, run), run)
  const declared = sites.map(site => declareSite(site, run.texts, () => room))
  if (run.budget.exhausted) run.findings.push(finding('FLEET_TOO_LARGE', {}))
  return declared
}

function declareSite(site: FleetSite, texts: Texts, roomOf: (key: string) => Blocks): DesiredSite {
  const { owner } = site
  const wlans = [...site.wlans].flatMap(
    ([key, block]) => roomOf(key).declare(site, key, block) ?? []
  )
  return {
    id: texts.of(site.id),
    name: texts.of(site.name),
    ...(owner === undefined ? {} : { owner: texts.of(owner) }),
    wlans: wlans.sort((a, b) => byCodeUnit(a.key, b.key))
  }
}
