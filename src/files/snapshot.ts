import { createHash } from 'node:crypto'
import { validateSnapshot } from '#forms'
import type { Part, Site } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import { type Finding, finding } from '../core/model/finding.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../core/model/live.ts'
import type { PlanSummary } from '../core/model/plan.ts'
import { fileLimits } from '../core/model/saved-file-limits.ts'
import { compact, sortBy } from '../core/values/collections.ts'
import { sameId } from '../core/values/uuid.ts'
import { canonical, member, type ValueObject } from '../core/values/value.ts'
import { withoutSecrets, withRedactedSecrets } from './redacted-secrets.ts'
import { digestMismatch, type SavedForm } from './saved-file.ts'

/** Live WLANs as in `schemas/snapshot.schema.json`, sorted; a marker replaces each secret. */
export interface Snapshot extends Part {
  readonly format: 'wlanctl-snapshot/1'
  readonly tool: string
  /** The time at which the service was read, UTC, to the second. */
  readonly created: string
  readonly base_url: string
  readonly summary: Pick<PlanSummary, 'sites' | 'sites_failed' | 'wlans' | 'requests'>
  readonly sites: readonly StoredSite[]
  /** Sites that could not be read, sorted by name. */
  readonly unread: readonly MissingSite[]
  /** Covers the WLANs and the service, but not the time. */
  readonly digest: string
}

export interface StoredSite extends Site {
  readonly wlans: readonly ValueObject[]
}

interface MissingSite extends Site {
  readonly reason: string
  readonly hint?: string
}

export type SnapshotContext = Pick<Snapshot, 'tool' | 'created' | 'base_url'> & {
  readonly part?: Part
  readonly requests: number
}

export const snapshotForm: SavedForm = {
  format: 'wlanctl-snapshot/1',
  validate: validateSnapshot,
  limit: fileLimits.snapshot,
  hint: 'take one with `wlanctl snapshot --out FILE`'
}

/** Makes a snapshot of the sites; equal responses make equal snapshots, except for the time. */
export function takeSnapshot(
  sites: readonly (LiveSite | UnreadSite)[],
  context: SnapshotContext
): Snapshot {
  const read = sites.flatMap(live => ('wlans' in live ? [storedSite(live)] : []))
  const unread = sites.flatMap(live => {
    if ('wlans' in live) return []
    const { site, reason, hint } = live
    return [{ id: site.id, name: site.name, reason, ...compact({ hint }) }]
  })
  return assembleSnapshot(read, unread, context)
}

export function assembleSnapshot(
  read: readonly StoredSite[],
  unread: readonly MissingSite[],
  { tool, created, base_url, part, requests }: SnapshotContext
): Snapshot {
  const sites = sortByName(read)
  let digest: string | undefined
  return {
    format: 'wlanctl-snapshot/1',
    tool,
    created,
    base_url,
    ...part,
    summary: {
      sites: sites.length + unread.length,
      sites_failed: unread.length,
      wlans: sites.reduce((sum, { wlans }) => sum + wlans.length, 0),
      requests
    },
    sites,
    unread: sortByName(unread),
    // A third of the time to read a snapshot folder, which most readers need not spend.
    get digest() {
      digest ??= digestOf(base_url, sites)
      return digest
    }
  }
}

/** A snapshot as JSON text, one line for each WLAN, with a final line break. */
export function formatSnapshot({ sites, unread, digest, ...head }: Snapshot): string {
  const lines = sites.map(({ id, name, wlans }) => {
    const records = wlans.map(wlan => `\n      ${JSON.stringify(wlan)}`).join(',')
    const about = `"id": ${JSON.stringify(id)}, "name": ${JSON.stringify(name)}`
    return `    {${about}, "wlans": [${records}${records && '\n    '}]}`
  })
  const failed = unread.map(site => `    ${JSON.stringify(site)}`)
  return [
    JSON.stringify(head, null, 2).replace(/\n\}$/, ','),
    `  "sites": ${list(lines)},`,
    `  "unread": ${list(failed)},`,
    `  "digest": ${JSON.stringify(digest)}\n}\n`
  ].join('\n')
}

/** Checks a value that conforms to the schema of a snapshot. Throws a `Failure` (exit 3) unless its digest matches. */
export function intactSnapshot(value: unknown, name: string): Snapshot {
  const snapshot = value as Snapshot
  if (digestOf(snapshot.base_url, snapshot.sites) === snapshot.digest) return snapshot
  throw digestMismatch(name, 'the file was damaged or edited: take another snapshot')
}

export function unreadFindings({ unread }: Snapshot): Finding[] {
  return unread.map(({ name, reason, hint }) =>
    finding('SITE_NOT_READ', { address: name }, reason, hint)
  )
}

/** Returns a function that looks up a site in a snapshot, as if it had just been read. */
export function sitesIn({
  sites,
  unread
}: Pick<Snapshot, 'sites' | 'unread'>): (site: Site) => LiveSite | UnreadSite {
  const live = new Map(sites.map(({ id, wlans }) => [id.toLowerCase(), wlans]))
  const failed = new Map(unread.map(site => [site.id.toLowerCase(), site]))
  return ({ id, name }) => {
    const site: Site = { id, name }
    const wlans = live.get(id.toLowerCase())
    if (wlans !== undefined) return { site, wlans: wlans.map(liveWlan) }
    const { reason, hint } = failed.get(id.toLowerCase()) ?? {}
    return {
      site,
      reason:
        reason === undefined
          ? 'the site is not in the snapshot'
          : `when the snapshot was taken: ${reason}`,
      hint: hint ?? 'take a new snapshot of the fleet'
    }
  }
}

/** Throws a `Failure` (exit 3) if a site belongs to another organization than in the state with this name. */
export function refuseOtherOrganization(name: string, was: LiveSite, is: LiveSite): void {
  const [old, now] = [organizationOf(was), organizationOf(is)]
  if (old === undefined || now === undefined || sameId(old, now)) return
  throw wrongInput(
    `${name} is of another organization: ${is.site.name} belongs to ${now}, not to ${old}`,
    'give a state of this organization'
  )
}

function organizationOf({ wlans }: LiveSite): string | undefined {
  const ids = wlans.map(({ record }) => member(record, 'org_id'))
  return ids.find(id => typeof id === 'string')
}

function storedSite({ site, wlans }: LiveSite): StoredSite {
  const sorted = sortBy(wlans, ({ id }) => id.toLowerCase())
  return {
    id: site.id,
    name: site.name,
    wlans: sorted.map(({ record }) => canonical(withoutSecrets(record)))
  }
}

export function liveWlan(record: ValueObject): LiveWlan {
  const ssid = member(record, 'ssid')
  return {
    id: String(member(record, 'id')),
    ssid: typeof ssid === 'string' ? ssid : '',
    record: withRedactedSecrets(record),
    readAt: 0
  }
}

function digestOf(baseUrl: string, sites: Snapshot['sites']): string {
  const hash = createHash('sha256').update(`{"base_url":${JSON.stringify(baseUrl)},"sites":[`)
  sites.forEach(({ id, wlans }, place) => {
    const read = [id.toLowerCase(), wlans.map(wlan => canonical(wlan))]
    hash.update(`${place === 0 ? '' : ','}${JSON.stringify(read)}`)
  })
  return `sha256:${hash.update(']}').digest('hex')}`
}

function sortByName<S extends Site>(sites: readonly S[]): S[] {
  return sortBy(
    sites,
    ({ name }) => name,
    ({ id }) => id
  )
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`
}
