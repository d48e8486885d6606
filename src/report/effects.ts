import { groupBy } from '../model/collections.ts'
import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { fieldsOf, isSecretField, type Severity, valueOfField } from './field-changes.ts'
import { formatField } from './format-value.ts'
import type { FieldChange } from './secret-fields.ts'

/** The nouns of severities, for counts: `1 outage, 2 reconnects`. */
export const severityNouns: Readonly<Record<Severity, string>> = {
  downgrade: 'downgrade',
  outage: 'outage',
  reconnect: 'reconnect',
  some: 'partial outage',
  'guest-login': 'guest-login interruption',
  'radio-reset': 'radio reset',
  none: 'change without interruption'
}

const RECONFIGURED = 'clients stay out until they are reconfigured'
const OFF_AIR = 'clients of the affected access points, bands or hours lose the network'

/** The consequences of an outage by the field that causes it; the first match counts. */
const outages: readonly (readonly [fields: RegExp, effect: string])[] = [
  [/^\/auth\/(?:psk|keys)$/, 'clients stay out until they have the new key'],
  [/^\/auth(?:\/(?:type|multi_psk_only))?$|^\/dynamic_psk/, RECONFIGURED],
  [/^\/ssid$/, 'clients stay out until they join the new name'],
  [/^\/enabled$/, 'the network goes off the air'],
  [/^\/(?:apply_to|ap_ids|wxtag_ids|bands?$|schedule)/, OFF_AIR],
  [/^\/auth_servers$/, 'no client can authenticate without a RADIUS server']
]

/** One sentence each: the consequences of an outage, other risks, and points to review. */
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

const CHANGED = 'changed in the files'
const DRIFT = 'drift, goes back with this change'
/** The reference of the secret is the same as at the base, but its value differs from the live one. */
const SECRET_DRIFT = 'drift or a rotated secret, goes back with this change'

/** The cause of a changed field in words; undefined if the files were not compared with a base. */
export function causeText({ causes }: Change, field: FieldChange): string | undefined {
  const cause = valueOfField(causes, field)
  if (cause === undefined) return undefined
  if (cause === 'declaration') return CHANGED
  return isSecretField(field) ? SECRET_DRIFT : DRIFT
}

/** The fields of a change by cause, in words; empty if the files were not compared with a base. */
export function fieldCauses(
  change: Change
): readonly { readonly text: string; readonly pointers: readonly Pointer[] }[] {
  const byCause = groupBy(fieldsOf(change), field => causeText(change, field))
  return [CHANGED, DRIFT, SECRET_DRIFT].flatMap(text => {
    const pointers = (byCause.get(text) ?? []).map(({ path }) => path)
    return pointers.length === 0 ? [] : [{ text, pointers }]
  })
}
