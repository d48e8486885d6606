import type { Change, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { agedFields, shownTime, snapshotAge } from '../age.ts'
import { wrap } from '../layout.ts'
import type { RenderOptions } from '../report.ts'
import { shownField } from '../shown.ts'
import type { Style } from '../style.ts'

/**
 * Since when the fields of a change are known to differ.
 *
 *     since 2026-11-19 10:00:00 UTC: isolation
 *     first seen now: vlan_id
 */
export function sinceLines(change: Change, { width }: RenderOptions, style: Style): string[] {
  return agedFields(change).flatMap(({ since, pointers }) => {
    const title = since === undefined ? 'first seen now' : `since ${shownTime(since)}`
    const [first = '', ...others] = pointers.map(shownField)
    const mark = since === undefined ? style.warn : style.faint
    return wrap([`${title}: ${first}`, ...others], ', ', width - 4).map(line => `    ${mark(line)}`)
  })
}

/** What is to be said of the age of what a plan was made on, and held against. */
export function ageNotes(plan: Plan, style: Style): string[] {
  const { since, changes } = plan
  const age = snapshotAge(plan)
  const known = changes.flatMap(agedFields).filter(aged => aged.since !== undefined)
  const old = known.reduce((sum, { pointers }) => sum + pointers.length, 0)
  return [
    ...(age === undefined ? [] : [style.warn(`On a snapshot ${age}, not on the service`)]),
    ...(since === undefined
      ? []
      : [
          `Since ${shownTime(since.created)}: ${plural(since.new_fields, 'field')} first seen now, ${old} known before`
        ])
  ]
}
