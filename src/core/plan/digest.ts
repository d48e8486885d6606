import { createHash, type Hash } from 'node:crypto'
import { normalForm } from '../diff/agree.ts'
import { addressesIn, type Finding, isError } from '../model/finding.ts'
import type { Change, PatchOperation, Plan, SecretReferences } from '../model/plan.ts'
import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { byCodeUnit } from '../values/collections.ts'
import { child, type Pointer } from '../values/pointer.ts'
import {
  canonical,
  fromEntries,
  isEmpty,
  isObject,
  isSameJson,
  member,
  secretReferenceIn,
  type Value,
  type ValueObject
} from '../values/value.ts'

/** The members of a plan that its digest covers; an absent list is empty. */
export type DigestedPlan = Pick<Plan, 'base_url' | 'changes'> &
  Partial<Pick<Plan, 'sites' | 'not_compared' | 'rollout' | 'findings' | 'refusals' | 'deferred'>>

/** What a plan does and omits: each item with its site, its WLAN, or, for the run itself, an empty text. */
type Items = readonly (readonly [subject: string, item: unknown])[]

const parts: readonly ((plan: DigestedPlan) => Items)[] = [
  ({ changes }) => changes.map(change => [change.site.name, contentOf(change)]),
  ({ not_compared: open = [] }) =>
    open.map(each => [each.address, [each.address, notComparedOf(each)]]),
  ({ rollout = [] }) =>
    rollout.flatMap(({ name, sites }, place) => sites.map(site => [site, [place, name ?? null]])),
  blockedAndRefused,
  ({ deferred = [] }) =>
    deferred.map(({ address, freeze }) => [address, [address, freeze ? 'freeze' : 'window']])
]

/** The digest of a site where nothing would be done. */
const NOTHING = textOf(createHash('sha256'))

/**
 * The digest of a plan: its service, and the digests of its sites, sorted. That of a site covers the requests, the live
 * state that they expect, and what they do to clients and security; the declared secrets that could not be compared, with their references; the states of secrets;
 * the wave; and each WLAN that is blocked, refused or deferred, with the code. The same plan has the same digest on every
 * machine and at any time; a site where nothing would be done makes no difference. Secrets are included by reference only.
 */
export function digestOf(plan: DigestedPlan): string {
  return digestFrom(plan, siteDigests(plan))
}

export function withDigests(plan: Omit<Plan, 'digest'>): Plan {
  const digests = siteDigests(plan)
  const sites = plan.sites.map(({ id, name, unread }) =>
    unread === undefined
      ? { id, name, digest: digests.get(id.toLowerCase()) ?? NOTHING }
      : { id, name, unread }
  )
  return { ...plan, sites, digest: digestFrom(plan, digests) }
}

function digestFrom({ base_url }: DigestedPlan, digests: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256').update(`${base_url}\n`)
  for (const digest of [...digests.values()].sort(byCodeUnit)) hash.update(`${digest}\n`)
  return textOf(hash)
}

/** By the id of the site in lower case; that of the run itself by an empty text. */
function siteDigests(plan: DigestedPlan): Map<string, string> {
  const { sites = [], changes } = plan
  const named = [...sites, ...changes.map(({ site }) => site)]
  const idByName = new Map(named.map(({ id, name }) => [name, id.toLowerCase()]))
  const hashes = new Map<string, Hash>()
  for (const part of parts) {
    for (const [subject, item] of part(plan)) {
      const id = siteOf(subject, idByName)
      const hash = hashes.get(id) ?? createHash('sha256')
      hashes.set(id, hash.update(`${JSON.stringify(item)}\n`))
    }
  }
  return new Map([...hashes].map(([id, hash]) => [id, textOf(hash)]))
}

/** The id of the site that a subject is or belongs to; empty if it is of no site. */
function siteOf(subject: string, idByName: ReadonlyMap<string, string>): string {
  for (let name = subject; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
    const id = idByName.get(name)
    if (id !== undefined) return id
  }
  return ''
}

function textOf(hash: Hash): string {
  return `sha256:${hash.digest('hex')}`
}

