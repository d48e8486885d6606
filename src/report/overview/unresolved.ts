import { countUnresolved, type Finding } from '../../core/model/finding.ts'
import { byCodeUnit, groupBy, groupsBy } from '../../core/values/collections.ts'
import { formatNumber, listFirst, plural, quote, truncate } from '../../core/values/text.ts'

interface Unresolved {
  readonly found: Finding
  /** The variable or the file. */
  readonly name: string
  readonly problem: string
  /** The profile that refers to it; empty for a WLAN. */
  readonly profile: string
}

/** The message of `SECRET_UNRESOLVED`; it may come from a saved plan. */
const MESSAGE = /^("(?:[^"\\]|\\.)*")(…?) is not available: (.*)$/s

/** The maximum number of names for each profile, and the maximum length of a name. */
const MAX_NAMES = 5
const MAX_NAME_LENGTH = 80

/**
 * The minimum number of names to merge into a pattern if they differ only in numbers, with `*` for the
 * numbers.
 */
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
  const unresolved = findings.flatMap(found => unresolvedIn(found) ?? [])
  const [first, ...others] = unresolved
  if (first === undefined || others.length === 0) return findings
  const merged = new Set(unresolved.map(({ found }) => found))
  const { level, code } = first.found
  const message = messageOf(unresolved, countUnresolved([...merged]))
  return [...findings.filter(found => !merged.has(found)), { level, code, message }]
}

function unresolvedIn(found: Finding): Unresolved | undefined {
  if (found.code !== 'SECRET_UNRESOLVED' || found.level === 'error') return undefined
  const [, quoted = '', ellipsis = '', problem = ''] = MESSAGE.exec(found.message) ?? []
  try {
    const reference: unknown = JSON.parse(quoted)
    const [, plain, quotedName = ''] = PROFILE.exec(found.path ?? '') ?? []
    const name = String(reference).replace(/^\$(?:env|file): /, '') + ellipsis
    return { found, name, problem, profile: plain ?? quotedName }
  } catch {
    return undefined
  }
}

function messageOf(unresolved: readonly Unresolved[], count: number): string {
  const groups = groupsBy(unresolved, ({ profile, problem }) => JSON.stringify([profile, problem]))
  const lists = groups.map(secrets => {
    const [first] = secrets
    const names = [...new Set(secrets.map(({ name }) => name))].sort(byCodeUnit)
    const of = first.profile === '' ? '' : `profile ${quote(first.profile)}: `
    return `${of}${listNames(names)} (${first.problem})`
  })
  const [are, they, them] = count === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them']
  const effect = `so ${they} not compared, and \`apply\` needs ${them}`
  return `${plural(count, 'secret')} ${are} not available, ${effect}: ${lists.join('; ')}`
}

/** `WLAN_SECRET_A, WLAN_SECRET_STORE_*_PSK (300) and 2 more`. */
function listNames(names: readonly string[]): string {
  const alike = groupBy(names, name => name.replace(/\d+/g, '*'))
  const shown = [...alike].flatMap(([pattern, group]) =>
    group.length < MIN_ALIKE ? group : `${pattern} (${formatNumber(group.length)})`
  )
  return listFirst(
    shown.map(name => truncate(name, MAX_NAME_LENGTH)),
    MAX_NAMES
  )
}
