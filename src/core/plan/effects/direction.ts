import { type Direction, type Field, factOf, fieldAt, isToldByOlder } from '../../schema/field.ts'
import { above, child, type Pointer } from '../../values/pointer.ts'
import { isEmpty, isList, isObject, isUnset, type Value, valueText } from '../../values/value.ts'
import { isActive, memberNamesOf, memberOf, type Transition } from './transition.ts'

/** A field before and after a change; an absent value is undefined. */
export interface Step {
  readonly field: Field
  readonly at: Pointer
  readonly before: Value | undefined
  readonly after: Value | undefined
  readonly transition: Transition
}

export function stepAt(at: Pointer, transition: Transition): Step {
  const holders = transition.valuesAt(above(at).at(-1) ?? '')
  return stepOf(fieldAt(at), at, transition.valuesAt(at), holders, transition)
}

/** An older name beside the field holds its value where it is absent. */
function stepOf(
  field: Field,
  at: Pointer,
  [was, is]: readonly [Value | undefined, Value | undefined],
  holders: readonly [Value | undefined, Value | undefined],
  transition: Transition
): Step {
  const own = transition.fieldIn(field, above(at).at(-1) ?? '', ...holders)
  const [before, after] = [factOf(own, was, holders[0]), factOf(own, is, holders[1])]
  return { field: own, at, before, after, transition }
}

/** True if one of the values is unknown, because it is absent and an older name holds the fact in another form. */
export function isUncertain({ field, before, after }: Step): boolean {
  return isToldByOlder(field, before) || isToldByOlder(field, after)
}

/** The changes of the members of an object that have an effect, unchanged members included. */
export function activeMembers({ field, at, before, after, transition }: Step): readonly Step[] {
  return memberNamesOf(before, after).flatMap(name => {
    const below = child(at, name)
    if (!isActive(below, transition)) return []
    const values = [memberOf(before, name), memberOf(after, name)] as const
    return [stepOf(field.member(name), below, values, [before, after], transition)]
  })
}

/** True if a change has this direction; only the comparison of elements knows `changed`. */
export function hasDirection(direction: Direction, step: Step): boolean {
  if (direction === 'changed') return false
  return isTo(direction) ? step.after === direction.slice('to '.length) : tests[direction](step)
}

function isTo(direction: Direction): direction is `to ${string}` {
  return direction.startsWith('to ')
}

const gains =
  (isWatched: (element: string) => boolean) =>
  ({ before, after }: Pick<Step, 'before' | 'after'>) => {
    const were = new Set(textsOf(before))
    return textsOf(after).some(element => isWatched(element) && !were.has(element))
  }

const tests: Readonly<
  Record<Exclude<Direction, 'changed' | `to ${string}`>, (step: Step) => boolean>
> = {
  lowered: ({ field, before, after }) =>
    sizeOf(after, field, Infinity) < sizeOf(before, field, Infinity),
  raised: ({ field, before, after }) =>
    sizeOf(after, field, -Infinity) > sizeOf(before, field, -Infinity),
  true: ({ after }) => after === true,
  false: ({ after }) => isEmpty(after) || after === false,
  emptied: ({ before, after }) => !isEmpty(before) && isEmpty(after),
  set: ({ at, after, transition }) => !isUnset(after) && transition.wasUnset(at),
  grown: ({ before, after }) => loses(after, before),
  shrunk: ({ before, after }) => loses(before, after),
  'first-vlan': gains(element => /^0*1(?:-|$)/.test(element)),
  'wide-subnet': gains(isWideSubnet),
  'top-level-domain': gains(isTopLevelDomain),
  'new-host': step => isMoved(step, host => host),
  'new-network': step => isMoved(step, host => host.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1'))
}

/** True if an element, a name, or an hour of a day is in `before`, but not in `after`. */
function loses(before: Value | undefined, after: Value | undefined): boolean {
  const hasElements = [before, after].some(value => isList(value) || isObject(value))
  if (!hasElements) return losesHours(before, after)
  return gains(() => true)({ before: after, after: before })
}

function sizeOf(value: Value | undefined, field: Field, unlimited: number): number {
  const size = isEmpty(value) ? (field.default ?? field.noLimit) : value
  const number = Number(valueText(size))
  return size === undefined || number === field.noLimit ? unlimited : number
}

/** The elements of a list, the names of an object, or the entries of a text with commas: VLANs, hosts and ids, in any case. */
function textsOf(value: Value | undefined): string[] {
  if (isEmpty(value)) return []
  if (isObject(value)) return Object.keys(value)
  return [value].flat().flatMap(each =>
    valueText(each)
      .toLowerCase()
      .split(/\s*,\s*/)
  )
}

function isWideSubnet(subnet: string): boolean {
  const [, length] = /\/(\d{1,3})$/.exec(subnet) ?? []
  return length !== undefined && Number(length) < 8
}

/** `com`, `.com` or `*.com`: hostnames are matched by substring. */
function isTopLevelDomain(hostname: string): boolean {
  return /^[*.]*[^.*]*$/.test(hostname)
}

/** True if names, logins or records go to a server that had none of them; a first list moves nothing. */
function isMoved({ field, before, after }: Step, placeOf: (host: string) => string): boolean {
  const places = (value: Value | undefined) => hostsOf(field, value).map(placeOf)
  const [were, are] = [places(before), places(after)]
  const isFirst = were.length === 0 && typeof after !== 'string'
  return !isFirst && are.some(place => !were.includes(place))
}

function hostsOf({ key = '' }: Field, value: Value | undefined): string[] {
  if (isEmpty(value)) return []
  if (isList(value)) return value.map(element => valueText(memberOf(element, key)))
  return (isObject(value) ? Object.values(value) : [value]).map(each => hostOf(valueText(each)))
}

function hostOf(url: string): string {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`
  return URL.canParse(text) ? new URL(text).hostname : url
}

const DAY = 24 * 60

function losesHours(before: Value | undefined, after: Value | undefined): boolean {
  const [was, is] = [hoursOf(before), hoursOf(after)]
  return Array.from({ length: DAY }, (_, minute) => minute).some(
    minute => isWithin(minute, was) && !isWithin(minute, is)
  )
}

/** The range of hours such as `09:00-17:00` in minutes: none for an empty text, and the whole day for a day without any. */
function hoursOf(value: Value | undefined): readonly [from: number, until: number] {
  const found = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(typeof value === 'string' ? value : '')
  if (found === null) return [0, value === '' ? 0 : DAY]
  const [fromHour = 0, from = 0, untilHour = 0, until = 0] = found.slice(1).map(Number)
  return [fromHour * 60 + from, untilHour * 60 + until]
}

/** Hours that end before they start continue after midnight. */
function isWithin(minute: number, [from, until]: readonly [number, number]): boolean {
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until
}
