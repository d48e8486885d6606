import { createHash } from 'node:crypto'
import type { Change } from '../model/plan.ts'
import type { ValueObject } from '../model/value.ts'
import { canonical } from './canonical.ts'

/**
 * The digest of what would be done: which requests, to which service, against which live state. The
 * same changes give the same digest, whenever and from wherever they were planned. Secrets take
 * part by their reference only.
 */
export function digestOf(baseUrl: string, changes: readonly Change[]): string {
  const done = { base_url: baseUrl, changes: changes.map(essence) }
  return `sha256:${createHash('sha256').update(JSON.stringify(done)).digest('hex')}`
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