/** The identity of a change: everything but places, labels and names. */
function contentOf(change: Change): unknown {
  const { site, wlan, context = {}, exposes, patch, request, secrets = {} } = change
  return {
    site: site.id.toLowerCase(),
    wlan: wlan.id.toLowerCase(),
    context: normalMembers(context, fieldAt),
    exposes,
    effects: effectsIn(change),
    patch: operationsOf(patch),
    body: normalMembers(request.body, name => wlanField.member(name)),
    not_compared: notComparedOf({ pointers: change.not_compared, references: change.references }),
    secrets: canonical({ ...secrets })
  }
}

/** The classes of the effects of a change, without their fields: an empty and an absent object differ in those. */
function effectsIn({ downgrade_levels = {}, dangers = [], ends, ...change }: Change): unknown {
  const { impact, impacts, switches_off, resets_radio, authentication_risk } = change
  const levels = [...new Set(Object.values(downgrade_levels))].sort(byCodeUnit)
  const kinds = [...new Set(dangers.map(({ kind }) => kind))].sort(byCodeUnit)
  return [impact, impacts, switches_off, resets_radio, authentication_risk, levels, kinds, ends]
}

/** What a patch does to a field: its pointer, and the values before and after in their normal form. */
export type NormalOperation = readonly [Pointer, before: Value, after: Value]

/** What a patch does by member, sorted: an empty, null or absent object makes no difference. */
export function operationsOf(patch: readonly PatchOperation[]): readonly NormalOperation[] {
  const before = new Map<Pointer, Value>()
  const operations: NormalOperation[] = []
  for (const operation of patch) {
    const { op, path } = operation
    const value = 'value' in operation ? operation.value : undefined
    if (op === 'test') before.set(path, value ?? null)
    else {
      addLeaves(operations, fieldAt(path), path, before.get(path), value)
      before.delete(path)
    }
  }
  // A test of a field that the patch does not change is none of ours.
  for (const [path, value] of before) addLeaves(operations, fieldAt(path), path, value, value)
  return operations.sort(([a], [b]) => byCodeUnit(a, b))
}

function addLeaves(
  to: NormalOperation[],
  field: Field,
  pointer: Pointer,
  before: Value | undefined,
  after: Value | undefined
): void {
  const values = [before, after]
  const isByMember =
    field.compare === undefined &&
    values.every(value => isEmpty(value) || isPlainObject(value)) &&
    values.some(isPlainObject)
  if (!isByMember) {
    const forms = [normalForm(field, before, pointer), normalForm(field, after, pointer)] as const
    to.push([pointer, ...forms])
    return
  }
  const names = new Set(values.flatMap(value => (isObject(value) ? Object.keys(value) : [])))
  for (const name of names) {
    const [was, is] = values.map(value => (isObject(value) ? member(value, name) : undefined))
    if (!isSameJson(was ?? null, is ?? null)) {
      addLeaves(to, field.member(name), child(pointer, name), was, is)
    }
  }
}

function isPlainObject(value: Value | undefined): boolean {
  return isObject(value) && secretReferenceIn(value) === undefined
}

function normalMembers(object: ValueObject, fieldOf: (name: string) => Field): Value {
  const members = Object.keys(object)
    .sort(byCodeUnit)
    .map(name => [name, normalForm(fieldOf(name), object[name], `/${name}`)] as const)
  return fromEntries(members.filter(([, value]) => value !== null))
}

function notComparedOf({
  pointers = [],
  references = {}
}: {
  readonly pointers?: readonly Pointer[] | undefined
  readonly references?: SecretReferences | undefined
}): unknown {
  return [pointers, canonical<ValueObject>({ ...references } as ValueObject)]
}

/** The WLAN or site and the code of errors and refusals, sorted. The run itself checks limits. */
function blockedAndRefused({
  findings = [],
  refusals = []
}: Partial<Pick<Plan, 'findings' | 'refusals'>>): Items {
  const reasons = [...findings.filter(isError), ...refusals].flatMap(found =>
    subjectsOf(found).map(subject => [subject, found.code] as const)
  )
  const distinct = new Map(reasons.map(reason => [JSON.stringify(reason), reason]))
  return [...distinct].sort(([a], [b]) => byCodeUnit(a, b)).map(([, reason]) => [reason[0], reason])
}

/** The refusal of downgrades names its WLANs in its message only; their changes show the downgrades. */
function subjectsOf(found: Finding): readonly string[] {
  return found.code === 'DOWNGRADE_REFUSED' ? [''] : addressesIn(found)
}
