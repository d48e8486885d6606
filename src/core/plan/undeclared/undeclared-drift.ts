import { matchSite } from '../../diff/match.ts'
import type { Danger, DangerKind } from '../../model/danger.ts'
import type { DesiredSite, DesiredWlan, Policy } from '../../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../../model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../model/live.ts'
import { noting, type Pair, resultOf, resultsOf } from '../../model/pairs.ts'
import type { Unwatched } from '../../model/plan.ts'
import { isMet } from '../../schema/condition.ts'
import { wlanField } from '../../schema/field.ts'
import { readFrom } from '../../schema/in-use.ts'
import { isAtOrBelow, type Pointer } from '../../values/pointer.ts'
import { sameId } from '../../values/uuid.ts'
import { isEmpty, member, type Value, type ValueObject } from '../../values/value.ts'
import { dangersOf } from '../effects/danger.ts'
import { Transition } from '../effects/transition.ts'
import { liveText } from '../since-base.ts'
import { networkOf, unwatchedFields, whyNotAdopted } from './undeclared.ts'
import { type UndeclaredChange, undeclaredChanges, undoing } from './undeclared-changes.ts'

export interface EarlierState {
  /** The time of the snapshot, UTC. */
  readonly created: string
  readonly live: LiveSite
}

export interface UndeclaredFields {
  readonly findings: readonly Finding[]
  readonly unwatched: readonly Unwatched[]
}

/**
 * Compares the undeclared fields of declared WLANs with an earlier state, in which new WLANs have
 * none, and as the policy says with their defaults.
 */
export function compareUndeclared(
  site: DesiredSite,
  live: LiveSite,
  { unwatched: choice }: Pick<Policy, 'unwatched'>,
  earlier?: EarlierState,
  matches = matchSite(site, live)
): UndeclaredFields {
  const [findings, unwatched]: [Finding[], Unwatched[]] = [[], []]
  if (choice === 'ignore') return { findings, unwatched }
  for (const [wlan, match] of matches) {
    if (wlan.excluded || !('live' in match)) continue
    const { fields, address } = wlan
    const { id, record } = match.live
    const before = earlier?.live.wlans.find(each => sameId(each.id, id))?.record
    const since = before === undefined ? [] : undeclaredChanges(fields, record, before)
    const notDefault = notDefaultOf(fields, record, match.pair)
    const known = new Set(since.map(({ pointer }) => pointer))
    const more = choice === 'drift' ? notDefault.filter(({ pointer }) => !known.has(pointer)) : []
    if (since.length > 0 || more.length > 0) {
      const dangers = dangersOfAll(since, notDefault, record)
      for (const each of since)
        findings.push(changedFinding(wlan, match.live, each, dangers, earlier?.created))
      for (const each of more) findings.push(changedFinding(wlan, match.live, each, dangers))
    }
    if (choice === 'drift') continue
    const fieldLists = listsOf(match.pair, () =>
      unwatchedLists(fields, record, notDefault, match.pair)
    )
    if (fieldLists.pointers.length > 0) unwatched.push({ address, ...fieldLists })
  }
  return { findings, unwatched }
}

function notDefaultOf(
  declared: ValueObject,
  live: ValueObject,
  pair: Pair | undefined
): readonly UndeclaredChange[] {
  const parts = () => {
    const names = Object.keys(live).filter(name => !wlanField.member(name).readOnly)
    return pair?.varying ? names.map(name => [name]) : [names]
  }
  return resultsOf(pair, undeclaredChanges, parts, (part, reads) =>
    undeclaredChanges(noting(declared, reads), noting(live, reads), undefined, part)
  )
}

type UnwatchedLists = Omit<Unwatched, 'address'>

/** WLANs that differ in some fields mostly have the same lists all the same: these stay once. */
function listsOf(pair: Pair | undefined, compute: () => UnwatchedLists): UnwatchedLists {
  if (pair?.varying === undefined) return resultOf(pair, unwatchedLists, compute)
  const lists = compute()
  const text = JSON.stringify(lists)
  const first = pair.shared(unwatchedLists, () => ({ lists, text }))
  return text === first.text ? first.lists : lists
}

function unwatchedLists(
  declared: ValueObject,
  live: ValueObject,
  notDefault: readonly UndeclaredChange[],
  pair: Pair | undefined
): UnwatchedLists {
  const pointers = unwatchedFields(declared, live, notDefault, pair)
  const moved = new Set(notDefault.map(({ pointer }) => pointer))
  const not_default = pointers.filter(pointer => moved.has(pointer))
  const not_adoptable = not_default.filter(
    pointer => whyNotAdopted(pointer, declared, live) !== undefined
  )
  return {
    pointers,
    ...(not_default.length > 0 && { not_default }),
    ...(not_adoptable.length > 0 && { not_adoptable })
  }
}

function changedFinding(
  wlan: DesiredWlan,
  { ssid, record }: LiveWlan,
  { pointer, field, before, live }: UndeclaredChange,
  dangers: ReadonlyMap<Pointer, DangerKind>,
  created?: string
): Finding {
  const usual = (value: Value | undefined) =>
    liveText(isEmpty(value) ? (field.default ?? value) : value, pointer)
  const [was, is] = [usual(before) ?? 'none', usual(live) ?? 'none']
  const danger = dangers.get(pointer)
  const notAdopted = whyNotAdopted(pointer, wlan.fields, record)
  const where = {
    ...aboutWlan(wlan),
    ssid,
    ...(danger !== undefined && { danger }),
    ...(notAdopted !== undefined && ({ not_adoptable: true } as const))
  }
  return finding('UNDECLARED_CHANGED', where, pointer, was, is, created, notAdopted)
}

/** How clients join: no default says it, so that no value of it keeps clients out by itself. */
const JOINING = ['/auth/type', '/auth/pairwise', '/auth_servers', '/mist_nac', '/portal', '/radsec']

/**
 * The danger of each undeclared field, as if the files declared its earlier value, or its default. Against a default,
 * a network is not partly off: its hours or bands are merely fewer. Nor has it another key, or another login.
 */
function dangersOfAll(
  since: readonly UndeclaredChange[],
  notDefault: readonly UndeclaredChange[],
  live: ValueObject
): ReadonlyMap<Pointer, DangerKind> {
  const changes = [...since, ...notDefault].toReversed()
  const first = new Map(changes.map(change => [change.pointer, change]))
  const patch = undoing([...first.values()], live)
  const changed = new Set(since.map(({ pointer }) => pointer))
  const isSoInItself = ({ kind, pointer }: Danger) =>
    kind !== 'partly-off' &&
    kind !== 'other-key' &&
    !((kind === 'refused' || kind === 'cut-off') && JOINING.some(at => isAtOrBelow(pointer, at)))
  const dangers = dangersOf(new Transition(patch, live).reversed()).filter(
    each => changed.has(each.pointer) || isSoInItself(each)
  )
  return new Map(dangers.map(({ kind, pointer }) => [pointer, kind]))
}

/** A finding for each unmanaged WLAN of a site that anybody can join without a login. */
export function openUnmanaged(
  { name }: DesiredSite,
  wlans: readonly LiveWlan[]
): readonly Finding[] {
  const open = wlans.filter(
    ({ record }) =>
      !isInherited(record) &&
      member(record, 'enabled') !== false &&
      isMet('unprotected', readFrom(record), false)
  )
  return open.map(({ id, ssid, record }) =>
    finding('UNMANAGED_OPEN', { address: name, danger: 'open' }, ssid, id, networkOf(record))
  )
}
