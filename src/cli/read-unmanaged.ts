import type { ReadSite } from '../adopt/unmanaged.ts'
import { openReader, readSites } from '../api/client.ts'
import { type Finding, finding } from '../model/finding.ts'
import { loadDesired } from '../workflow/load-desired.ts'
import { connectionOf } from './connection.ts'
import { hostOf } from './host.ts'
import type { Io } from './io.ts'
import type { PlanningOptions } from './options.ts'
import { printRequestSummary } from './request-summary.ts'
import { secretSourceOf } from './secrets-command.ts'

/** The options of runs that declare unmanaged WLANs. */
interface Options extends PlanningOptions {
  /** `site/SSID` or `site/id`, or globs. */
  readonly unmanaged: readonly string[]
}

/**
 * Reads the sites that addresses may match with one list request each. Findings list those that could not be
 * read.
 */
export async function readUnmanaged(
  fleet: string,
  options: Options,
  io: Io
): Promise<{ readonly sites: readonly ReadSite[]; readonly unread: readonly Finding[] }> {
  const host = hostOf(options, io)
  const site = options.site.length > 0 ? options.site : options.unmanaged.map(siteOf)
  const secrets = secretSourceOf(options, io)
  const { desired } = await loadDesired(fleet, { ...options, site }, secrets, host)
  const reader = openReader(await connectionOf(options, io, io.interrupted, desired))
  const total = desired.sites.length
  await host.printEstimate(total)
  const answered = () => reader.listed
  const progress = host.startProgress({ doing: 'reading sites', total, reader, answered })
  const sites: ReadSite[] = []
  const unread: Finding[] = []
  try {
    await readSites(reader, desired.sites, options.parallelism, (declared, live) => {
      progress.step(`${declared.name}: ${'wlans' in live ? 'read' : 'not read'}`)
      if ('wlans' in live) sites.push([declared, live])
      else {
        const { name } = declared
        unread.push(finding('SITE_NOT_READ', { address: name }, live.reason, live.hint))
      }
    })
    await printRequestSummary(
      { sites: total, sites_failed: unread.length, rest: 'by shards' },
      options,
      io,
      reader
    )
    return { sites, unread }
  } finally {
    progress.end()
    await reader.close()
  }
}

/** The glob for sites in an address or a glob for addresses. */
function siteOf(address: string): string {
  const end = address.indexOf('/')
  return end === -1 ? address : address.slice(0, end)
}
