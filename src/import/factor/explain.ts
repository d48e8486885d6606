import { byCodeUnit } from '../../model/collections.ts'
import type { ValueObject } from '../../model/value.ts'
import { mapLines } from '../../yaml-edit/write.ts'
import type { Assigned } from './assign.ts'
import type { Kind } from './kinds.ts'
import type { Uses } from './variables.ts'

/** Why a profile exists, and what it saves. */
export interface Explained {
  readonly name: string
  /** WLANs that extend it. */
  readonly wlans: number
  /** Fields that all of them have from it. */
  readonly fields: number
  /** The variables that it takes from the site, by name. */
  readonly variables: readonly string[]
  /** WLANs that say something otherwise. */
  readonly overridden: number
  /** Lines that these WLANs would take without it, less those that they take with it. */
  readonly saved: number
}

export function explainFactoring(
  kinds: readonly Kind[],
  assigned: readonly Assigned[],
  uses: Uses
): Explained[] {
  return kinds.map(kind => {
    const mine = assigned.filter(each => each.kind === kind)
    const lines = mine.map(({ member, over }) => linesIn(member.wlan.fields) - linesIn(over))
    const variables = [...(uses.get(kind)?.values() ?? [])].map(({ variable }) => variable.name)
    return {
      name: kind.name,
      wlans: mine.length,
      fields: kind.shared.size,
      variables: [...new Set(variables)].sort(byCodeUnit),
      overridden: mine.filter(({ over }) => Object.keys(over).length > 0).length,
      saved: lines.reduce((sum, saved) => sum + saved, 0) - linesIn(kind.model)
    }
  })
}

function linesIn(fields: ValueObject): number {
  return mapLines(fields, 0).length
}
