import type { Site } from '../core/model/desired.ts'
import { type Failure, wrongInput } from '../core/model/failure.ts'
import type { LiveSite } from '../core/model/live.ts'
import { groupBy, sortBy } from '../core/values/collections.ts'
import { isUuid } from '../core/values/uuid.ts'
import { canonical, isJsonObject, type ValueObject } from '../core/values/value.ts'
import { withoutTimes, withRedactedSecrets, withSecretMarks } from './redacted-secrets.ts'
import { MAX_DEPTH } from './saved-file.ts'
import {
  assembleSnapshot,
  type Snapshot,
  type SnapshotContext,
  type StoredSite
} from './snapshot.ts'

/**
 * A snapshot as a folder for Git: a JSON file a site, a field a line, sorted, so that a changed value is a changed line.
 * The files have no secret, no time and no count: a run that reads the same state writes the same bytes.
 */
const FORMAT = 'wlanctl-site/1'

export interface SiteFile {
  readonly baseUrl: string
  readonly site: StoredSite
}

export function formatSiteFile({ site, wlans }: LiveSite, baseUrl: string): string {
  const records = sortBy(wlans, ({ id }) => id.toLowerCase()).map(
    ({ id, record }) => [id, stored(record)] as const
  )
  return textOf(baseUrl, site, Object.fromEntries(records))
}

function stored(record: ValueObject): ValueObject {
  return canonical(withSecretMarks(withoutTimes(record)))
}

function storedAgain(record: ValueObject): ValueObject {
  const live = withRedactedSecrets(record)
  // Most records have no secret, so that there is nothing to mark.
  return live === record ? canonical(withoutTimes(record)) : stored(live)
}

/** Throws a `Failure` (exit 3) unless wlanctl would write what it reads with the same bytes. */
export function parseSiteFile(text: string, name: string): SiteFile {
  const value = parseJson(text)
  if (!isSiteFile(value)) throw foreign(name)
  const { base_url: baseUrl, id, name: siteName } = value
  const wlans = sortBy(Object.entries(value.wlans), ([at]) => at.toLowerCase())
  const read = wlans.map(([at, record]) => [at, storedAgain(record)] as const)
  const site = { id, name: siteName }
  if (textOf(baseUrl, site, Object.fromEntries(read)) === text) {
    const records = wlans.map(([at, record]) => Object.assign(record, { id: at }))
    return { baseUrl, site: { ...site, wlans: records } }
  }
  throw wrongInput(
    `${name} is not as wlanctl wrote it: it was edited, or another version wrote it`,
    'undo the edit, such as with `git checkout`, or delete the file and take the snapshot again'
  )
}

/** The files of a folder as one snapshot, without its unread sites. Throws a `Failure` (exit 3) where they contradict. */
export function snapshotOfFiles(
  files: readonly (SiteFile & { readonly name: string })[],
  folder: string,
  context: Omit<SnapshotContext, 'base_url' | 'requests'>
): Snapshot {
  const [first] = files
  if (first === undefined) {
    throw wrongInput(`${folder} holds no snapshot`, 'take one with `wlanctl snapshot --into DIR`')
  }
  for (const { baseUrl, name } of files) {
    if (baseUrl === first.baseUrl) continue
    throw wrongInput(`${first.name} is about ${first.baseUrl}, and ${name} about ${baseUrl}`)
  }
  for (const [, same] of groupBy(files, ({ site }) => site.id.toLowerCase())) {
    const [one, other] = same
    if (other !== undefined) throw wrongInput(`${one?.name} and ${other.name} are about one site`)
  }
  const sites = files.map(({ site }) => site)
  return assembleSnapshot(sites, [], { ...context, base_url: first.baseUrl, requests: 0 })
}

/**
 * The name of the file of each site, by its id in lower case: the name of the site where a file may have it, with its id
 * where several sites would have the same one, on a disk that ignores case too.
 */
export function siteFileNames(sites: readonly Site[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [, same] of groupBy(sites, site => stemOf(site).toLowerCase())) {
    for (const site of same) {
      const id = site.id.toLowerCase()
      names.set(id, `${stemOf(site)}${same.length > 1 ? `-${id}` : ''}.json`)
    }
  }
  return names
}

/** Device names of Windows, which no file there may have. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i
const MAX_STEM = 100

function stemOf({ name }: Site): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
  const stem = [...safe].slice(0, MAX_STEM).join('')
  return stem === '' || RESERVED.test(stem) ? `site-${stem}` : stem
}

/** A member a line. A list of plain values is one value, on one line, as in the body of an update. */
function textOf(baseUrl: string, { id, name }: Site, wlans: ValueObject): string {
  const value = { format: FORMAT, base_url: baseUrl, id, name, wlans }
  const text = JSON.stringify(value, null, 2)
  return `${text.replace(PLAIN_LIST, list => list.replace(/\n */g, ''))}\n`
}

/** Only indentation has line breaks: in a string they are escaped. */
const PLAIN_LIST = /\[\n(?: *(?:"(?:[^"\\]|\\.)*"|[\w.+-]+),?\n)+ *\]/g

interface Written {
  readonly base_url: string
  readonly id: string
  readonly name: string
  readonly wlans: Readonly<Record<string, ValueObject>>
}

function isSiteFile(value: unknown): value is Written {
  if (!isJsonObject(value) || value['format'] !== FORMAT) return false
  const { base_url: baseUrl, id, name, wlans } = value
  return (
    typeof baseUrl === 'string' &&
    isUuid(id) &&
    typeof name === 'string' &&
    isJsonObject(wlans) &&
    Object.entries(wlans).every(([wlanId, record]) => isUuid(wlanId) && isJsonObject(record))
  )
}

/** Undefined for invalid JSON, and for one that no recursion should enter; the form of the file excludes the rest. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, MAX_DEPTH) ? undefined : value
  } catch {
    return undefined
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // Without a list of the members, of which a folder of 10,000 sites has millions.
  for (const name in value) {
    if (isDeeper((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true
  }
  return false
}

function foreign(name: string): Failure {
  return wrongInput(
    `${name} is not a file of a snapshot folder`,
    'give the snapshot a folder of its own: `wlanctl snapshot --into DIR`'
  )
}
