import { dangerRank } from '../../core/model/danger.ts'
import type { ShownChange } from '../../core/model/plan.ts'
import {
  byCodeUnit,
  compact,
  groupsBy,
  type NonEmpty,
  present
} from '../../core/values/collections.ts'
import { plural, truncate } from '../../core/values/text.ts'
import { addressPartsOf, changeKey, ssidOf } from '../fields/change-key.ts'
import {
  afterText,
  beforeAfterOf,
  beforeOf,
  commonPlace,
  fieldsOf,
  isDowngrade,
  isSecretField,
  leadingFields,
  lineText,
  placesOfField,
  secretText,
  valueOfField,
  worstDanger
} from '../fields/field-changes.ts'
import { excerpts, formatField } from '../fields/format-value.ts'
import { elementLines } from '../fields/list-elements.ts'
import type { FieldChange } from '../fields/secret-fields.ts'
import { code, type Inline, muted, name, type Text, textOf } from '../render/document.ts'
import {
  type ChangeKind,
  causeText,
  effectNotes,
  effectOf,
  severityRank
} from '../wording/effects.ts'
import { dangerWords } from './danger-words.ts'
import type { NetworkState } from './network-states.ts'
import type { ChangedNetwork, ChangeGroup, FieldRow } from './overview.ts'
import { byState, changeState, placementWords } from './states.ts'

/**
 * The changes in groups, worst first: by state, by danger, then by the effect on people, then by size. `stateOf`
 * overrides the state of a network, for one that waits or is refused.
 */
export function groupChanges(
  kind: ChangeKind,
  changes: readonly ShownChange[],
  stateOf: (change: ShownChange) => NetworkState = change => changeState(kind, change)
): ChangeGroup[] {
  return groupsBy(changes, change => `${stateOf(change)} ${changeKey(change)}`)
    .map(equal => ({ group: groupOf(kind, equal, stateOf(equal[0])), one: equal[0] }))
    .sort(({ group: a, one }, { group: b, one: other }) => {
      return (
        byState(a, b) ||
        dangerRank(a.danger) - dangerRank(b.danger) ||
        severityRank(one) - severityRank(other) ||
        b.networks.length - a.networks.length ||
        byCodeUnit(one.address, other.address)
      )
    })
    .map(({ group }) => group)
}

/** The pointer of a danger whose field no file declares. */
export const UNDECLARED = ''

function groupOf(
  kind: ChangeKind,
  changes: NonEmpty<ShownChange>,
  state: NetworkState
): ChangeGroup {
  const { effect, notes, ...details } = changeDetails(changes, kind)
  const ends = kind === 'plan' && changes[0].ends
  const isWeaker = kind === 'drift' && changes[0].downgrades !== undefined
  return {
    state,
    ...compact({ danger: worstDanger(changes[0]) }),
    ...(changes[0].dangers?.[0]?.pointer === UNDECLARED && { isUndeclared: true }),
    title: titleOf(kind, changes, state),
    key: addressPartsOf(changes[0]).key,
    networks: changes.map(networkOf),
    ...details,
    notes: present(
      isWeaker && 'fixing it makes the network less secure',
      ends && `until then it${dangerWords[ends].verbs.drift}`,
      ...notes
    ),
    ...(effect !== undefined && { effect: kind === 'drift' ? `fixing it: ${effect}` : effect })
  }
}

export function changeDetails(
  changes: NonEmpty<ShownChange>,
  kind: ChangeKind = 'plan'
): Pick<ChangeGroup, 'fields' | 'impact' | 'effect' | 'notes'> {
  const [change] = changes
  const effect = effectOf(change, kind)
  return {
    // Those that cause the state come first.
    fields: leadingFields(change).map(field => fieldRow(changes, field)),
    ...compact({ impact: change.impact, effect }),
    notes: effectNotes(change, kind).filter(note => note !== effect)
  }
}

function networkOf(change: ShownChange): ChangedNetwork {
  const { address, site, wlan, origin, modified } = change
  return { address, site: site.name, ssid: wlan.ssid, ...compact({ origin, modified }) }
}

/** The name of the network for people: the SSID that all have and keep, or should have, otherwise the key in the files. */
function networkName(changes: NonEmpty<ShownChange>, kind: ChangeKind): Inline {
  const [ssid, ...others] = new Set(changes.map(change => ssidOf(change, kind)))
  return name((others.length === 0 && ssid) || addressPartsOf(changes[0]).key)
}

