import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import { finding } from '../model/finding.ts'
import { excludedBy, fitsGlob, fitsGlobs } from '../model/glob.ts'
import { isInShard, type Shard } from '../model/shard.ts'
import { nearest } from '../schema/nearest.ts'
import type { Findings } from './findings.ts'

/** The sites and WLANs of a run: those that match all given members; everything if none is given. */
export interface Selection {
  /** Globs over the name or the id of a site, as `fitsGlobs` takes them. */
  readonly sites?: readonly string[] | undefined
  /** Globs over the name or the id of a site; none of them may fit. */
  readonly excludedSites?: readonly string[] | undefined
  /** Globs over the key or the address of a WLAN, as `fitsGlobs` takes them. */
  readonly wlans?: readonly string[] | undefined
  readonly shard?: Shard | undefined
  /** The sites themselves, by id in lower case; each of them has to be there. */
  readonly ids?: ReadonlySet<string> | undefined
}

/** True if the selection covers this WLAN of this site. */
export function isSelected(
  selection: Selection,
  site: Pick<DesiredSite, 'id' | 'name'>,
  key: string
): boolean {
  const { wlans = [] } = selection
  const address = `${site.name}/${key}`
  return fitsGlobs(wlans, glob => isWlan({ key, address }, glob)) && coversSite(selection, site)
}

/** True if the selection covers WLANs of this site. */
export function coversSite(selection: Selection, site: Pick<DesiredSite, 'id' | 'name'>): boolean {
  return fitsSites(selection, site) && isInPart(selection, site)
}

function fitsSites(
  { sites = [], excludedSites = [] }: Selection,
  site: Pick<DesiredSite, 'id' | 'name'>
): boolean {
  return (
    fitsGlobs(sites, glob => isSite(site, glob)) && !excludedSites.some(glob => isSite(site, glob))
  )
}

/**
 * Applies the selection to a fleet. Removes sites that are not selected, and those without
 * a selected WLAN. Marks other WLANs as excluded, since they still match their live WLANs.
 * A glob without a match is a finding; a shard without sites is not.
 */
export function select(
  sites: readonly DesiredSite[],
  selection: Selection,
  findings: Findings
): DesiredSite[] {
  const { sites: siteGlobs = [], excludedSites = [], wlans: wlanGlobs = [], ids = [] } = selection
  const declared = new Set(sites.map(({ id }) => id.toLowerCase()))
  for (const id of ids) if (!declared.has(id)) findings.push(finding('SITE_UNDECLARED', {}, id))
  for (const glob of [...siteGlobs, ...excludedSites]) {
    const wanted = excludedBy(glob) ?? glob
    if (!sites.some(site => isSite(site, wanted))) {
      const near = nearestTo(wanted, () => sites.map(({ name }) => name))
      findings.push(finding('NOTHING_SELECTED', {}, 'site', glob, near))
    }
  }
  const selected = sites.filter(site => fitsSites(selection, site))
  const wlans = selected.flatMap(site => site.wlans)
  for (const glob of selected.length > 0 ? wlanGlobs : []) {
    const wanted = excludedBy(glob) ?? glob
    if (!wlans.some(wlan => isWlan(wlan, wanted))) {
      const part = wanted.includes('/') ? 'address' : 'key'
      const near = nearestTo(wanted, () => wlans.map(wlan => wlan[part]))
      findings.push(finding('NOTHING_SELECTED', {}, 'WLAN', glob, near))
    }
  }
  const left = selected.filter(site => isInPart(selection, site))
  return wlanGlobs.length === 0 ? left : left.flatMap(site => marked(site, selection))
}

/** The nearest name to one that is no pattern. */
function nearestTo(glob: string, names: () => readonly string[]): string | undefined {
  return /[*?[\]{}]/.test(glob) ? undefined : nearest(glob, names())
}

function isInPart({ shard, ids }: Selection, { id }: Pick<DesiredSite, 'id'>): boolean {
  return (
    (shard === undefined || isInShard(id, shard)) &&
    (ids === undefined || ids.has(id.toLowerCase()))
  )
}

/** True if the name or the id of a site is like this glob. */
export function isSite({ id, name }: Pick<DesiredSite, 'id' | 'name'>, glob: string): boolean {
  return fitsGlob(name, glob) || fitsGlob(id.toLowerCase(), glob.toLowerCase())
}

function isWlan({ key, address }: Pick<DesiredWlan, 'key' | 'address'>, glob: string): boolean {
  return fitsGlob(key, glob) || fitsGlob(address, glob)
}

/** The site with the WLANs that are not selected marked; none if that would be all of them. */
function marked(site: DesiredSite, selection: Selection): DesiredSite[] {
  const wlans = site.wlans.map((wlan): DesiredWlan => {
    return isSelected(selection, site, wlan.key) ? wlan : { ...wlan, excluded: true }
  })
  return wlans.some(wlan => wlan.excluded === undefined) ? [{ ...site, wlans }] : []
}
