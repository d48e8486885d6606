import { byCodeUnit, groupBy } from '../model/collections.ts'
import type { Finding } from '../model/finding.ts'
import { listFirst, plural, quote, truncate } from '../model/text.ts'

/** A secret that is not available, as a `SECRET_UNRESOLVED` finding names it. */
interface Unresolved {
  /** The variable or the file. */
  readonly name: string
  readonly problem: string
  /** The profile that refers to it; empty for a WLAN. */
  readonly profile: string
}

/** The message of `SECRET_UNRESOLVED`; it may come from a saved plan. */
const MESSAGE = /^("(?:[^"\\]|\\.)*")(…?) is not available: (.*)$/s

/** The most names for each profile, and the longest name in characters. */
const MOST_NAMES = 200
const LONGEST_NAME = 80

/** The fewest names that differ only in numbers and are shown as one, with `*` for the numbers. */
const MIN_ALIKE = 10

/** The profile in the path of a finding: `profiles.guest.auth.psk`. */
const PROFILE = /^profiles(?:\.([^.[\]]+)|\["((?:[^"\\]|\\.)*)"\])/

/**
 * The findings, with all warnings about unavailable secrets as one: jobs without secrets, as for pull requests from
 * forks, have a warning for each reference. A single warning stays, with its place.
 *
 *     3 secrets are not available, so they are not compared, and `apply` needs them: profile guest: WLAN_SECRET_A,
 *     WLAN_SECRET_B (the variable is not set); radius (the file does not exist)
 */
export function mergeUnresolved(findings: readonly Finding[]): readonly Finding[] {
  const unresolved = new Map(
    findings.flatMap(found => {
      const secret = unresolvedIn(found)
      return secret === undefined ? [] : [[found, secret]]
    })
  )
  const [first, ...others] = unresolved.keys()
  if (first === undefined || others.length === 0) return findings
  const { level, code } = first
  const merged: Finding = { level, code, message: messageOf([...unresolved.values()]) }
  return [...findings.filter(found => !unresolved.has(found)), merged]
}

function unresolvedIn(found: Finding): Unresolved | undefined {
  if (found.code !== 'SECRET_UNRESOLVED' || found.level === 'error') return undefined
  const [, quoted = '', cut = '', problem = ''] = MESSAGE.exec(found.message) ?? []
  try {
    const reference: unknown = JSON.parse(quoted)
    const [, plain, quotedName = ''] = PROFILE.exec(found.path ?? '') ?? []
    const name = String(reference).replace(/^\$(?:env|file): /, '') + cut
    return { name, problem, profile: plain ?? quotedName }
  } catch {
    return undefined
  }
}

function messageOf(unresolved: readonly Unresolved[]): string {
  const groups = groupBy(unresolved, ({ profile, problem }) => JSON.stringify([profile, problem]))
  const lists = [...groups.values()].flatMap(secrets => {
    const [first] = secrets
    if (first === undefined) return []
    const names = [...new Set(secrets.map(({ name }) => name))].sort(byCodeUnit)
    const of = first.profile === '' ? '' : `profile ${quote(first.profile)}: `
    return `${of}${listNames(names)} (${first.problem})`
  })
  const count = new Set(unresolved.map(({ name }) => name)).size
  const [are, they, them] = count === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them']
  const effect = `so ${they} not compared, and \`apply\` needs ${them}`
  return `${plural(count, 'secret')} ${are} not available, ${effect}: ${lists.join('; ')}`
}

/** `WLAN_SECRET_A, WLAN_SECRET_STORE_*_PSK (300) and 2 more`. */
function listNames(names: readonly string[]): string {
  const alike = groupBy(names, name => name.replace(/\d+/g, '*'))
  const shown = [...alike].flatMap(([pattern, group]) =>
    group.length < MIN_ALIKE ? group : `${pattern} (${group.length})`
  )
  return listFirst(
    shown.map(name => truncate(name, LONGEST_NAME)),
    MOST_NAMES
  )
}
