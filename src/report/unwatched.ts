import { countUnwatched, type Plan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { escapeText } from './escape.ts'
import { formatField } from './format-value.ts'
import { type GroupedFindings, groupMany, splitAddress } from './group-findings.ts'
import { formatTable, type Style } from './layout.ts'

/** The unwatched guard fields of a plan. */
export type UnwatchedPart = Pick<Plan, 'unwatched' | 'unwatched_total'>

/** `12 guard fields on 4 WLANs are not declared: changes to them go unnoticed`; undefined if all are. */
export function unwatchedNote(plan: UnwatchedPart): string | undefined {
  const { fields, wlans } = countUnwatched(plan)
  if (fields === 0) return undefined
  const [verb, them] = fields === 1 ? ['is', 'it'] : ['are', 'them']
  const sum = `${plural(fields, 'guard field')} on ${plural(wlans, 'WLAN')}`
  return `${sum} ${verb} not declared: changes to ${them} go unnoticed`
}

type Entries = NonNullable<Plan['unwatched']>

/** Groups WLANs with the same key and the same fields. */
function groupsOf(unwatched: Entries): GroupedFindings<Entries[number]>[] {
  return groupMany(unwatched, ({ address, pointers }) =>
    JSON.stringify([splitAddress(address).key, pointers])
  )
}

/** The unwatched fields of each WLAN as text; empty if there are none. */
export function unwatchedText(plan: UnwatchedPart, style: Style): string {
  const rows = unwatchedRows(plan)
  if (rows.length === 0) return ''
  return [
    style.warn('Not declared: guard fields that can change unnoticed'),
    ...formatTable(
      rows.map(([where]) => escapeText(where)),
      rows.map(([, fields]) => fields)
    )
  ].join('\n')
}

/** The WLANs and their unwatched fields, both for display; the WLANs are not escaped. */
export function unwatchedRows(plan: UnwatchedPart): (readonly [where: string, fields: string])[] {
  const { unwatched = [] } = plan
  const more = countUnwatched(plan).wlans - unwatched.length
  const rows = groupsOf(unwatched).map(([{ address, pointers }, ...others]) => {
    const sites = plural(others.length + 1, 'site')
    const where = others.length === 0 ? address : `${splitAddress(address).key} on ${sites}`
    return [where, pointers.map(formatField).join(', ')] as const
  })
  return more === 0 ? rows : [...rows, [`and ${plural(more, 'other WLAN')}`, '']]
}
