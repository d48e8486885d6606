import { type Impact, impactNouns, impacts } from '../../core/model/impact.ts'
import type { ShownChange } from '../../core/model/plan.ts'
import { groupBy, present, sortBy } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { plural } from '../../core/values/text.ts'
import { isSecretField, valueOfField } from '../fields/field-changes.ts'
import { formatField } from '../fields/format-value.ts'
import type { FieldChange } from '../fields/secret-fields.ts'

/**
 * The severity of a change: it weakens security, interrupts clients, or interrupts those of other WLANs only
 * (`radio-reset`).
 */
type Severity = 'downgrade' | Impact | 'radio-reset' | 'none'

/** In descending order: a downgrade is worse than any impact. */
export const severities: readonly Severity[] = [
  'downgrade',
  ...[...impacts].reverse().filter(impact => impact !== 'none'),
  'radio-reset',
  'none'
]

const severityNouns: Readonly<Record<Severity, string>> = {
  downgrade: 'downgrade',
  ...impactNouns,
  'radio-reset': 'radio reset',
  none: 'change without interruption'
}

/** All severities of a change as their indexes, in ascending order; empty if it interrupts no clients. */
function severityRanks({ downgrades, impact, resets_radio }: ShownChange): number[] {
  const all = present(downgrades && 'downgrade', impact, resets_radio && 'radio-reset')
  return all.map(each => severities.indexOf(each))
}

/** The index of the worst severity of a change in `severities`. */
export function severityRank(change: ShownChange): number {
  return severityRanks(change)[0] ?? severities.indexOf('none')
}

/**
 * The number of changes that affect security or clients by all their severities, the worst first: `2 downgrades with
 * outage`. Each change counts once, so that the numbers add up.
 */
export function impactCounts(changes: Iterable<ShownChange>): string[] {
  const groups = groupBy(changes, change => severityRanks(change).join(''))
  groups.delete('')
  // The `~` puts a downgrade with an outage before a mere downgrade.
  return sortBy(groups, ([ranks]) => `${ranks}~`).map(([ranks, group]) => {
    const all = severities.filter((_, rank) => ranks.includes(String(rank)))
    const [worst = '', ...others] = all.map(each => severityNouns[each])
    const also = others.length === 0 ? '' : ` with ${others.join(' and ')}`
    return plural(group.length, worst) + also
  })
}

/** A sentence about what a change does to people, and about what an edit by others did. */
type Effect = readonly [does: string, did: string]

/** What changes are: to make, to undo, or made by others. */
export type ChangeKind = 'plan' | 'drift' | 'diff'

function effectText([does, did]: Effect, kind: ChangeKind): string {
  return kind === 'diff' ? did : does
}

const OFF: Effect = ['the network goes off the air', 'the network went off the air']
const PARTLY_OFF: Effect = [
  'clients of the affected access points, bands or hours lose the network',
  'clients of the affected access points, bands or hours lost the network'
]
const NO_SERVER: Effect = [
  'no client can authenticate without a RADIUS server',
  'no client could authenticate without a RADIUS server'
]
const RADIO_RESET: Effect = [
  'resets the radio: other WLANs of the access points drop for seconds',
  'reset the radio: other WLANs of the access points dropped for seconds'
]
const AUTHENTICATION_RISK: Effect = [
  'authentication risk: a server decides anew and may refuse clients',
  'authentication risk: a server decided anew and may have refused clients'
]
const DISCOVERY: Effect = ['casting and printing stop', 'casting and printing stopped']

/** The effect on people of each impact; the fields of an outage tell more. */
const impactEffects: Readonly<Partial<Record<Impact, Effect>>> = {
  outage: ['all or most clients lose this network', 'all or most clients lost this network'],
  reconnect: ['clients reconnect', 'clients reconnected'],
  some: ['some clients stay out', 'some clients stayed out'],
  'guest-login': ['new guests may be unable to log in', 'new guests may have been unable to log in']
}

