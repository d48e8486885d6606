import { countUnresolved, type Finding } from '../../core/model/finding.ts'
import { byCodeUnit, groupsBy } from '../../core/values/collections.ts'
import { listFirst, plural, truncate } from '../../core/values/text.ts'

/** The maximum number of names for each reason, and the maximum length of a name. */
const MAX_NAMES = 5
const MAX_NAME_LENGTH = 80

/**
 * The findings, with all warnings about unavailable secrets as one: jobs without secrets, as for pull requests from
 * forks, have a warning for each reference. A single warning stays, with its place.
 *
 *     3 secrets are not available, so they are not compared, and `apply` needs them: WLAN_SECRET_A, WLAN_SECRET_B (the
 *     variable is not set); radius (the file does not exist)
 */
export function mergeUnresolved(findings: readonly Finding[]): readonly Finding[] {
  const unresolved = findings.flatMap(found => {
    const { level, unavailable } = found
    return unavailable === undefined || level === 'error' ? [] : [{ found, ...unavailable }]
  })
  const [first, ...others] = unresolved
  if (first === undefined || others.length === 0) return findings
  const merged = new Set(unresolved.map(({ found }) => found))
  const count = countUnresolved([...merged])
  const lists = groupsBy(unresolved, ({ reason }) => reason).map(alike => {
    const names = [...new Set(alike.map(({ secret }) => truncate(secret, MAX_NAME_LENGTH)))]
    return `${listFirst(names.sort(byCodeUnit), MAX_NAMES)} (${alike[0].reason})`
  })
  const [are, they, them] = count === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them']
  const effect = `so ${they} not compared, and \`apply\` needs ${them}`
  const message = `${plural(count, 'secret')} ${are} not available, ${effect}: ${lists.join('; ')}`
  const { level, code } = first.found
  return [...findings.filter(found => !merged.has(found)), { level, code, message }]
}
