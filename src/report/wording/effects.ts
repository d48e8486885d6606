import { type Impact, impactNouns } from '../../core/model/impact.ts'
import type { ShownChange } from '../../core/model/plan.ts'
import { groupBy, sortBy } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { plural } from '../../core/values/text.ts'
import {
  isSecretField,
  type Severity,
  severities,
  severitiesOf,
  valueOfField
} from '../fields/field-changes.ts'
import { formatField } from '../fields/format-value.ts'
import type { FieldChange } from '../fields/secret-fields.ts'

/** The nouns of severities, for counts: `1 outage, 2 reconnects`. */
const severityNouns: Readonly<Record<Severity, string>> = {
  downgrade: 'downgrade',
  ...impactNouns,
  'radio-reset': 'radio reset',
  none: 'change without interruption'
}

/**
 * The number of changes that affect security or clients by all their severities, the worst first: `2 downgrades with
 * outage`. Each change counts once, so that the numbers add up.
 */
export function impactCounts(changes: Iterable<ShownChange>): string[] {
  const ranksOf = (change: ShownChange) =>
    severitiesOf(change)
      .map(each => severities.indexOf(each))
      .join('')
  const groups = [...groupBy(changes, ranksOf)].filter(([ranks]) => ranks !== '')
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

/** The sentence of an effect about a plan or drift, or about the past. */
export function effectText([does, did]: Effect, kind: ChangeKind): string {
  return kind === 'diff' ? did : does
}

const OFF: Effect = ['the network goes off the air', 'the network went off the air']
const PARTLY_OFF: Effect = [
  'clients of the affected access points, bands or hours lose the network',
  'clients of the affected access points, bands or hours lost the network'
]

type EffectOfFields = readonly [fields: RegExp, effect: Effect]

/** How clients get back after an outage, by the field that causes it. */
const NEW_KEY: EffectOfFields = [/^\/auth\/(?:psk|keys)$/, ['have the new key', 'had the new key']]
const RECONFIGURED: EffectOfFields = [
  /^\/auth(?:\/(?:type|multi_psk_only))?$|^\/dynamic_psk/,
  ['are reconfigured', 'were reconfigured']
]
const NEW_NAME: EffectOfFields = [/^\/ssid$/, ['join the new name', 'joined the new name']]

/** Other consequences of an outage by the field that causes it. */
const outages: readonly EffectOfFields[] = [
  [/^\/(?:apply_to|ap_ids|wxtag_ids|bands?$|schedule|disable_11ax)/, PARTLY_OFF],
  [
    /^\/auth_servers$/,
    [
      'no client can authenticate without a RADIUS server',
      'no client could authenticate without a RADIUS server'
    ]
  ]
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
const OUTAGE: Effect = [
  'all or most clients lose this network',
  'all or most clients lost this network'
]

/** The effect on people of each impact but an outage, whose fields tell more. */
const impactEffects: Readonly<Partial<Record<Impact, Effect>>> = {
  reconnect: ['clients reconnect', 'clients reconnected'],
  some: ['some clients stay out', 'some clients stayed out'],
  'guest-login': ['new guests may be unable to log in', 'new guests may have been unable to log in']
}

/** The effect of a change on people, the worst one; undefined if there is none. */
export function worstEffect(change: ShownChange): Effect | undefined {
  const { impact, resets_radio } = change
  if (impact === 'outage') return outageEffects(change)[0] ?? OUTAGE
  const effect = impact && impactEffects[impact]
  return effect ?? (resets_radio ? RADIO_RESET : undefined)
}

/** One sentence each: the consequences of an outage, other risks, and points to review. */
export function effectNotes(change: ShownChange, kind: ChangeKind): string[] {
  const { impact, resets_radio, authentication_risk } = change
  const effects = [
    ...(impact === 'outage' ? outageEffects(change) : []),
    ...(authentication_risk ? [AUTHENTICATION_RISK] : []),
    ...(resets_radio ? [RADIO_RESET] : []),
    ...(stopsDiscovery(change) ? [DISCOVERY] : [])
  ]
  return [...effects.map(effect => effectText(effect, kind)), ...noticeNotes(change)]
}

/** True if devices no longer find each other by mDNS: nobody drops, so this is no impact. */
function stopsDiscovery({ patch, context = {} }: ShownChange): boolean {
  const set = (pointer: Pointer, value: boolean) =>
    patch.some(
      each => each.op !== 'test' && each.path === pointer && 'value' in each && each.value === value
    )
  const isLimited = set('/limit_bcast', true) || context['/limit_bcast'] === true
  return set('/bonjour/enabled', false) || (set('/allow_mdns', false) && isLimited)
}

function outageEffects({ patch, switches_off }: ShownChange): readonly Effect[] {
  const has = ([fields]: EffectOfFields) => patch.some(({ path }) => fields.test(path))
  const leavesKeys = patch.some(
    each =>
      each.path === '/auth/type' && each.op !== 'test' && 'value' in each && each.value !== 'psk'
  )
  // Who gets a key is reconfigured with it; a network without keys needs none.
  const auth = (leavesKeys ? [RECONFIGURED, NEW_KEY] : [NEW_KEY, RECONFIGURED]).find(has)
  const back = [...(auth ? [auth] : []), NEW_NAME].filter(has).map(([, effect]) => effect)
  const until = (prefix: string, at: 0 | 1) => prefix + back.map(each => each[at]).join(' and ')
  return [
    ...(back.length === 0
      ? []
      : [
          [
            until('clients stay out until they ', 0),
            until('clients stayed out until they ', 1)
          ] as const
        ]),
    ...(switches_off ? [OFF] : []),
    ...outages
      .filter(has)
      .map(([, effect]) => effect)
      .filter(effect => !switches_off || effect !== PARTLY_OFF)
  ]
}

function noticeNotes({ downgrade_levels = {} }: ShownChange): string[] {
  const pointers = Object.keys(downgrade_levels).filter(at => downgrade_levels[at] === 'notice')
  return pointers.length === 0
    ? []
    : [`review this field yourself: ${pointers.map(formatField).join(', ')}`]
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
