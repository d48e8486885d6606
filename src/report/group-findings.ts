import { countUnresolved, type Finding } from '../core/model/finding.ts'
import type { PatchOperation, Plan, ShownChange, Unmanaged } from '../core/model/plan.ts'
import { byCodeUnit, groupBy, groupsBy, type NonEmpty } from '../core/values/collections.ts'
import { formatNumber, listFirst, plural, quote, truncate } from '../core/values/text.ts'
import { asNumber, isList, isObject, type Value } from '../core/values/value.ts'
import { fieldsOf, valueOfField } from './fields/field-changes.ts'
import { isSecret } from './fields/format-value.ts'
import { elementPointer } from './fields/secret-fields.ts'

/**
 * Groups findings that differ only in their WLANs and sites; those of rules also if their places, and the
 * names and numbers in their messages differ. From `MIN_GROUP` on, findings of WLANs are one wherever they are declared:
 * an import gives each site a file of its own. Unresolved secrets become one finding.
 */
export function groupEqualFindings(findings: readonly Finding[]): NonEmpty<Finding>[] {
  return groupsBy(mergeUnresolved(findings), (found, at) =>
    isOfRule(found) || found.address !== undefined ? findingKey(found) : String(at)
  ).flatMap(group =>
    isOfRule(group[0]) || group.length >= MIN_GROUP
      ? [group]
      : groupsBy(group, ({ place, path }) => JSON.stringify([place, path]))
  )
}

/** True for a finding of a rule, which is the same wherever it is broken. */
function isOfRule({ code, rule }: Finding): boolean {
  return rule !== undefined || code === 'SITE_NOT_READ'
}

function findingKey(found: Finding): string {
  const { level, code, message, hint, rule, existing, waived } = found
  return isOfRule(found)
    ? JSON.stringify([level, code, rule, shapeOf(message), hint && shapeOf(hint), existing, waived])
    : JSON.stringify([
        level,
        code,
        code === 'NO_LONGER_DECLARED' ? shapeOf(message) : message,
        hint
      ])
}

/** What differs between messages of one kind: quoted names, ids, and numbers. */
const VARIABLE = /"(?:[^"\\]|\\.)*"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/gi

function shapeOf(message: string): string {
  return message.replace(VARIABLE, '…')
}

/** The message of a group of findings, with `…` in place of what differs. */
export function groupMessage(group: NonEmpty<Finding>): string {
  return commonText(group.map(({ message }) => message))
}

export function groupHint(group: NonEmpty<Finding>): string | undefined {
  const hints = group.flatMap(({ hint }) => hint ?? [])
  return hints.length === 0 ? undefined : commonText(hints)
}

function commonText([first = '', ...others]: readonly string[]): string {
  if (others.every(text => text === first)) return first
  const parts = others.map(text => text.match(VARIABLE) ?? [])
  let at = -1
  return first.replace(VARIABLE, part => {
    at += 1
    return parts.every(own => own[at] === part) ? part : '…'
  })
}

/** Items whose reasons differ only in quoted names, ids and numbers, and their reason, with `…` in place of these. */
export function groupByReason<T extends { readonly reason: string }>(
  items: readonly T[]
): { readonly reason: string; readonly items: NonEmpty<T> }[] {
  return groupsBy(items, ({ reason }) => shapeOf(reason)).map(group => ({
    reason: commonText(group.map(({ reason }) => reason)),
    items: group
  }))
}

/** The code of a finding, with the rule of the linter: `LINT weak-key`. */
export function codeOf({ code, rule }: Finding): string {
  return code === 'LINT' && rule !== undefined ? `${code} ${rule}` : code
}

export function addressesOf(group: readonly Finding[]): string[] {
  return group.flatMap(({ code, address, addresses = [], existing, waived }) =>
    code === 'LINT' || existing || waived ? (address ?? addresses) : (address ?? [])
  )
}

/** True for a finding of the linter, and for an existing or waived violation of a policy rule. */
export function isListedWithLint({ code, existing, waived }: Finding): boolean {
  return code === 'LINT' || existing === true || waived !== undefined
}

