import { listedSites, type RequestedSite, requestSites } from '../import/request.ts'
import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import { envNameProblem } from '../secrets/references.ts'
import { readInput } from './files/files.ts'

/** What says which sites are to be imported, and what their secrets are called. */
interface Asked {
  readonly from?: string
  readonly secretPrefix: string
}

/** More problems than these are counted. */
const SHOWN = 10

/** The sites that somebody asks for. Throws a `Failure` (exit 3) that tells what is wrong with them. */
export async function requestedSites(
  ids: readonly string[],
  { from, secretPrefix }: Asked,
  cwd: string
): Promise<readonly RequestedSite[]> {
  const prefixProblem = envNameProblem(`${secretPrefix}A`, secretPrefix)
  if (prefixProblem !== undefined) {
    throw new Failure(exit.wrongInput, `the secret prefix cannot be used: ${prefixProblem}`)
  }
  const listed =
    from === undefined ? [] : listedSites(await readInput(from, cwd, fileLimits.siteList), from)
  const asked = [...ids.map(id => ({ id, name: '', at: 'the command line' })), ...listed]
  if (asked.length === 0) {
    const hint = 'give the ids of sites, or `--from FILE` with an id and a name on each line'
    throw new Failure(exit.wrongInput, 'no site is asked for', hint)
  }
  const result = requestSites(asked)
  if ('sites' in result) return result.sites
  const [first = '', ...others] = result.problems
  const more =
    others.length < SHOWN
      ? others
      : [...others.slice(0, SHOWN), `and ${others.length - SHOWN} more`]
  throw new Failure(exit.wrongInput, first, more.length === 0 ? undefined : more.join('\n'))
}
