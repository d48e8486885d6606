import { createHash } from 'node:crypto'
import type { Change, Plan, SecretReferences } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { ValueObject } from '../model/value.ts'
import { canonical } from '../model/value.ts'

/** What a plan holds beside its changes that an approval is about. */
type Beside = Partial<Pick<Plan, 'not_compared' | 'rollout'>>

/**
 * The digest of what would be done: which requests, to which service, against which live state; which
 * declared secrets could not be compared, with what they refer to; and in which wave each site is. The
 * same changes give the same digest, whenever and from wherever they were planned. Secrets take
 * part by their reference only.
 */
export function digestOf(baseUrl: string, changes: readonly Change[], beside: Beside = {}): string {
  const { not_compared: open = [], rollout } = beside
  const hash = createHash('sha256')
  hash.update(`{"base_url":${JSON.stringify(baseUrl)},"changes":[`)
  changes.forEach((change, place) => {
    hash.update(`${place === 0 ? '' : ','}${JSON.stringify(sealed(change))}`)
  })
  const said = {
    ...(open.length === 0 ? {} : { not_compared: open.map(sealedOpen) }),
    ...(rollout && { rollout: rollout.map(({ name, sites }) => [name ?? null, sites]) })
  }
  const rest = JSON.stringify(said).slice(1)
  hash.update(rest === '}' ? ']}' : `],${rest}`)
  return `sha256:${hash.digest('hex')}`
}

function sealed(change: Change): string {
  const { not_compared: pointers, references } = change
  const open = pointers === undefined ? '' : openPart(pointers, references)
  return essence(change) + open
}

function sealedOpen({ address, pointers, references }: Plan['not_compared'][number]): string {
  return JSON.stringify(address) + openPart(pointers, references)
}

function openPart(pointers: readonly Pointer[], references: SecretReferences = {}): string {
  return JSON.stringify([pointers, canonical<ValueObject>({ ...references } as ValueObject)])
}

/**
 * What two changes must have in common to be the same: site, WLAN, operations and body. Places,
 * labels and names are not looked at. As JSON text, so that secrets are compared by reference.
 */
export function essence(change: Change): string {
  const { site, wlan, patch, request } = change
  return JSON.stringify({
    site: site.id.toLowerCase(),
    wlan: wlan.id.toLowerCase(),
    patch: patch.map(operation => canonical<ValueObject>(operation)),
    body: canonical(request.body)
  })
}