/** The number of findings; one of the linter counts for each of its WLANs or sites. */
export function countFindings(findings: readonly Finding[]): number {
  return findings.reduce((sum, found) => {
    const { addresses, more = 0 } = found
    return sum + (isListedWithLint(found) ? (addresses?.length ?? 1) + more : 1)
  }, 0)
}

export function otherFindings({ findings, refusals = [] }: Plan): readonly Finding[] {
  const refused = new Set(
    refusals.map(({ address, message }) => JSON.stringify([address, message]))
  )
  return findings.filter(({ address, message }) => !refused.has(JSON.stringify([address, message])))
}

/** True if the address of a finding is a site, not a WLAN. */
export function isAboutSite({ code, address, addresses = [] }: Finding): boolean {
  if (code === 'SITE_NOT_READ' || code === 'UNMANAGED') return true
  const isOfRule = code === 'LINT' || code === 'RULE'
  return isOfRule && !(address ?? addresses[0] ?? '').includes('/')
}

const MIN_GROUP = 3

/** A key that is equal for undeclared WLANs that a report merges: the same SSID, template and network. */
export function unmanagedKey({ ssid, template, network }: Unmanaged): string {
  return JSON.stringify([ssid, template, network])
}

/** The parts of an address such as `hq/guest`. */
export interface AddressParts {
  readonly site: string
  /** The key of the WLAN in the YAML. */
  readonly key: string
}

export function addressPartsOf({
  address,
  site
}: Pick<ShownChange, 'address' | 'site'>): AddressParts {
  return splitAfter(address, address.startsWith(`${site.name}/`) ? site.name.length : -1)
}

/** Splits an address of an unknown site at its first `/`. */
export function splitAddress(address: string): AddressParts {
  return splitAfter(address, address.indexOf('/'))
}

function splitAfter(address: string, end: number): AddressParts {
  if (end < 0) return { site: address, key: '' }
  return { site: address.slice(0, end), key: address.slice(end + 1) }
}

/**
 * A key that is equal for changes with the same effect on WLANs with the same key. The names of secret references do
 * not matter: an import gives each site its own. Former numbers are compared by their digits (`40` or `"40"`), because
 * the service stores either, and lists by the elements that differ.
 */
export function changeKey(change: ShownChange): string {
  const { patch, impact, impacts, downgrades, downgrade_levels, not_compared, causes, secrets } =
    change
  const { switches_off, resets_radio, authentication_risk, dangers, elements } = change
  const steps = elements === undefined ? patch.map(comparable) : elementSteps(change)
  const pointers = elements === undefined ? [not_compared, secrets] : openElements(change)
  return JSON.stringify([
    addressPartsOf(change).key,
    ...[steps, impact, impacts, switches_off, resets_radio, authentication_risk, downgrades],
    ...[downgrade_levels, dangers, causes, pointers]
  ])
}

function comparable(step: PatchOperation): unknown {
  if (step.op === 'test') return { ...step, value: asNumber(step.value) }
  return 'value' in step ? { ...step, value: withoutReferences(step.value) } : step
}

/** The value with the same mark in place of each secret reference. */
function withoutReferences(value: Value): unknown {
  if (isSecret(value)) return '(secret)'
  if (isList(value)) return value.map(withoutReferences)
  if (!isObject(value)) return value
  return Object.entries(value).map(([name, member]) => [name, withoutReferences(member)])
}

/** The operations of a patch, with lists replaced by the elements that differ; then the secrets within. */
function elementSteps(change: ShownChange): unknown[] {
  const steps = change.patch.flatMap((step): unknown[] => {
    const elements = valueOfField(change.elements, step)
    if (elements === undefined) return [comparable(step)]
    return step.op === 'test' ? [] : [[step.path, elements]]
  })
  const secrets = fieldsOf(change).filter(({ sentIn }) => sentIn !== undefined)
  return [...steps, ...secrets.map(({ path, state }) => [path, state])]
}

