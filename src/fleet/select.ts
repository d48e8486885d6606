import type { DesiredSite, DesiredWlan } from '../core/model/desired.ts'
import { finding } from '../core/model/finding.ts'
import { isInShard, type Shard } from '../core/model/shard.ts'
import { nearest } from '../core/schema/nearest.ts'
import { excludedBy, matchesGlob, matchesGlobs } from '../core/values/glob.ts'
import type { Findings } from './findings.ts'

/** The sites and WLANs of a run: those that match all given members; everything if none is given. */
export interface Selection {
  /** Globs over the name or the id of a site, in the notation of `matchesGlobs`. */
  readonly sites?: readonly string[] | undefined
  /** Globs over the name or the id of a site; sites that match one are excluded. */
  readonly excludedSites?: readonly string[] | undefined
  /** Globs over the key or the address of a WLAN, in the notation of `matchesGlobs`. */
  readonly wlans?: readonly string[] | undefined
  readonly shard?: Shard | undefined
  readonly ids?: ReadonlySet<string> | undefined
}

export function isSelected(
  selection: Selection,
  site: Pick<DesiredSite, 'id' | 'name'>,
  key: string
): boolean {
  const { wlans = [] } = selection
  const address = `${site.name}/${key}`
  return matchesGlobs(wlans, glob => isWlan({ key, address }, glob)) && coversSite(selection, site)
}

export function coversSite(selection: Selection, site: Pick<DesiredSite, 'id' | 'name'>): boolean {
  return selectsSite(selection, site) && isInPart(selection, site)
}

function selectsSite(
  { sites = [], excludedSites = [] }: Selection,
  site: Pick<DesiredSite, 'id' | 'name'>
): boolean {
  return (
    matchesGlobs(sites, glob => isSite(site, glob)) &&
    !excludedSites.some(glob => isSite(site, glob))
  )
}

/**
 * Applies the selection to a fleet. Removes sites that are not selected, and those without a selected WLAN.
 * Marks other WLANs as excluded instead, because they still match their live WLANs. A glob without a match is
 * a finding; a shard without sites is not.
 */
export function select(
  sites: readonly DesiredSite[],
  selection: Selection,
  findings: Findings
): DesiredSite[] {
  const { sites: globs = [], excludedSites = [], wlans: wlanGlobs = [] } = selection
  const isLeft = (site: DesiredSite) => selectsSite(selection, site)
  const selected = sites.filter(isLeft)
  const together = [...globs, ...excludedSites.map(glob => `!${glob}`)].join(' ')
  for (const glob of uselessGlobs(sites, [...globs, ...excludedSites], isSite, isLeft, together)) {
    const near = nearestTo(glob, () => sites.map(({ name }) => name))
    findings.push(finding('NOTHING_SELECTED', {}, 'site', glob, near))
  }
  if (selected.length > 0) {
    checkWlanGlobs(
      selected.flatMap(site => site.wlans),
      wlanGlobs,
      findings
    )
  }
  const left = selected.filter(site => isInPart(selection, site))
  return wlanGlobs.length === 0 ? left : left.flatMap(site => marked(site, selection))
}

type NamedWlan = Pick<DesiredWlan, 'key' | 'address'>

/** Reports each glob without a match, or all globs as one where together they leave no WLAN. */
export function checkWlanGlobs(
  wlans: readonly NamedWlan[],
  globs: readonly string[],
  findings: Findings
): void {
  const isLeft = (wlan: NamedWlan) => matchesGlobs(globs, glob => isWlan(wlan, glob))
  for (const glob of uselessGlobs(wlans, globs, isWlan, isLeft, globs.join(' '))) {
    const part = glob.includes('/') ? 'address' : 'key'
    const near = nearestTo(glob, () => wlans.map(wlan => wlan[part]))
    findings.push(finding('NOTHING_SELECTED', {}, 'WLAN', glob, near))
  }
}

/** The nearest name to one that is no pattern; several globs together are one. */
export function nearestTo(glob: string, names: () => readonly string[]): string | undefined {
  const wanted = excludedBy(glob) ?? glob
  return /[!*?[\]{}]/.test(wanted) ? undefined : nearest(wanted, names())
}

/** The globs without a match; all of them as one, the text `together`, if no item is left by them. */
function uselessGlobs<T>(
  items: readonly T[],
  globs: readonly string[],
  isMatch: (item: T, glob: string) => boolean,
  isLeft: (item: T) => boolean,
  together: string
): readonly string[] {
  const isUsed = (glob: string) => items.some(item => isMatch(item, excludedBy(glob) ?? glob))
  const useless = globs.filter(glob => !isUsed(glob))
  return useless.length > 0 || items.length === 0 || items.some(isLeft) ? useless : [together]
}

function isInPart({ shard, ids }: Selection, { id }: Pick<DesiredSite, 'id'>): boolean {
  return (
    (shard === undefined || isInShard(id, shard)) &&
    (ids === undefined || ids.has(id.toLowerCase()))
  )
}

export function isSite({ id, name }: Pick<DesiredSite, 'id' | 'name'>, glob: string): boolean {
  return matchesGlob(name, glob) || matchesGlob(id.toLowerCase(), glob.toLowerCase())
}

export function isWlan({ key, address }: NamedWlan, glob: string): boolean {
  return matchesGlob(key, glob) || matchesGlob(address, glob)
}

function marked(site: DesiredSite, selection: Selection): DesiredSite[] {
  const wlans = site.wlans.map((wlan): DesiredWlan => {
    return isSelected(selection, site, wlan.key) ? wlan : { ...wlan, excluded: true }
  })
  return wlans.some(wlan => wlan.excluded === undefined) ? [{ ...site, wlans }] : []
}
