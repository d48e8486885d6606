import { createHash } from 'node:crypto'
import type { Change, Plan, SecretReferences } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { ValueObject } from '../model/value.ts'
import { canonical } from '../model/value.ts'

/** The parts of a plan that an approval covers, apart from its changes. */
type ApprovedParts = Partial<Pick<Plan, 'not_compared' | 'rollout'>>

/**
 * The digest of a plan: its requests, service and expected live state; the declared secrets that could not be
 * compared, with their references; the states of secrets; the wave of each site. The same changes have the
 * same digest on every machine and at any time. Secrets are included by reference only.
 */
export function digestOf(
  baseUrl: string,
  changes: readonly Change[],
  parts: ApprovedParts = {}
): string {
  const { not_compared: notCompared = [], rollout } = parts
  const hash = createHash('sha256')
  hash.update(`{"base_url":${JSON.stringify(baseUrl)},"changes":[`)
  changes.forEach((change, place) => {
    hash.update(`${place === 0 ? '' : ','}${JSON.stringify(sealed(change))}`)
  })
  const others = {
    ...(notCompared.length === 0 ? {} : { not_compared: notCompared.map(sealedNotCompared) }),
    ...(rollout && { rollout: rollout.map(({ name, sites }) => [name ?? null, sites]) })
  }
  const rest = JSON.stringify(others).slice(1)
  hash.update(rest === '}' ? ']}' : `],${rest}`)
  return `sha256:${hash.digest('hex')}`
}

function sealed(change: Change): string {
  const { not_compared: pointers, references, secrets } = change
  const notCompared = pointers === undefined ? '' : notComparedPart(pointers, references)
  // A file of an earlier version has no states.
  const states = secrets === undefined ? '' : JSON.stringify({ secrets: canonical({ ...secrets }) })
  return changeContent(change) + notCompared + states
}

function sealedNotCompared({
  address,
  pointers,
  references
}: Plan['not_compared'][number]): string {
  return JSON.stringify(address) + notComparedPart(pointers, references)
}

function notComparedPart(pointers: readonly Pointer[], references: SecretReferences = {}): string {
  return JSON.stringify([pointers, canonical<ValueObject>({ ...references } as ValueObject)])
}

/**
 * The identity of a change: site, WLAN, context, operations and body, without places, labels and names. As JSON text,
 * so that secrets are compared by reference.
 */
export function changeContent(change: Change): string {
  const { site, wlan, context, patch, request } = change
  return JSON.stringify({
    site: site.id.toLowerCase(),
    wlan: wlan.id.toLowerCase(),
    ...(context && { context: canonical(context) }),
    patch: patch.map(operation => canonical<ValueObject>(operation)),
    body: canonical(request.body)
  })
}
