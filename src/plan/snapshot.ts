import { createHash } from 'node:crypto'
import { validateSnapshot } from '#forms'
import { byCodeUnit } from '../model/collections.ts'
import type { Part, Site } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../model/live.ts'
import { canonical, member, type ValueObject } from '../model/value.ts'
import { parseSaved, type SavedForm } from './saved.ts'
import { withoutSecrets, withSecretsWithheld } from './withheld.ts'

/**
 * What the lists of some sites answered: the saved form itself (`schemas/snapshot.schema.json`).
 * Sorted, and free of secrets: of each it keeps that there is one.
 */
export interface Snapshot extends Part {
  readonly format: 'wlanctl-snapshot/1'
  readonly tool: string
  /** When the service was read, UTC, to the second. */
  readonly created: string
  readonly base_url: string
  readonly summary: {
    readonly sites: number
    readonly sites_failed: number
    readonly wlans: number
    readonly requests: number
  }
  /** By name. */
  readonly sites: readonly StoredSite[]
  /** Sites that could not be read, by name. */
  readonly unread: readonly MissingSite[]
  /** Covers what was read and from which service; not when. */
  readonly digest: string
}

export interface StoredSite extends Site {
  readonly wlans: readonly ValueObject[]
}

export interface MissingSite extends Site {
  readonly reason: string
  readonly hint?: string
}

/** What a snapshot says beside what the sites gave. */
export type SnapshotContext = Pick<Snapshot, 'tool' | 'created' | 'base_url'> & {
  readonly part?: Part
  readonly requests: number
}

/** A snapshot. */
export const snapshotForm: SavedForm = {
  format: 'wlanctl-snapshot/1',
  validate: validateSnapshot,
  limit: fileLimits.snapshot,
  hint: 'take one with `wlanctl snapshot --out FILE`'
}

/** Puts together what was read of the sites; equal answers give an equal snapshot, but for the time. */
export function takeSnapshot(
  sites: readonly (LiveSite | UnreadSite)[],
  context: SnapshotContext
): Snapshot {
  const read = sites.flatMap(live => ('wlans' in live ? [kept(live)] : []))
  const unread = sites.flatMap(live => {
    if ('wlans' in live) return []
    const { site, reason, hint } = live
    return [{ id: site.id, name: site.name, reason, ...(hint === undefined ? {} : { hint }) }]
  })
  return sealSnapshot(read, unread, context)
}

/** The snapshot of these sites: sorted, counted, and sealed with a digest. */
export function sealSnapshot(
  read: readonly StoredSite[],
  unread: readonly MissingSite[],
  { tool, created, base_url, part, requests }: SnapshotContext
): Snapshot {
  const sites = [...read].sort(bySite)
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
    unread: [...unread].sort(bySite),
    digest: digestOf(base_url, sites)
  }
}

/** A snapshot as JSON text, each WLAN on a line of its own, with a line break at its end. */
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

/**
 * Reads a snapshot back. Throws a `Failure` (exit 3) if the text is not a whole, unchanged snapshot of
 * a version we know. `name` is the file's, for the message.
 */
export function parseSnapshot(text: string, name: string): Snapshot {
  return intactSnapshot(parseSaved(text, name, snapshotForm).value, name)
}

/** A value that has the form of a snapshot, as one; it must be as it was when it was saved. */
export function intactSnapshot(value: unknown, name: string): Snapshot {
  const snapshot = value as Snapshot
  if (digestOf(snapshot.base_url, snapshot.sites) === snapshot.digest) return snapshot
  throw new Failure(
    exit.wrongInput,
    `${name}: its digest does not match what it holds`,
    'it was damaged or edited: take another one'
  )
}

/** Why sites could not be read. */
export function unreadFindings({ unread }: Snapshot): Finding[] {
  return unread.map(({ name, reason, hint }) =>
    finding('SITE_NOT_READ', { address: name }, reason, hint)
  )
}

/** Gives what a snapshot has of a site, as if it had just been read. */
export function sitesIn({ sites, unread }: Snapshot): (site: Site) => LiveSite | UnreadSite {
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
          ? 'the snapshot does not have it'
          : `when the snapshot was taken: ${reason}`,
      hint: hint ?? 'take a snapshot of the fleet as it is declared now'
    }
  }
}

function kept({ site, wlans }: LiveSite): Snapshot['sites'][number] {
  const sorted = [...wlans].sort((a, b) => byCodeUnit(a.id.toLowerCase(), b.id.toLowerCase()))
  return {
    id: site.id,
    name: site.name,
    wlans: sorted.map(({ record }) => canonical(withoutSecrets(record)))
  }
}

function liveWlan(record: ValueObject): LiveWlan {
  const ssid = member(record, 'ssid')
  return {
    id: String(member(record, 'id')),
    ssid: typeof ssid === 'string' ? ssid : '',
    record: withSecretsWithheld(record),
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

function bySite(a: Site, b: Site): number {
  return byCodeUnit(a.name, b.name) || byCodeUnit(a.id, b.id)
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`
}
