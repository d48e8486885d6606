import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import { fitsGlob } from './glob.ts'

/** The globs of a run: what fits one of them is meant. Without any, everything is. */
export interface Selection {
  /** Over the name or the id of a site. */
  readonly sites?: readonly string[] | undefined
  /** Over the key or the address of a WLAN. */
  readonly wlans?: readonly string[] | undefined
}

/**
 * Narrows a fleet to what a run is about. Sites that are not meant go away, and so do those that
 * lose all of their WLANs. WLANs that are not meant are marked, since they claim their live WLANs
 * all the same. A glob that nothing fits is a finding.
 */
export function select(
  sites: readonly DesiredSite[],
  { sites: siteGlobs = [], wlans: wlanGlobs = [] }: Selection,
  findings: Finding[]
): DesiredSite[] {
  for (const glob of siteGlobs) {
    if (!sites.some(site => isSite(site, glob))) {
      findings.push(finding('NOTHING_SELECTED', {}, 'site', glob))
    }
  }
  const meant = sites.filter(site => fitsAny(siteGlobs, glob => isSite(site, glob)))
  const wlans = meant.flatMap(site => site.wlans)
  for (const glob of meant.length > 0 ? wlanGlobs : []) {
    if (!wlans.some(wlan => isWlan(wlan, glob))) {
      findings.push(finding('NOTHING_SELECTED', {}, 'WLAN', glob))
    }
  }
  return wlanGlobs.length === 0 ? meant : meant.flatMap(site => marked(site, wlanGlobs))
}

function fitsAny(globs: readonly string[], fits: (glob: string) => boolean): boolean {
  return globs.length === 0 || globs.some(fits)
}

function isSite(site: DesiredSite, glob: string): boolean {
  return fitsGlob(site.name, glob) || fitsGlob(site.id.toLowerCase(), glob.toLowerCase())
}

function isWlan(wlan: DesiredWlan, glob: string): boolean {
  return fitsGlob(wlan.key, glob) || fitsGlob(wlan.address, glob)
}

/** The site with the WLANs that are not meant marked; none if that would be all of them. */
function marked(site: DesiredSite, globs: readonly string[]): DesiredSite[] {
  const wlans = site.wlans.map((wlan): DesiredWlan => {
    return globs.some(glob => isWlan(wlan, glob)) ? wlan : { ...wlan, leftOut: true }
  })
  return wlans.some(wlan => wlan.leftOut === undefined) ? [{ ...site, wlans }] : []
}
