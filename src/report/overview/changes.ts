import { dangerRank } from '../../core/model/danger.ts'
import type { ShownChange } from '../../core/model/plan.ts'
import { byCodeUnit, compact, groupsBy, type NonEmpty } from '../../core/values/collections.ts'
import { plural, truncate } from '../../core/values/text.ts'
import {
  afterText,
  beforeAfterOf,
  beforeOf,
  commonPlace,
  fieldsOf,
  isDowngrade,
  isSecretField,
  lineText,
  placesOfField,
  secretText,
  severities,
  severityOf,
  valueOfField
} from '../fields/field-changes.ts'
import { excerpts, formatField } from '../fields/format-value.ts'
import { elementLines } from '../fields/list-elements.ts'
import type { FieldChange } from '../fields/secret-fields.ts'
import { addressPartsOf, changeKey } from '../group-findings.ts'
import { type Inline, type Text, textOf } from '../render/document.ts'
import { leadingFields, worstDanger } from '../wording/danger.ts'
import {
  type ChangeKind,
  causeText,
  effectNotes,
  effectText,
  worstEffect
} from '../wording/effects.ts'
import type { ChangedNetwork, ChangeGroup, FieldRow, NetworkState } from './overview.ts'
import { changeState, dangerVerb, placementWords, stateRank, stateVerbs } from './states.ts'

/** Equal changes, with the data behind their group. */
export interface GroupedChanges {
  readonly group: ChangeGroup
  readonly changes: NonEmpty<ShownChange>
}

/**
 * The changes in groups, worst first: by state, by danger, then by the effect on people, then by size. `stateOf`
 * overrides the state of a network, for one that waits or is refused.
 */
export function groupChanges(
  kind: ChangeKind,
  changes: readonly ShownChange[],
  stateOf: (change: ShownChange) => NetworkState = change => changeState(kind, change)
): GroupedChanges[] {
  return groupsBy(changes, change => `${stateOf(change)} ${changeKey(change)}`)
    .map(equal => ({
      group: groupOf(kind, equal, stateOf(equal[0])),
      changes: equal
    }))
    .sort(
      (a, b) =>
        stateRank(a.group.state) - stateRank(b.group.state) ||
        dangerRank(worstDanger(a.changes[0])) - dangerRank(worstDanger(b.changes[0])) ||
        severities.indexOf(severityOf(a.changes[0])) -
          severities.indexOf(severityOf(b.changes[0])) ||
        b.changes.length - a.changes.length ||
        byCodeUnit(a.changes[0].address, b.changes[0].address)
    )
}

function groupOf(
  kind: ChangeKind,
  changes: NonEmpty<ShownChange>,
  state: NetworkState
): ChangeGroup {
  const { effect, notes, ...details } = changeDetails(changes, kind)
  const isWeaker = kind === 'drift' && changes[0].downgrades !== undefined
  return {
    state,
    title: titleOf(kind, changes, state),
    key: addressPartsOf(changes[0]).key,
    networks: changes.map(networkOf),
    ...details,
    notes: isWeaker ? ['fixing it makes the network less secure', ...notes] : notes,
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
    fields: fieldRows(changes),
    ...compact({ impact: change.impact, effect }),
    notes: effectNotes(change, kind).filter(note => note !== effect)
  }
}

function networkOf(change: ShownChange): ChangedNetwork {
  const { address, site, wlan, origin, modified } = change
  return { address, site: site.name, ssid: wlan.ssid, ...compact({ origin, modified }) }
}

/** The name of the network for people: the SSID that all have and keep, or should have, otherwise the key in the files. */
export function networkName(changes: NonEmpty<ShownChange>, kind: ChangeKind = 'plan'): Inline {
  const ssids = new Set(changes.map(change => ssidOf(change, kind)))
  const [ssid] = ssids
  const { key } = addressPartsOf(changes[0])
  return { kind: 'name', text: ssids.size === 1 && ssid ? ssid : key }
}

function ssidOf({ wlan, patch }: ShownChange, kind: ChangeKind): string | undefined {
  const renamed = patch.find(({ op, path }) => path === '/ssid' && op !== 'test')
  if (renamed === undefined) return wlan.ssid
  const declared = kind === 'drift' && 'value' in renamed ? renamed.value : undefined
  return typeof declared === 'string' ? declared : undefined
}

function titleOf(kind: ChangeKind, changes: NonEmpty<ShownChange>, state: NetworkState): Text {
  const name = networkName(changes, kind)
  const [change] = changes
  const fields = fieldsOf(change).map(({ path }) => formatField(path))
  const danger = worstDanger(change)
  if (kind === 'drift' && danger !== undefined) return [name, dangerVerb(danger, fields)]
  if (kind === 'drift' && state === 'open') return [name, ' lets anybody in']
  if (kind === 'drift' && state === 'less-secure') return [name, ' is less secure']
  const verb = stateVerbs[state]
  if (verb !== undefined) {
    const why = state === 'open' ? ': it needs no key or login' : ''
    return [name, verb[kind === 'diff' ? 1 : 0] + why]
  }
  if (state === 'wrong') return [name, placementWords(fields).is]
  return [name, { plan: ' changes', drift: ' differs', diff: ' changed' }[kind]]
}

