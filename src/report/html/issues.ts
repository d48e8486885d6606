import { byCodeUnit } from '../../model/collections.ts'
import { type CellStatus, isFine, lookOf, looks, rankOf } from './status.ts'

/** Something that is to be said of a WLAN of a site. */
export interface Issue {
  readonly site: string
  readonly key: string
  readonly status: CellStatus
}

/** A site to look at, with what is wrong there, worst first. */
export interface SiteIssues<T extends Issue> {
  readonly site: string
  readonly troubles: readonly T[]
}

/**
 * The sites in which something is not as it should be, in the order in which to look at them: that of
 * two whose worst is worse goes first, then the one that has more of it, then that of the next worst.
 */
export function siteIssuesOf<T extends Issue>(troubles: readonly T[]): SiteIssues<T>[] {
  const sites = new Map<string, T[]>()
  for (const trouble of troubles) {
    if (isFine(trouble.status)) continue
    const others = sites.get(trouble.site)
    if (others) others.push(trouble)
    else sites.set(trouble.site, [trouble])
  }
  const weighed = [...sites].map(([site, list]) => ({
    site,
    list,
    weight: weightOf(lettersOf(list))
  }))
  return weighed
    .sort((a, b) => byCodeUnit(a.weight, b.weight) || byCodeUnit(a.site, b.site))
    .map(({ site, list }) => ({ site, troubles: list.sort(byBadness) }))
}

/**
 * How many there are of each status, as a text that sorts first for what is worse. Given are the letters
 * of the statuses; what is fine weighs nothing.
 */
export function weightOf(letters: string): string {
  const counts = new Array<number>(BAD.length).fill(MOST)
  for (const letter of letters) {
    const rank = BAD.indexOf(letter)
    if (rank >= 0) counts[rank] = Math.max(0, (counts[rank] ?? 0) - 1)
  }
  return String.fromCharCode(...counts)
}

/** The letters of what is not fine, the worst first. */
const BAD = looks
  .filter(({ status }) => !isFine(status))
  .map(({ letter }) => letter)
  .join('')

const MOST = 0xffff

function lettersOf(troubles: readonly Issue[]): string {
  return troubles.map(({ status }) => lookOf(status).letter).join('')
}

function byBadness(a: Issue, b: Issue): number {
  return rankOf(a.status) - rankOf(b.status) || byCodeUnit(a.key, b.key)
}
