import { byCodeUnit, groupBy } from '../model/collections.ts'
import type { Finding } from '../model/finding.ts'
import { listFirst, plural, truncate } from '../model/text.ts'

/** A secret that is not available, as a `SECRET_UNRESOLVED` finding names it. */
interface Unresolved {
  /** The variable or the file. */
  readonly name: string
  readonly problem: string
}

/** The message of `SECRET_UNRESOLVED`; it may come from a saved plan. */
const MESSAGE = /^("(?:[^"\\]|\\.)*")(…?) is not available: (.*)$/s

/** The most names for each problem, and the longest name in characters. */
const MOST_NAMES = 6
const LONGEST_NAME = 80

/** The fewest names that differ only in numbers and are shown as one, with `*` for the numbers. */
const MIN_ALIKE = 3

/**
 * The findings, with all warnings about unavailable secrets as one: jobs without secrets, as for pull requests from
 * forks, have a warning for each reference. A single warning stays, with its place.
 *
 *     3 secrets are not available, so they are not compared, and `apply` needs them: WLAN_SECRET_A, WLAN_SECRET_B
 *     (the variable is not set); radius (the file does not exist)
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
    return { name: String(reference).replace(/^\$(?:env|file): /, '') + cut, problem }
  } catch {
    return undefined
  }
}

function messageOf(unresolved: readonly Unresolved[]): string {
  const byProblem = groupBy(unresolved, ({ problem }) => problem)
  const groups = [...byProblem].map(([problem, secrets]) => ({
    problem,
    names: [...new Set(secrets.map(({ name }) => name))].sort(byCodeUnit)
  }))
  const count = groups.reduce((sum, { names }) => sum + names.length, 0)
  const lists = groups.map(({ problem, names }) => `${listNames(names)} (${problem})`)
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