function titleOf(kind: ChangeKind, changes: NonEmpty<ShownChange>, state: NetworkState): Text {
  const network = networkName(changes, kind)
  const [change] = changes
  const danger = worstDanger(change)
  if (danger !== undefined) return [network, dangerWords[danger].verbs[kind]]
  if (state === 'wrong') {
    const fields = fieldsOf(change).map(({ path }) => formatField(path))
    return [network, placementWords(fields).is]
  }
  return [network, { plan: ' changes', drift: ' differs', diff: ' changed' }[kind]]
}

const MAX_VALUES = 400

/** A field on one line, not escaped: `vlan_id: 20 → 40 (sites/hq.yaml:12, changed in the files)`. */
export function fieldLine({ name: field, value, lines = [value], place, cause }: FieldRow): string {
  const about = present(place && lineText(place), cause).join(', ')
  const values = truncate(lines.map(textOf).join('; '), MAX_VALUES)
  return `${truncate(field, 60)}: ${values}${about && ` (${about})`}`
}

/** Longer values have a line each. */
const MAX_LINE = 90

function fieldRow(changes: NonEmpty<ShownChange>, field: FieldChange): FieldRow {
  const [change] = changes
  const { path } = field
  const [sources, ...others] = changes.map(each => placesOfField(each, field))
  const areShared = others.every(each => each.join('\n') === sources?.join('\n'))
  return {
    name: formatField(path),
    ...valueTexts(changes, field),
    ...(isDowngrade(change, field) && {
      isDowngrade: change.downgrade_levels?.[path] === 'medium' ? 'medium' : true
    }),
    ...(sources !== undefined && sources.length > 1 && areShared && { sources }),
    ...compact({ place: commonPlace(changes, field), cause: causeText(change, field) })
  }
}

/** True if the field belongs to an outage that takes the network off the air. */
function switchesOff({ switches_off, impact_fields }: ShownChange, { path }: FieldChange): boolean {
  return switches_off === true && impact_fields?.includes(path) !== false
}

function valueTexts(
  changes: NonEmpty<ShownChange>,
  field: FieldChange
): Pick<FieldRow, 'value' | 'lines'> {
  const [change] = changes
  const isDanger = isDowngrade(change, field) || switchesOff(change, field)
  const changed = (before: string, after: string): Text => [
    { kind: 'change', before, after, ...(isDanger && { isDanger }) }
  ]
  if (isSecretField(field)) return { value: secretValue(changes, field) }
  const elements = valueOfField(change.elements, { path: field.path })
  if (elements !== undefined) {
    const lines = elementLines(elements)
    const [only = []] = lines
    return lines.length === 1
      ? { value: only }
      : { value: [plural(lines.length, 'difference')], lines }
  }
  const [before, after] = [beforeOf(field), afterText(field)]
  if (before.length + after.length <= MAX_LINE) return { value: changed(before, after) }
  const [short = '', other = ''] = excerpts([before, after], MAX_LINE / 2)
  const { removed, added, kept } = beforeAfterOf(field)
  const lines = present<Text>(
    ...removed.map(text => ['- ', code(text)]),
    ...added.map(text => ['+ ', code(text)]),
    kept > 0 && [muted(`${plural(kept, 'other')} unchanged`)]
  )
  return { value: changed(short, other), lines }
}

/** Its source, never its value. Networks with references of their own are one group. */
function secretValue(changes: NonEmpty<ShownChange>, field: FieldChange): Text {
  const { text, source } = secretText(field)
  if (source === undefined) return [text]
  const references = changes.map(change => {
    const same = fieldsOf(change).find(({ path }) => path === field.path)
    return same && secretText(same).source?.join('')
  })
  const isShared = new Set(references).size === 1
  const [from, reference] = source
  if (!isShared) return [text, muted(', ', 'from a reference of each site')]
  return [text, muted(', ', from, ...(reference === '' ? [] : [code(reference)]))]
}

/** The latest modification of some networks, UTC; undefined if none is known. */
export function lastModified(networks: readonly ChangedNetwork[]): string | undefined {
  const times = networks.flatMap(({ modified }) => modified ?? [])
  return times.sort(byCodeUnit).at(-1)
}
