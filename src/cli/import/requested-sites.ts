import { Option } from 'commander'
import {
  organizationRequests,
  parseSiteList,
  type RequestedSite,
  resolveRequests,
  type SiteRequest
} from '../../author/import/site-requests.ts'
import type { ListedSite, Site } from '../../core/model/desired.ts'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import { fileLimits } from '../../core/model/saved-file-limits.ts'
import { quote } from '../../core/values/text.ts'
import { isUuid } from '../../core/values/uuid.ts'
import type { Reader } from '../../service/client.ts'
import { ApiError } from '../../service/http/error.ts'
import { withReader } from '../connect.ts'
import { readInput } from '../files/files.ts'
import type { ReportOptions, ServiceOptions } from '../options.ts'
import type { Io } from '../terminal/io.ts'

export interface SiteListOptions {
  readonly from?: string
  readonly org?: string
  /** The organization that names the sites of the command line, if the service lists its sites. */
  readonly namingOrg?: string | undefined
}

export function fromOption(): Option {
  return new Option('--from <file>', 'a file with the id and the name of a site on each line')
}

export function orgOption(): Option {
  return new Option('--org <id>', 'all sites of this organization, if the service lists them')
}

export function checkOrg(id: string): string {
  if (isUuid(id)) return id
  throw wrongInput(`expected a UUID for --org, got ${quote(id, 100)}`)
}

/** The sites of an organization. The service may refuse the request; the `Failure` suggests an alternative. */
export async function organizationSites(
  reader: Pick<Reader, 'listSites'>,
  org: string
): Promise<readonly ListedSite[]> {
  try {
    return await reader.listSites(checkOrg(org))
  } catch (error) {
    if (!(error instanceof ApiError) || !isRefused(error)) throw error
    const hint =
      'give the sites with `--from FILE` instead, an id and a name on each line, or check the id of the organization'
    throw new Failure(exit.failed, error.message, hint)
  }
}

function isRefused({ problem }: ApiError): boolean {
  if (problem.kind !== 'status') return problem.kind.startsWith('invalid-')
  return [400, 403, 404, 405, 501].includes(problem.status)
}

export function sitesOf(requested: readonly RequestedSite[]): Site[] {
  return requested.map(({ id, name }) => ({ id, name }))
}

/** Opens the service for the sites that a command names, until `work` ends. Throws a `Failure` (exit 3) if it names none. */
export function withRequestedSites<Result>(
  ids: readonly string[],
  options: SiteListOptions & ServiceOptions & Pick<ReportOptions, 'quiet'>,
  verb: string,
  io: Io,
  work: (requested: readonly RequestedSite[], reader: Reader) => Promise<Result>
): Promise<Result> {
  const { from, org, namingOrg } = options
  return withReader(options, io, undefined, async reader => {
    const listed = org === undefined ? [] : await organizationSites(reader, org)
    const isNamed = ids.length > 0 && org === undefined && namingOrg !== undefined
    const named = isNamed ? await namesIn(reader, namingOrg) : []
    const byId = new Map(named.map(site => [site.id.toLowerCase(), site]))
    const source = 'the command line'
    const requests = ids.map(id => ({
      ...(byId.get(id.toLowerCase()) ?? { id, name: '' }),
      source
    }))
    return work(await requestedSites(requests, from, verb, io.cwd, listed), reader)
  })
}

async function namesIn(reader: Reader, org: string): Promise<readonly SiteRequest[]> {
  try {
    return organizationRequests(await organizationSites(reader, org))
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

const MAX_PROBLEMS = 10

/**
 * The sites of the command line, of `--from` and of an organization; `verb` is for messages. Throws
 * a `Failure` (exit 3) with all problems, or if there is no site.
 */
async function requestedSites(
  ids: readonly SiteRequest[],
  from: string | undefined,
  verb: string,
  cwd: string,
  ofOrganization: readonly ListedSite[]
): Promise<readonly RequestedSite[]> {
  const listed =
    from === undefined ? [] : parseSiteList(await readInput(from, cwd, fileLimits.siteList), from)
  const entries = [...ids, ...listed, ...organizationRequests(ofOrganization)]
  if (entries.length === 0) {
    const hint = 'give the ids of sites, `--from FILE` with an id and a name on each line, or --org'
    throw wrongInput(`no site to ${verb}`, hint)
  }
  const result = resolveRequests(entries)
  if ('sites' in result) return result.sites
  const [first = '', ...others] = result.problems
  const more =
    others.length < MAX_PROBLEMS
      ? others
      : [...others.slice(0, MAX_PROBLEMS), `and ${others.length - MAX_PROBLEMS} more`]
  throw wrongInput(first, more.length === 0 ? undefined : more.join('\n'))
}