/** What a change does to people, or did, the worst first; undefined if it does nothing. */
export function effectOf(change: ShownChange, kind: ChangeKind = 'plan'): string | undefined {
  const effect = worstEffect(change)
  return effect && effectText(effect, kind)
}

/** The changed fields of equal changes, those that cause the state first. */
export function fieldRows(changes: NonEmpty<ShownChange>): FieldRow[] {
  return leadingFields(changes[0]).map(field => fieldRow(changes, field))
}

const MAX_VALUES = 400

/** A field on one line, not escaped: `vlan_id: 20 → 40 (sites/hq.yaml:12, changed in the files)`. */
export function fieldLine({ name, value, lines = [value], place, cause }: FieldRow): string {
  const about = [
    ...(place === undefined ? [] : [lineText(place)]),
    ...(cause === undefined ? [] : [cause])
  ]
  const values = truncate(lines.map(textOf).join('; '), MAX_VALUES)
  return `${truncate(name, 60)}: ${values}${about.length === 0 ? '' : ` (${about.join(', ')})`}`
}

/** Longer values have a line each. */
const MAX_LINE = 90

function fieldRow(changes: NonEmpty<ShownChange>, field: FieldChange): FieldRow {
  const [change] = changes
  const { path } = field
  const place = commonPlace(changes, field)
  const sources = commonSources(changes, field)
  const cause = causeText(change, field)
  return {
    pointer: path,
    name: formatField(path),
    ...valueTexts(changes, field),
    ...(isDowngrade(change, field) && {
      isDowngrade: change.downgrade_levels?.[path] === 'medium' ? 'medium' : true
    }),
    ...(change.dangers?.some(({ pointer }) => pointer === path) && { isDanger: true }),
    ...compact({ place, sources, cause })
  }
}

function commonSources(
  changes: NonEmpty<ShownChange>,
  field: FieldChange
): readonly string[] | undefined {
  const [first, ...others] = changes.map(change => placesOfField(change, field))
  const areShared = others.every(each => each.join('\n') === first?.join('\n'))
  return first !== undefined && first.length > 1 && areShared ? first : undefined
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
  const isBad = isDowngrade(change, field) || switchesOff(change, field)
  const withMark = (before: string, after: string): Inline => ({
    kind: 'change',
    before,
    after,
    ...(isBad && { isDanger: true })
  })
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
  if (before.length + after.length <= MAX_LINE) return { value: [withMark(before, after)] }
  const [short = '', other = ''] = excerpts([before, after], MAX_LINE / 2)
  const { removed, added, kept } = beforeAfterOf(field)
  const parts = (sign: string, texts: readonly string[]) =>
    texts.map((text): Text => [sign, { kind: 'code', text }])
  const rest: Text[] =
    kept === 0 ? [] : [[{ kind: 'muted', text: [`${plural(kept, 'other')} unchanged`] }]]
  return {
    value: [withMark(short, other)],
    lines: [...parts('- ', removed), ...parts('+ ', added), ...rest]
  }
}

/** Its source, never its value. Networks with references of their own are one group. */
function secretValue(changes: NonEmpty<ShownChange>, field: FieldChange): Text {
  const { text, source } = secretText(field)
  if (field.rotation?.names) return [text]
  if (source === undefined) return [text]
  const references = changes.map(change => {
    const same = fieldsOf(change).find(({ path }) => path === field.path)
    return same && secretText(same).source
  })
  const isShared = new Set(references).size === 1
  const from = isShared ? sourceText(source) : ['from a reference of each site']
  return [text, { kind: 'muted', text: [', ', ...from] }]
}

/** The source of a secret, `from NAME`, with its name as code. */
function sourceText(source: string): Text {
  const [, before = '', name = ''] = /^(from (?:the file )?)(.*)$/s.exec(source) ?? []
  return source === 'from the YAML' ? [source] : [before, { kind: 'code', text: name }]
}

/** The changes of a plan that share a subject and a state: one problem to solve. */
export function byProblem(groups: readonly GroupedChanges[]): NonEmpty<GroupedChanges>[] {
  return groupsBy(groups, ({ group, changes }) =>
    JSON.stringify([group.state, worstDanger(changes[0]), group.key])
  )
}

/** The latest modification of some networks, UTC; undefined if none is known. */
export function lastModified(networks: readonly ChangedNetwork[]): string | undefined {
  return networks
    .flatMap(({ modified }) => modified ?? [])
    .sort(byCodeUnit)
    .at(-1)
}
