import type { Change, Plan } from '../../model/plan.ts'
import { fieldsOf } from '../field-changes.ts'
import { groupFindings, whereaboutsOf } from '../group-findings.ts'
import { few } from '../words.ts'
import { byWeight, groupsOf, impactOf, rankOf } from './changes.ts'
import { fieldCode } from './code.ts'
import type { Section } from './page.ts'
import { siteCell, wlanCell } from './where.ts'

/** A table with more rows than this is too long to be looked through. */
const LONG = 25

/** A kind of changes names so many fields. */
const NAMES = 10

/**
 * How many changes there are of each kind: the same fields of the WLANs of one handle, with the same
 * impact, whatever the values. Only where the table of the changes is too long to be looked through.
 */
export function kindsSection({ changes }: Plan): Section {
  const isLong = groupsOf(changes).length > LONG
  const kinds = groupFindings(isLong ? changes : [], kindOf).sort(byWeight)
  return {
    lead: isLong ? '#### Kinds of changes' : '',
    columns: ['Sites', 'WLAN', 'Impact', 'Fields'],
    rows: kinds.map(kind => ({
      cells: [
        siteCell(kind.map(whereaboutsOf)),
        wlanCell(whereaboutsOf(kind[0])),
        impactOf(kind[0]),
        few(namesOf(kind[0]).map(fieldCode), NAMES)
      ],
      weight: kind.length,
      rank: rankOf(kind)
    })),
    noun: 'change',
    share: 1 / 8
  }
}

function kindOf(change: Change): string {
  const { impact, downgrades } = change
  return JSON.stringify([whereaboutsOf(change).key, namesOf(change), impact, downgrades])
}

function namesOf(change: Change): string[] {
  return fieldsOf(change).map(({ path }) => path)
}