/** What a change does to people, or did, the worst first; undefined if it does nothing. */
export function effectOf(change: ShownChange, kind: ChangeKind = 'plan'): string | undefined {
  const { impact, resets_radio } = change
  const [effect] = present(
    ...outageEffects(change),
    impact && impactEffects[impact],
    resets_radio && RADIO_RESET
  )
  return effect && effectText(effect, kind)
}

/** One sentence each: the consequences of an outage, other risks, and points to review. */
export function effectNotes(change: ShownChange, kind: ChangeKind): string[] {
  const { resets_radio, authentication_risk, downgrade_levels = {} } = change
  const effects = present<Effect>(
    ...outageEffects(change),
    authentication_risk && AUTHENTICATION_RISK,
    resets_radio && RADIO_RESET,
    stopsDiscovery(change) && DISCOVERY
  )
  const notices = Object.keys(downgrade_levels).filter(at => downgrade_levels[at] === 'notice')
  const review = `review this field yourself: ${notices.map(formatField).join(', ')}`
  return present(...effects.map(effect => effectText(effect, kind)), notices.length > 0 && review)
}

/** True if devices no longer find each other by mDNS: nobody drops, so this is no impact. */
function stopsDiscovery(change: ShownChange): boolean {
  const set = (pointer: Pointer, value: boolean) =>
    setTo(change, pointer).some(each => each === value)
  const isLimited = set('/limit_bcast', true) || change.context?.['/limit_bcast'] === true
  return set('/bonjour/enabled', false) || (set('/allow_mdns', false) && isLimited)
}

function setTo({ patch }: ShownChange, pointer: Pointer): unknown[] {
  return patch.flatMap(each =>
    each.op !== 'test' && each.path === pointer && 'value' in each ? [each.value] : []
  )
}

/** How clients get back after an outage, by the field that causes it. */
type WayBack = readonly [fields: RegExp, does: string, did: string]

const NEW_KEY: WayBack = [/^\/auth\/(?:psk|keys)$/, 'have the new key', 'had the new key']
const NEW_NAME: WayBack = [/^\/ssid$/, 'join the new name', 'joined the new name']
const RECONFIGURED: WayBack = [
  /^\/auth(?:\/(?:type|multi_psk_only))?$|^\/dynamic_psk/,
  'are reconfigured',
  'were reconfigured'
]

const PLACES_AND_TIMES = /^\/(?:apply_to|ap_ids|wxtag_ids|bands?$|schedule|disable_11ax)/

/** The consequences of an outage, by the fields that cause it; none for another change. */
function outageEffects(change: ShownChange): Effect[] {
  const { patch, switches_off, impact } = change
  const has = (fields: RegExp) => patch.some(({ path }) => fields.test(path))
  const leavesKeys = setTo(change, '/auth/type').some(type => type !== 'psk')
  // Who gets a key is reconfigured with it; a network without keys needs none.
  const auth = leavesKeys ? [RECONFIGURED, NEW_KEY] : [NEW_KEY, RECONFIGURED]
  const back = present(
    auth.find(([fields]) => has(fields)),
    has(NEW_NAME[0]) && NEW_NAME
  )
  if (impact !== 'outage') return []
  return present<Effect>(
    back.length > 0 && [
      `clients stay out until they ${back.map(([, does]) => does).join(' and ')}`,
      `clients stayed out until they ${back.map(([, , did]) => did).join(' and ')}`
    ],
    switches_off ? OFF : has(PLACES_AND_TIMES) && PARTLY_OFF,
    has(/^\/auth_servers$/) && NO_SERVER
  )
}

const CHANGED = 'changed in the files'
const DRIFT = 'drift, goes back with this change'
/** The reference of the secret is the same as at the base, but its value differs from the live one. */
const SECRET_DRIFT = 'drift or a rotated secret, goes back with this change'

/** The cause of a changed field in words; undefined if the files were not compared with a base. */
export function causeText({ causes }: ShownChange, field: FieldChange): string | undefined {
  const cause = valueOfField(causes, field)
  if (cause === undefined) return undefined
  if (cause === 'declaration') return CHANGED
  return isSecretField(field) ? SECRET_DRIFT : DRIFT
}
