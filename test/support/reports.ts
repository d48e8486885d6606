import type { Change, Plan } from '../../src/core/model/plan.ts'
import { withDigests } from '../../src/core/plan/digest.ts'
import { changeOf, planOf } from '../report/plans.ts'
import { HQ } from './ids.ts'

/** The saved report of a day on which these WLANs drifted, each in these fields. */
export function dayOf(
  created: string,
  drift: Readonly<Record<string, readonly string[]>>,
  more: Parameters<typeof planOf>[1] = {}
): Plan {
  const changes = Object.entries(drift).map(([address, fields], nth) =>
    drifted(address, fields, nth)
  )
  const summary = { sites: new Set(changes.map(({ site }) => site.name)).size }
  return withDigests(planOf(changes, { created, summary, ...more }))
}

function drifted(address: string, fields: readonly string[], nth: number): Change {
  const edits = Object.fromEntries(fields.map(field => [field, [1, 2] as const]))
  const id = `7d6f1c5e-0000-4000-8000-${String(nth).padStart(12, '0')}`
  const path = `/api/v1/sites/${HQ}/wlans/${id}`
  return changeOf(address, undefined, edits, {
    wlan: { id, ssid: 'x' },
    request: { method: 'PUT', path, body: Object.fromEntries(fields.map(field => [field, 2])) }
  })
}
