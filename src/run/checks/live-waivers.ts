import { matchSite } from '../../core/diff/match.ts'
import { Linter } from '../../core/lint/lint.ts'
import { defaultLintPolicy } from '../../core/model/defaults.ts'
import type { DesiredSite } from '../../core/model/desired.ts'
import type { LiveSite } from '../../core/model/live.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { limits } from '../../fleet/limits.ts'

export interface WaiverEntry {
  readonly rule: string
  readonly site?: string
  readonly wlan?: string
  readonly reason: string
  readonly until: string
}

/** The time to repair what is wrong with live networks. */
const DAYS = 90

interface Broken {
  readonly rule: string
  readonly site: string
  readonly wlan?: string | undefined
}

/**
 * Waivers of the lint errors that imported sites have, with what their files declare over the live records. At
 * most as many as a policy may have. Secrets play no role, since a waiver would tell about their values.
 */
export function liveWaivers(
  sites: readonly DesiredSite[],
  live: readonly LiveSite[],
  now: Date
): WaiverEntry[] {
  const until = new Date(now.getTime() + DAYS * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const byRule = groupBy(errorsOf(sites, live), ({ rule, wlan }) => JSON.stringify([rule, wlan]))
  return [...byRule.values()]
    .flatMap(broken => {
      const [{ rule, wlan } = { rule: '' }] = broken
      const names = [...new Set(broken.map(({ site }) => site))]
      const having = sites.filter(({ wlans }) => wlans.some(({ key }) => key === wlan))
      const isEverywhere = wlan !== undefined && names.length > 1 && names.length === having.length
      const globs = isEverywhere ? [undefined] : globsOf(names)
      return globs.map(site => ({
        rule,
        ...compact({ site, wlan }),
        reason: 'live when imported',
        until
      }))
    })
    .slice(0, limits.rules)
}

function errorsOf(sites: readonly DesiredSite[], live: readonly LiveSite[]): Broken[] {
  const byId = new Map(live.map(each => [each.site.id.toLowerCase(), each]))
  const linter = new Linter({ ...defaultLintPolicy, level: 'error' })
  const ofSites = sites.flatMap(site => {
    const { id, name } = site
    const read = byId.get(id.toLowerCase())
    const matches = read === undefined ? [] : [...matchSite(site, read)]
    const linted = matches.flatMap(([{ key, fields }, match]) =>
      'live' in match ? [{ name: key, declared: fields, live: match.live.record }] : []
    )
    const found: Broken[] = []
    linter.lintSite({ id, name, wlans: linted }, ({ rule, level, fromSecret }, wlan) => {
      if (level === 'error' && !fromSecret) found.push({ rule, site: name, wlan })
    })
    return found
  })
  const related = linter.lintFleet().filter(({ level }) => level === 'error')
  return [...ofSites, ...related]
}

const LENGTH = 80

function globsOf(names: readonly string[]): string[] {
  const special = /[*?[\]{},!\\]/g
  const globs: string[] = []
  let list: string[] = []
  const end = () => {
    if (list.length > 0) globs.push(list.length === 1 ? list.join() : `{${list.join(',')}}`)
    list = []
  }
  for (const name of names) {
    if (name.search(special) >= 0) globs.push(name.replace(special, '\\$&'))
    else if (list.push(name) > 0 && list.join().length > LENGTH) end()
  }
  end()
  return globs
}
