import { createHash } from 'node:crypto'
import { normalForm } from '../diff/agree.ts'
import { type Finding, isError } from '../model/finding.ts'
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
  Partial<Pick<Plan, 'not_compared' | 'rollout' | 'findings' | 'refusals' | 'deferred'>>

/** What the digest covers, part by part. */
const parts: readonly ((plan: DigestedPlan) => readonly unknown[])[] = [
  ({ base_url }) => [base_url],
  ({ changes }) => changes.map(contentOf),
  ({ not_compared: open = [] }) => open.map(each => [each.address, notComparedOf(each)]),
  ({ rollout = [] }) => rollout.map(({ name, sites }) => [name ?? null, sites]),
  blockedAndRefused,
  ({ deferred = [] }) =>
    deferred.map(({ address, freeze }) => [address, freeze ? 'freeze' : 'window'])
]

/**
 * The digest of a plan: its service, its requests and the live state that they expect; the declared secrets that could
 * not be compared, with their references; the states of secrets; the wave of each site; and each WLAN that is blocked,
 * refused or deferred, with the code. The same plan has the same digest on every machine and at any time. Secrets are
 * included by reference only.
 */
export function digestOf(plan: DigestedPlan): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    for (const item of part(plan)) hash.update(`${JSON.stringify(item)}\n`)
    hash.update('\n')
  }
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
    patch: operationsOf(patch),
    body: normalMembers(request.body, name => wlanField.member(name)),
    not_compared: notComparedOf({ pointers: change.not_compared, references: change.references }),
    secrets: canonical({ ...secrets })
  }
}

/** What a patch does to a field: its pointer, and the values before and after in their normal form. */
export type NormalOperation = readonly [Pointer, before: Value, after: Value]

/**
 * What a patch does, member by member: whether the service has an object that is empty, null or absent makes no difference.
 * Sorted by pointer.
 */
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

/**
 * The WLAN or site and the code of each error and refusal about one, sorted. The limits are about the run, which
 * checks them itself.
 */
function blockedAndRefused({
  findings = [],
  refusals = []
}: Partial<Pick<Plan, 'findings' | 'refusals'>>): string[] {
  const reasons = [...findings.filter(isError), ...refusals].flatMap(found =>
    subjectsOf(found).map(subject => JSON.stringify([subject, found.code]))
  )
  return [...new Set(reasons)].sort(byCodeUnit)
}

/** The refusal of downgrades names its WLANs in its message only; their changes show the downgrades. */
function subjectsOf({ address, addresses, code }: Finding): readonly string[] {
  if (code === 'DOWNGRADE_REFUSED') return ['']
  return addresses ?? (address === undefined ? [] : [address])
}
