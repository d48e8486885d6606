import { Option } from 'commander'
import { fileSlug } from '../../author/import/names.ts'
import type { RequestedSite } from '../../author/import/site.ts'
import { UniqueNames } from '../../core/audit/slug.ts'
import type { ListedSite, Site } from '../../core/model/desired.ts'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import { fileLimits } from '../../core/model/saved-file-limits.ts'
import { append, byCodeUnit } from '../../core/values/collections.ts'
import { nameProblem } from '../../core/values/ssid.ts'
import { formatNumber, quote } from '../../core/values/text.ts'
import { isUuid } from '../../core/values/uuid.ts'
import { isTimeZone } from '../../fleet/time/zone.ts'
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

/** A site as requested on the command line or on a line of a file. */
export interface SiteRequest {
  readonly id: string
  /** Empty if the request has none. */
  readonly name: string
  readonly timezone?: string
  /** The source of the request, e.g. `sites.txt:3`. */
  readonly source: string
}

/**
 * Parses a site list: an id and an optional name per line, separated by blanks or a comma. Empty lines and
 * lines that begin with `#` are ignored. Throws a `Failure` for too many lines.
 */
export function parseSiteList(text: string, file: string): SiteRequest[] {
  const { lines: most, name: kind } = fileLimits.siteList
  const lines = text.split('\n', most + 1)
  if (lines.length > most) {
    const problem = `more than ${formatNumber(most)} lines, the limit of ${kind}`
    throw wrongInput(`${file}: ${problem}`, 'split the list and import its parts')
  }
  return lines.flatMap((line, index) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const end = trimmed.search(/[\s,]/)
    const id = end === -1 ? trimmed : trimmed.slice(0, end)
    const rest = end === -1 ? '' : trimmed.slice(end).trimStart()
    const name = (rest.startsWith(',') ? rest.slice(1) : rest).trimStart()
    // A line that starts with a comma has no id.
    return id === '' ? [] : [{ id, name, source: `${file}:${index + 1}` }]
  })
}

/**
 * Converts the sites of an organization to requests. Omits names that a fleet cannot have, or that several of
 * the sites have: those sites get the default name.
 */
export function organizationRequests(sites: readonly ListedSite[]): SiteRequest[] {
  const amounts = new Map<string, number>()
  for (const { name } of sites) amounts.set(name, (amounts.get(name) ?? 0) + 1)
  return sites.map(({ id, name, timezone }) => {
    const isFit = nameProblem(name) === undefined && amounts.get(name) === 1
    const request = { id, name: isFit ? name : '', source: 'the organization' }
    return timezone !== undefined && isTimeZone(timezone) ? { ...request, timezone } : request
  })
}

/**
 * The requested sites, sorted by name, without duplicates; the default name of a site comes from its id.
 * Returns the problems instead if there are any: invalid ids, invalid names, several names for a site.
 */
export function resolveRequests(
  requests: readonly SiteRequest[]
): { readonly sites: readonly RequestedSite[] } | { readonly problems: readonly string[] } {
  const byId = new Map<string, SiteRequest>()
  const problems = requests.flatMap(request => {
    const before = byId.get(request.id.toLowerCase())
    byId.set(
      request.id.toLowerCase(),
      before?.name ? { ...request, ...before } : { ...before, ...request }
    )
    return requestProblems(request, before)
  })
  const named = withDefaultNames([...byId.values()])
  append(problems, duplicateNames(named))
  if (problems.length > 0) return { problems }
  const slugs = new UniqueNames('-')
  const sorted = named.sort((a, b) => byCodeUnit(a.name, b.name))
  return {
    sites: sorted.map(({ source: _, ...site }) => ({
      ...site,
      slug: slugs.take(fileSlug(site.name))
    }))
  }
}

function requestProblems(
  { id, name, source }: SiteRequest,
  before: SiteRequest | undefined
): string[] {
  if (!isUuid(id)) return [`${source}: ${quote(id, 100)} is not a site id: expected a UUID`]
  if (before?.name && name && before.name !== name) {
    return [`${source}: the site has another name in ${before.source}`]
  }
  const problem = name === '' ? undefined : nameProblem(name)
  return problem === undefined
    ? []
    : [`${source}: ${quote(name, 100)} is not a valid name: ${problem}`]
}

/** The service returns no names: the default is the first eight digits of the id, or the whole id if they are ambiguous. */
function withDefaultNames(requests: readonly SiteRequest[]): SiteRequest[] {
  const short = ({ id }: SiteRequest) => `site-${id.slice(0, 8).toLowerCase()}`
  const taken = new Map<string, number>()
  for (const request of requests) {
    const name = request.name || short(request)
    taken.set(name, (taken.get(name) ?? 0) + 1)
  }
  return requests.map(request => {
    if (request.name !== '') return request
    const name = short(request)
    const isTaken = (taken.get(name) ?? 0) > 1
    return { ...request, name: isTaken ? `site-${request.id.toLowerCase()}` : name }
  })
}

function duplicateNames(requests: readonly SiteRequest[]): string[] {
  const first = new Map<string, SiteRequest>()
  return requests.flatMap(request => {
    const other = first.get(request.name)
    if (other === undefined) first.set(request.name, request)
    return other === undefined
      ? []
      : [
          `${request.source}: ${JSON.stringify(request.name)} is also the name of the site in ${other.source}`
        ]
  })
}
