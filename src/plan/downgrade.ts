import { byCodeUnit } from '../model/collections.ts'
import type { DowngradeLevel } from '../model/plan.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isEmpty, isList, type Value } from '../model/value.ts'
import { type Field, fieldAt, type Ranking } from '../schema/field.ts'
import { activeMembers, elementsByKey, isActive, memberOf, type Transition } from './transition.ts'

/** A field with weaker security after a change. */
export interface Downgrade {
  readonly pointer: Pointer
  readonly level: DowngradeLevel
}

/**
 * The fields whose security a patch weakens, sorted; none if the WLAN is off before and after.
 *
 * | the field                         | its security                                                   |
 * |-----------------------------------|----------------------------------------------------------------|
 * | has a value that the schema ranks | the rank                                                       |
 * | is absent or empty                | that of its default, or of the least secure value              |
 * | is a list of ranked values        | its worst and its best member: either may become weaker        |
 * | gets a value without a rank       | unknown: a downgrade                                           |
 * | had a value without a rank        | unknown: neither an upgrade nor a downgrade                    |
 * | has a rule in `transitions`       | decided by that rule                                           |
 *
 * Elements of a list of objects are paired by their key; a new one is compared with the defaults.
 */
export function downgradesOf(transition: Transition): readonly Downgrade[] {
  if (transition.of('/enabled').every(value => value === false)) return []
  const found = transition.patch.flatMap(({ op, path }) => {
    if (op === 'test' || !isActive(path, transition)) return []
    return weakened(fieldAt(path), ...transition.valuesAt(path), path, transition)
  })
  const all = [...found, ...opened(transition)]
  return all.sort((a, b) => byCodeUnit(a.pointer, b.pointer))
}

function weakened(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer,
  transition: Transition
): Downgrade[] {
  const ranking = field.safer ?? field.item().safer
  const level = field.level ?? 'high'
  if (ranking !== undefined) {
    return isWeaker(ranking, before, after, field) ? [{ pointer: at, level }] : []
  }
  const rule = transitions.get(at)
  const own = rule?.weakens(before, after, transition) ? [{ pointer: at, level: rule.level }] : []
  return [...own, ...weakenedBelow(field, before, after, at, transition)]
}

function weakenedBelow(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer,
  transition: Transition
): Downgrade[] {
  if (isList(after)) {
    const named = elementsByKey(before, field)
    return after.flatMap((element, place) => {
      const name = field.key === undefined ? undefined : memberOf(element, field.key)
      const was = name === undefined ? undefined : named.get(name)
      return weakened(field.item(), was, element, child(at, place), transition)
    })
  }
  return activeMembers(before, after, at, transition).flatMap(({ name, was, is, below }) =>
    weakened(field.member(name), was, is, below, transition)
  )
}

/** Compares the worst and the best rank separately; a value without a rank counts only if it is new. */
function isWeaker(
  ranking: Ranking,
  before: Value | undefined,
  after: Value | undefined,
  field: Field
): boolean {
  const [were, are] = [valuesOf(before, field, ranking), valuesOf(after, field, ranking)]
  if (are.some(value => rankOf(value, ranking) === -1 && !were.includes(value))) return true
  const known = (values: readonly unknown[]) =>
    values.map(value => rankOf(value, ranking)).filter(rank => rank !== -1)
  const [was, is] = [known(were), known(are)]
  if (was.length === 0 || is.length === 0) return false
  return Math.min(...is) < Math.min(...was) || Math.max(...is) < Math.max(...was)
}

/** The values of a field or of its list, without nulls. */
function valuesOf(value: Value | undefined, field: Field, ranking: Ranking): unknown[] {
  const usual = field.default ?? [ranking[0]].flat()[0]
  const values: unknown[] = [isEmpty(value) ? usual : value].flat()
  return values.filter(each => each !== null)
}

/** A higher rank is more secure; -1 without a rank. */
function rankOf(value: unknown, ranking: Ranking): number {
  return ranking.findIndex(ranked => [ranked].flat().some(each => each === value))
}

/** The switches that each keep unauthorized clients off an open network. */
const logins = ['/portal/enabled', '/auth/enable_mac_auth', '/cisco_cwa/enabled'] as const

