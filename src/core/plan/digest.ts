import { createHash } from 'node:crypto'
import { type Finding, isError } from '../model/finding.ts'
import type { Change, Plan, SecretReferences } from '../model/plan.ts'
import { byCodeUnit } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { canonical, type ValueObject } from '../values/value.ts'

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
  const { site, wlan, context = {}, patch, request, secrets = {} } = change
  return {
    site: site.id.toLowerCase(),
    wlan: wlan.id.toLowerCase(),
    context: canonical(context),
    patch: patch.map(operation => canonical<ValueObject>(operation)),
    body: canonical(request.body),
    not_compared: notComparedOf({ pointers: change.not_compared, references: change.references }),
    secrets: canonical({ ...secrets })
  }
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
