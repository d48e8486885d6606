import { byCodeUnit } from '../model/collections.ts'
import type { Site } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import { isUuid, nameProblem } from '../model/names.ts'
import { formatNumber } from '../model/text.ts'
import { fileSlug, UniqueNames } from './names.ts'

/** A site that is to be imported. */
export interface RequestedSite extends Site {
  /** What it is called in the names of files and variables; unique, also where case does not count. */
  readonly slug: string
}

/** A site that somebody asked for: on the command line, or on a line of a file. */
export interface SiteRequest {
  readonly id: string
  /** Empty where there is none. */
  readonly name: string
  /** Where it was asked for, e.g. `sites.txt:3`. */
  readonly at: string
}

/**
 * The sites that a file lists: an id and a name on each line, with blanks or a comma between them. Empty
 * lines and those that begin with `#` say nothing.
 */
export function listedSites(text: string, file: string): SiteRequest[] {
  const { lines: most, name: kind } = fileLimits.siteList
  const lines = text.split('\n', most + 1)
  if (lines.length > most) {
    const problem = `it has more than ${formatNumber(most)} lines, the limit of ${kind}`
    throw new Failure(exit.wrongInput, `${file}: ${problem}`, 'import the sites in parts')
  }
  return lines.flatMap((line, index) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const end = trimmed.search(/[\s,]/)
    const id = end === -1 ? trimmed : trimmed.slice(0, end)
    const rest = end === -1 ? '' : trimmed.slice(end).trimStart()
    const name = (rest.startsWith(',') ? rest.slice(1) : rest).trimStart()
    // A line that begins with a comma has no id.
    return id === '' ? [] : [{ id, name, at: `${file}:${index + 1}` }]
  })
}

/**
 * The requested sites, sorted by name, each once; a site without a name gets one from its id. Gives the
 * problems instead if there are any: an id that is none, a name that is unfit or that two sites have.
 */
export function requestSites(
  requests: readonly SiteRequest[]
): { readonly sites: readonly RequestedSite[] } | { readonly problems: readonly string[] } {
  const byId = new Map<string, SiteRequest>()
  const problems = requests.flatMap(request => {
    const before = byId.get(request.id.toLowerCase())
    byId.set(request.id.toLowerCase(), before?.name ? before : request)
    return problemOf(request, before)
  })
  const named = withNames([...byId.values()])
  problems.push(...sharedNames(named))
  if (problems.length > 0) return { problems }
  const slugs = new UniqueNames('-')
  const sorted = named.sort((a, b) => byCodeUnit(a.name, b.name))
  return {
    sites: sorted.map(({ id, name }) => ({ id, name, slug: slugs.take(fileSlug(name)) }))
  }
}

function problemOf({ id, name, at }: SiteRequest, before: SiteRequest | undefined): string[] {
  if (!isUuid(id)) return [`${at}: ${JSON.stringify(cut(id))} is no id of a site: those are UUIDs`]
  if (before?.name && name && before.name !== name) {
    return [`${at}: the site has another name at ${before.at}`]
  }
  const problem = name === '' ? undefined : nameProblem(name)
  return problem === undefined ? [] : [`${at}: ${JSON.stringify(cut(name))} is no name: ${problem}`]
}

/** A wrong word in a message, which may be as long as the file. */
function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** The service gives no names: its first eight digits tell a site from others, or else the whole id. */
function withNames(requests: readonly SiteRequest[]): SiteRequest[] {
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

function sharedNames(requests: readonly SiteRequest[]): string[] {
  const first = new Map<string, SiteRequest>()
  return requests.flatMap(request => {
    const other = first.get(request.name)
    if (other === undefined) first.set(request.name, request)
    return other === undefined
      ? []
      : [
          `${request.at}: ${JSON.stringify(request.name)} is also the name of the site at ${other.at}`
        ]
  })
}
