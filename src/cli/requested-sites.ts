import { parseSiteList, type RequestedSite, resolveRequests } from '../import/site-requests.ts'
import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import { readInput } from './files/files.ts'

/** More problems than these are counted. */
const MOST_PROBLEMS = 10

/**
 * The sites of the command line and of `--from`, for a command with this verb. Throws a `Failure` (exit 3)
 * with all problems, also where there is no site.
 */
export async function requestedSites(
  ids: readonly string[],
  from: string | undefined,
  verb: string,
  cwd: string
): Promise<readonly RequestedSite[]> {
  const listed =
    from === undefined ? [] : parseSiteList(await readInput(from, cwd, fileLimits.siteList), from)
  const entries = [...ids.map(id => ({ id, name: '', source: 'the command line' })), ...listed]
  if (entries.length === 0) {
    const hint = 'give the ids of sites, or `--from FILE` with an id and a name on each line'
    throw new Failure(exit.wrongInput, `no site to ${verb}`, hint)
  }
  const result = resolveRequests(entries)
  if ('sites' in result) return result.sites
  const [first = '', ...others] = result.problems
  const more =
    others.length < MOST_PROBLEMS
      ? others
      : [...others.slice(0, MOST_PROBLEMS), `and ${others.length - MOST_PROBLEMS} more`]
  throw new Failure(exit.wrongInput, first, more.length === 0 ? undefined : more.join('\n'))
}