/** An open WLAN without login that is switched on; other fields that open it have ranks of their own. */
function opened(transition: Transition): Downgrade[] {
  const [was, is] = transition.of('/enabled')
  if (was !== false || is === false) return []
  const isOpen =
    transition.isAfter({ '/auth/type': ['open'] }) &&
    transition.isAfter({ '/auth/owe': ['disabled'] }) &&
    !logins.some(login => transition.isAfter(login))
  return isOpen ? [{ pointer: '/enabled', level: 'high' }] : []
}

/** A rule about one field that a ranking cannot express. */
interface Rule {
  readonly level: DowngradeLevel
  readonly weakens: (
    before: Value | undefined,
    after: Value | undefined,
    transition: Transition
  ) => boolean
}

const emptied = (before: Value | undefined, after: Value | undefined) =>
  !isEmpty(before) && isEmpty(after)

const gains =
  (isWatched: (element: string) => boolean) =>
  (before: Value | undefined, after: Value | undefined) => {
    const were = new Set(textsOf(before))
    return textsOf(after).some(element => isWatched(element) && !were.has(element))
  }

const isFirstVlan = (element: string) => /^0*1(?:-|$)/.test(element)

const transitions: ReadonlyMap<Pointer, Rule> = new Map<Pointer, Rule>([
  ...['amazon', 'facebook', 'google', 'microsoft', 'sponsor'].map((provider): [Pointer, Rule] => [
    `/portal/${provider}_email_domains`,
    { level: 'high', weakens: emptied }
  ]),
  ['/portal_allowed_subnets', { level: 'high', weakens: gains(isWideSubnet) }],
  ['/portal_allowed_hostnames', { level: 'high', weakens: gains(isTopLevelDomain) }],
  ['/portal_denied_hostnames', { level: 'high', weakens: (b, a) => gains(() => true)(a, b) }],
  ['/dynamic_vlan/default_vlan_id', { level: 'high', weakens: gains(isFirstVlan) }],
  ['/dynamic_vlan/default_vlan_ids', { level: 'high', weakens: gains(isFirstVlan) }],
  ['/dynamic_psk/default_vlan_id', { level: 'high', weakens: gains(isFirstVlan) }],
  [
    '/dynamic_psk/default_psk',
    {
      level: 'high',
      weakens: (_, after, transition) =>
        (after instanceof Secret ? !after.empty : !isEmpty(after)) &&
        transition.wasUnset('/dynamic_psk/default_psk')
    }
  ],
  ['/radsec/server_name', { level: 'medium', weakens: emptied }],
  ['/auth_servers', { level: 'notice', weakens: isMoved }],
  ['/radsec/servers', { level: 'notice', weakens: isMoved }],
  ['/acct_servers', { level: 'notice', weakens: emptied }],
  ['/portal/forward_url', { level: 'notice', weakens: leadsElsewhere }],
  ['/portal/external_portal_url', { level: 'notice', weakens: leadsElsewhere }]
])

function textsOf(value: Value | undefined): string[] {
  return isEmpty(value) ? [] : [value].flat().map(String)
}

/** All addresses, or a prefix shorter than /8. */
function isWideSubnet(subnet: string): boolean {
  const [, length] = /\/(\d{1,3})$/.exec(subnet) ?? []
  return length !== undefined && Number(length) < 8
}

/** `com`, `.com` or `*.com`: hostnames are matched by substring. */
function isTopLevelDomain(hostname: string): boolean {
  return /^[*.]*[^.*]*$/.test(hostname)
}

/** True if a new server is used. */
function isMoved(before: Value | undefined, after: Value | undefined): boolean {
  const hosts = (list: Value | undefined) =>
    isList(list) ? list.map(element => String(memberOf(element, 'host'))) : []
  const were = new Set(hosts(before))
  return were.size > 0 && hosts(after).some(host => !were.has(host))
}

/** True for an address on another host. */
function leadsElsewhere(before: Value | undefined, after: Value | undefined): boolean {
  const [was, is] = [hostOf(before), hostOf(after)]
  return is !== undefined && is !== was
}

function hostOf(url: Value | undefined): string | undefined {
  if (typeof url !== 'string' || url === '') return undefined
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`
  return URL.canParse(text) ? new URL(text).hostname : url
}