/** The secrets that could not be compared, by the names of their elements. */
function openElements({ not_compared = [], request }: ShownChange): string[] {
  return not_compared.map(pointer => elementPointer(request?.body ?? {}, pointer))
}

interface Unresolved {
  /** The variable or the file. */
  readonly name: string
  readonly problem: string
  /** The profile that refers to it; empty for a WLAN. */
  readonly profile: string
}

/** The message of `SECRET_UNRESOLVED`; it may come from a saved plan. */
const MESSAGE = /^("(?:[^"\\]|\\.)*")(…?) is not available: (.*)$/s

/** The maximum number of names for each profile, and the maximum length of a name. */
const MAX_NAMES = 5
const MAX_NAME_LENGTH = 80

/**
 * The minimum number of names to merge into a pattern if they differ only in numbers, with `*` for the
 * numbers.
 */
const MIN_ALIKE = 10

/** The profile in the path of a finding: `profiles.guest.auth.psk`. */
const PROFILE = /^profiles(?:\.([^.[\]]+)|\["((?:[^"\\]|\\.)*)"\])/

/**
 * The findings, with all warnings about unavailable secrets as one: jobs without secrets, as for pull requests from
 * forks, have a warning for each reference. A single warning stays, with its place.
 *
 *     3 secrets are not available, so they are not compared, and `apply` needs them: profile guest: WLAN_SECRET_A,
 *     WLAN_SECRET_B (the variable is not set); radius (the file does not exist)
 */
export function mergeUnresolved(findings: readonly Finding[]): readonly Finding[] {
  const unresolved = new Map(
    findings.flatMap(found => {
      const secret = unresolvedIn(found)
      return secret === undefined ? [] : [[found, secret]]
    })
  )
  const [first, ...others] = unresolved.keys()
  if (first === undefined || others.length === 0) return findings
  const { level, code } = first
  const merged: Finding = {
    level,
    code,
    message: messageOf([...unresolved.values()], countUnresolved([...unresolved.keys()]))
  }
  return [...findings.filter(found => !unresolved.has(found)), merged]
}

function unresolvedIn(found: Finding): Unresolved | undefined {
  if (found.code !== 'SECRET_UNRESOLVED' || found.level === 'error') return undefined
  const [, quoted = '', ellipsis = '', problem = ''] = MESSAGE.exec(found.message) ?? []
  try {
    const reference: unknown = JSON.parse(quoted)
    const [, plain, quotedName = ''] = PROFILE.exec(found.path ?? '') ?? []
    const name = String(reference).replace(/^\$(?:env|file): /, '') + ellipsis
    return { name, problem, profile: plain ?? quotedName }
  } catch {
    return undefined
  }
}

function messageOf(unresolved: readonly Unresolved[], count: number): string {
  const groups = groupsBy(unresolved, ({ profile, problem }) => JSON.stringify([profile, problem]))
  const lists = groups.map(secrets => {
    const [first] = secrets
    const names = [...new Set(secrets.map(({ name }) => name))].sort(byCodeUnit)
    const of = first.profile === '' ? '' : `profile ${quote(first.profile)}: `
    return `${of}${listNames(names)} (${first.problem})`
  })
  const [are, they, them] = count === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them']
  const effect = `so ${they} not compared, and \`apply\` needs ${them}`
  return `${plural(count, 'secret')} ${are} not available, ${effect}: ${lists.join('; ')}`
}

/** `WLAN_SECRET_A, WLAN_SECRET_STORE_*_PSK (300) and 2 more`. */
function listNames(names: readonly string[]): string {
  const alike = groupBy(names, name => name.replace(/\d+/g, '*'))
  const shown = [...alike].flatMap(([pattern, group]) =>
    group.length < MIN_ALIKE ? group : `${pattern} (${formatNumber(group.length)})`
  )
  return listFirst(
    shown.map(name => truncate(name, MAX_NAME_LENGTH)),
    MAX_NAMES
  )
}
