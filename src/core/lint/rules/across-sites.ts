import { groupBy, groupsBy } from '../../values/collections.ts'
import { hasOuterBlank, skeletonOf } from '../../values/ssid.ts'
import { plural, quote } from '../../values/text.ts'
import type { FleetCheck, FleetViolation, FleetWlans } from '../rule.ts'
import { mixedScripts } from './network.ts'

export const fleetChecks: Readonly<Record<string, FleetCheck>> = {
  // Only the files contain references of keys, so a different reference counts as existing.
  'same-ssid-other-security': wlans =>
    [...groupBy(wlans, ({ facts }) => facts.ssid)].flatMap(([ssid, group]) =>
      group.length < 2 ? [] : [...securityMinority(ssid, group), ...keyMinority(ssid, group)]
    ),
  'ssid-lookalike': wlans => {
    const found = lookalikes(wlans)
    const isFound = new Set(found.map(each => each.wlans))
    return [...found, ...wlans.filter(each => !isFound.has(each)).flatMap(outerBlank)]
  },
  'key-shared': wlans => [
    ...sharedKeys(wlans, ({ keyReference }) => keyReference),
    ...sharedKeys(wlans, ({ keyNumber }) => keyNumber)
  ]
}

/** The WLANs whose key is that of another SSID, which most of the WLANs with that key have. */
function sharedKeys(
  wlans: readonly FleetWlans[],
  keyOf: (wlans: FleetWlans) => string | number | undefined
): FleetViolation[] {
  const known = wlans.filter(each => keyOf(each) !== undefined)
  return groupsBy(known, keyOf).flatMap(same => {
    const bySsid = [...groupBy(same, ({ facts }) => facts.ssid)]
    if (bySsid.length < 2) return []
    const [usual, [other]] = largest(bySsid)
    return same.flatMap(each => {
      const { ssid, ssidOrigin: origin } = each.facts
      if (ssid === usual) return []
      const message = `${quote(ssid)} (${origin}) has the key of ${quote(usual)}`
      return [{ wlans: each, other, message, subject: usual }]
    })
  })
}

/** The WLANs outside of the largest group; of several largest groups, the first secured one counts. */
function securityMinority(ssid: string, group: readonly FleetWlans[]): FleetViolation[] {
  const known = group.filter(({ facts }) => facts.security !== undefined)
  const isOpen = ([security]: Groups[number]) => Number(security === 'open')
  const groups = [...groupBy(known, ({ facts }) => facts.security ?? '')]
  if (groups.length < 2) return []
  const [common, majority] = largest(groups.toSorted((a, b) => isOpen(a) - isOpen(b)))
  const at = plural(countOf(majority), 'other place')
  return groups
    .filter(([security]) => security !== common)
    .flatMap(([security, minority]) =>
      minority.map(wlans => ({
        wlans,
        other: majority[0],
        message: `${quote(ssid)} is ${security} (${wlans.facts.securityOrigin}), and ${common} at ${at}`,
        subject: 'security'
      }))
    )
}

function keyMinority(ssid: string, group: readonly FleetWlans[]): FleetViolation[] {
  const known = group.filter(({ keyReference }) => keyReference !== undefined)
  const groups = [...groupBy(known, ({ keyReference }) => keyReference ?? '')]
  if (groups.length < 2) return []
  const [common, majority] = largest(groups)
  const count = countOf(majority)
  if (count * 2 <= countOf(known)) return []
  return known
    .filter(({ keyReference }) => keyReference !== common)
    .map(wlans => ({
      wlans,
      other: majority[0],
      message: `${quote(ssid)} takes its key from another reference (declared) than ${plural(count, 'other place')}`,
      subject: 'key'
    }))
}

type Groups = readonly (readonly [string, readonly FleetWlans[]])[]

function largest(groups: Groups): Groups[number] {
  const counts = groups.map(([, wlans]) => countOf(wlans))
  const most = counts.reduce((a, b) => Math.max(a, b), 0)
  return groups[counts.indexOf(most)] ?? ['', []]
}

function countOf(wlans: readonly FleetWlans[]): number {
  return wlans.reduce((sum, { count }) => sum + count, 0)
}

/** Finds the rarer spelling of SSIDs that look equal without case and spaces, by their glyphs. */
function lookalikes(wlans: readonly FleetWlans[]): FleetViolation[] {
  const bySsid = [...groupBy(wlans, each => each.facts.ssid)]
  const found = new Map<string, Groups[number]>()
  for (const form of [foldCase, skeletonOf]) {
    for (const spellings of groupBy(bySsid, ([ssid]) => form(ssid)).values()) {
      if (spellings.length < 2) continue
      const usual = largest(spellings)
      for (const [ssid] of spellings) {
        if (ssid !== usual[0] && mixedScripts(ssid).length === 0) found.set(ssid, usual)
      }
    }
  }
  return bySsid.flatMap(([ssid, group]) => {
    const [usual, [other] = []] = found.get(ssid) ?? []
    if (usual === undefined) return []
    return group.map(each => {
      const message = `the SSID ${quote(ssid)} (${each.facts.ssidOrigin}) looks like ${quote(usual)}`
      return { wlans: each, other, message, subject: usual }
    })
  })
}

function outerBlank(wlans: FleetWlans): readonly FleetViolation[] {
  const { ssid, ssidOrigin: origin } = wlans.facts
  if (!hasOuterBlank(ssid)) return []
  const message = `the SSID ${quote(ssid)} (${origin}) begins or ends with a blank`
  return [{ wlans, message, subject: 'blank' }]
}

/** The SSID in lower case without spaces: equal for SSIDs that people read as the same. */
export function foldCase(ssid: string): string {
  return ssid.normalize('NFKC').replace(/\s+/gu, '').toLowerCase()
}
