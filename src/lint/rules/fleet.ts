import { groupBy } from '../../model/collections.ts'
import { plural, quote } from '../../model/text.ts'
import type { FleetRule, FleetViolation, FleetWlan } from '../rule.ts'
import { caselessForm, glyphForm } from '../ssid-forms.ts'

/** Rules about all WLANs of a fleet. */
export const fleetRules: readonly FleetRule[] = [
  {
    // References of keys are in the files alone: a difference between them counts as existing.
    id: 'same-ssid-other-security',
    severity: 'warning',
    view: 'F',
    fields: ['/ssid', '/auth/type', '/auth/pairwise', '/auth/owe', '/auth/psk'],
    message: 'this SSID has other security than at most places',
    why: 'devices keep one profile for an SSID, and fail or fall back where it differs',
    condition:
      'an SSID has more than one combination of `auth.type`, `pairwise` and `owe` across the fleet, and this WLAN is in the minority; or more than half of its WLANs share the reference of their key, and this one has another',
    advice:
      'make the security the same, or use another SSID; during a migration waive it with an end date',
    source: 'knowledge; AUDIT, drift (others)',
    falseAlarms: 'medium during a migration',
    check: wlans =>
      [...groupBy(wlans, wlan => wlan.ssid)].flatMap(([ssid, group]) =>
        group.length < 2 ? [] : [...securityMinority(ssid, group), ...keyMinority(ssid, group)]
      )
  },
  {
    id: 'ssid-lookalike',
    severity: 'warning',
    view: 'F',
    fields: ['/ssid'],
    message: 'the SSID looks like another one',
    why: 'devices compare bytes: people pick the wrong network, and devices do not roam',
    condition:
      'two SSIDs differ only in case, in blanks, or in letters that look alike, and this one is rarer; or an SSID begins or ends with a blank',
    advice: 'use one spelling of the SSID',
    source: 'knowledge',
    falseAlarms: 'low',
    check: wlans => [...lookalikes(wlans), ...wlans.flatMap(outerBlank)]
  }
]

/** The WLANs outside of the largest group; of equal groups the first is taken for the largest. */
function securityMinority(ssid: string, group: readonly FleetWlan[]): FleetViolation[] {
  const known = group.filter(({ security }) => security !== undefined)
  const groups = [...groupBy(known, ({ security }) => security ?? '')]
  if (groups.length < 2) return []
  const [common, majority] = largest(groups)
  const at = plural(majority.length, 'other place')
  return groups
    .filter(([security]) => security !== common)
    .flatMap(([security, minority]) =>
      minority.map(wlan => ({
        wlan,
        message: `${quote(ssid)} is ${security} (${wlan.securityOrigin}), and ${common} at ${at}`,
        subject: 'security'
      }))
    )
}

function keyMinority(ssid: string, group: readonly FleetWlan[]): FleetViolation[] {
  const known = group.filter(({ keyReference }) => keyReference !== undefined)
  const groups = [...groupBy(known, ({ keyReference }) => keyReference ?? '')]
  if (groups.length < 2) return []
  const [common, majority] = largest(groups)
  if (majority.length * 2 <= known.length) return []
  return known
    .filter(({ keyReference }) => keyReference !== common)
    .map(wlan => ({
      wlan,
      message: `${quote(ssid)} takes its key from another reference (declared) than ${plural(majority.length, 'other place')}`,
      subject: 'key'
    }))
}

function largest<T>(
  groups: readonly (readonly [string, readonly T[]])[]
): readonly [string, readonly T[]] {
  return groups.reduce((most, group) => (group[1].length > most[1].length ? group : most))
}

/** The WLANs with a rarer spelling, compared without case and blanks, and by the look of their letters. */
function lookalikes(wlans: readonly FleetWlan[]): FleetViolation[] {
  const bySsid = [...groupBy(wlans, wlan => wlan.ssid)]
  const found = new Map<string, string>()
  for (const form of [caselessForm, glyphForm]) {
    for (const spellings of groupBy(bySsid, ([ssid]) => form(ssid)).values()) {
      if (spellings.length < 2) continue
      const [usual] = largest(spellings)
      for (const [ssid] of spellings) if (ssid !== usual) found.set(ssid, usual)
    }
  }
  return bySsid.flatMap(([ssid, group]) => {
    const usual = found.get(ssid)
    if (usual === undefined) return []
    return group.map(wlan => {
      const message = `the SSID ${quote(ssid)} (${wlan.ssidOrigin}) looks like ${quote(usual)}`
      return { wlan, message, subject: usual }
    })
  })
}

function outerBlank(wlan: FleetWlan): readonly FleetViolation[] {
  if (wlan.ssid.trim() === wlan.ssid) return []
  const message = `the SSID ${quote(wlan.ssid)} (${wlan.ssidOrigin}) begins or ends with a blank`
  return [{ wlan, message, subject: 'blank' }]
}
