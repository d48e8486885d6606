import { byCodeUnit } from '../../model/identity.ts'
import { type CellStatus, isFine, looks, rankOf } from './status.ts'

/** Something that is to be said of a WLAN of a site. */
export interface Trouble {
  readonly site: string
  readonly key: string
  readonly status: CellStatus
}

/** A site to look at, with what is wrong there, worst first. */
export interface Worry<T extends Trouble> {
  readonly site: string
  readonly troubles: readonly T[]
}

/**
 * The sites in which something is not as it should be, in the order in which to look at them: that of
 * two whose worst is worse goes first, then the one that has more of it, then that of the next worst.
 */
export function worriesOf<T extends Trouble>(troubles: readonly T[]): Worry<T>[] {
  const sites = new Map<string, T[]>()
  for (const trouble of troubles) {
    if (isFine(trouble.status)) continue
    const others = sites.get(trouble.site)
    if (others) others.push(trouble)
    else sites.set(trouble.site, [trouble])
  }
  const weighed = [...sites].map(([site, list]) => ({ site, list, weight: weightOf(list) }))
  return weighed
    .sort((a, b) => byCodeUnit(a.weight, b.weight) || byCodeUnit(a.site, b.site))
    .map(({ site, list }) => ({ site, troubles: list.sort(byBadness) }))
}

/** How many there are of each status, worst first, as a text: that of what is worse sorts first. */
function weightOf(troubles: readonly Trouble[]): string {
  const counts = looks.map(() => 0)
  for (const { status } of troubles) counts[rankOf(status)] = (counts[rankOf(status)] ?? 0) + 1
  return String.fromCharCode(...counts.map(n => MOST - Math.min(n, MOST)))
}

const MOST = 0xffff

function byBadness(a: Trouble, b: Trouble): number {
  return rankOf(a.status) - rankOf(b.status) || byCodeUnit(a.key, b.key)
}
