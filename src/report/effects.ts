import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { Severity } from './field-changes.ts'
import { formatField } from './format-value.ts'

/** The nouns of severities, for counts: `1 outage, 2 reconnects`. */
export const severityNouns: Readonly<Record<Severity, string>> = {
  downgrade: 'downgrade',
  outage: 'outage',
  reconnect: 'reconnect',
  some: 'partial outage',
  'guest-login': 'guest-login interruption',
  none: 'change without interruption'
}

const RECONFIGURED = 'clients stay out until they are reconfigured'
const OFF_AIR = 'clients of the affected access points, bands or hours lose the network'

/** What an outage means, by the field that causes it; the first that fits. */
const outages: readonly (readonly [fields: RegExp, effect: string])[] = [
  [/^\/auth\/(?:psk|keys)$/, 'clients stay out until they have the new key'],
  [/^\/auth(?:\/(?:type|multi_psk_only))?$|^\/dynamic_psk/, RECONFIGURED],
  [/^\/ssid$/, 'clients stay out until they join the new name'],
  [/^\/enabled$/, 'the network goes off the air'],
  [/^\/(?:apply_to|ap_ids|wxtag_ids|bands?$|schedule)/, OFF_AIR],
  [/^\/auth_servers$/, 'no client can authenticate without a RADIUS server']
]

/** One sentence each: what an outage means, what else is at risk, and what deserves a look. */
export function effectNotes(change: Change): string[] {
  const { impact, resets_radio, authentication_risk } = change
  return [
    ...(impact === 'outage' ? outageNotes(change.patch.map(({ path }) => path)) : []),
    ...(authentication_risk ? ['authentication risk: all clients may stay out'] : []),
    ...(resets_radio
      ? ['resets the radio: other WLANs of the access points drop for seconds']
      : []),
    ...noticeNotes(change)
  ]
}

function outageNotes(paths: readonly Pointer[]): string[] {
  const notes = outages.flatMap(([fields, effect]) =>
    paths.some(path => fields.test(path)) ? effect : []
  )
  return [...new Set(notes)]
}

function noticeNotes({ downgrade_levels = {} }: Change): string[] {
  const pointers = Object.keys(downgrade_levels).filter(at => downgrade_levels[at] === 'notice')
  return pointers.length === 0 ? [] : [`check on purpose: ${pointers.map(formatField).join(', ')}`]
}

/** The level of a downgrade in words; `high` needs none. */
export function levelText({ downgrade_levels = {} }: Change, pointer: Pointer): string {
  return downgrade_levels[pointer] === 'medium' ? 'downgrade, medium' : 'downgrade'
}
