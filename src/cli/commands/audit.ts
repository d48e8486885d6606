import type { Command } from 'commander'
import type { Reader } from '../../api/client.ts'
import { ReorderBuffer, type RequestedSite } from '../../import/site-requests.ts'
import { Auditor } from '../../lint/audit.ts'
import type { Audit } from '../../model/audit.ts'
import type { Site } from '../../model/desired.ts'
import { type ExitCode, exit, worst } from '../../model/failure.ts'
import type { LiveSite, UnreadSite } from '../../model/live.ts'
import { auditFormats, isAuditFormat } from '../../report/audit/audit.ts'
import { type FormatName, formatNames, type RenderOptions } from '../../report/report.ts'
import { readSitesWithProgress } from '../../workflow/read-sites.ts'
import type { Context } from '../context.ts'
import { writeFileAtomic } from '../files/files.ts'
import { hostOf } from '../host.ts'
import { type Io, write } from '../io.ts'
import { withKnownFormat } from '../option-values.ts'
import {
  addExample,
  addGroup,
  addReportOptions,
  addServiceOptions,
  groups,
  type ReportOptions,
  type ServiceOptions
} from '../options.ts'
import { inFile, renderOptionsFor } from '../output.ts'
import { printRequestSummary } from '../request-summary.ts'
import {
  fromOption,
  openRequestedSites,
  orgOption,
  type SiteListOptions,
  sitesOf
} from '../requested-sites.ts'

type Options = ServiceOptions & ReportOptions & SiteListOptions

const EXIT_CODES = `
Exit codes: 0 without an error or a warning, 2 with one, 5 if a site could not be read.`

export function define(command: Command, { io, ends }: Context): void {
  command.argument('[site-id...]', 'the sites to read')
  addReportOptions(addServiceOptions(command), formatNames.filter(isAuditFormat))
  addGroup(command, groups.selection, fromOption(), orgOption()).action(
    ends((ids: string[], options: Options) =>
      audit(ids, withKnownFormat(options, command, isAuditFormat), io)
    )
  )
  command.addHelpText('after', EXIT_CODES)
  addExample(command, 'wlanctl audit 4ac1dcf4-9d8b-4211-95c4-057819f0862b --report html=audit.html')
}

/** Lints live sites with one list request for each, without a fleet, and sends no update. */
async function audit(ids: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { requested, openSites, close } = await openRequestedSites(ids, options, 'audit', io)
  try {
    const reader = await openSites()
    const result = await auditSites(requested, reader, options, io)
    await writeAudit(result, options, io)
    const { sites, unread, requests } = result
    const work = { sites: sites.length + unread.length, sites_failed: unread.length, requests }
    await printRequestSummary({ ...work, rest: 'in parts' }, options, io, reader)
    return auditExit(result)
  } finally {
    await close()
  }
}

async function auditSites(
  requested: readonly RequestedSite[],
  reader: Reader,
  options: Options,
  io: Io
): Promise<Audit> {
  const auditor = new Auditor()
  const buffer = new ReorderBuffer<LiveSite>(requested, ([, live]) => auditor.add(live))
  const visit = ({ id }: Site, live: LiveSite | UnreadSite): UnreadSite[] => {
    const isRead = 'wlans' in live
    buffer.settle(id, isRead ? live : undefined)
    return isRead ? [] : [live]
  }
  const { parallelism } = options
  const sites = sitesOf(requested)
  const read = await readSitesWithProgress(
    reader,
    sites,
    { parallelism, visit },
    hostOf(options, io)
  )
  const { baseUrl, requests } = reader
  return auditor.result({ baseUrl, requests, unread: read.flat() })
}

/** Exit code 2 for an error or a warning, like `drift` for a difference. */
function auditExit({ counts, unread }: Audit): ExitCode {
  return worst(
    counts.error + counts.warning > 0 ? exit.changes : exit.done,
    unread.length > 0 ? exit.incomplete : exit.done
  )
}

async function writeAudit(result: Audit, options: Options, io: Io): Promise<void> {
  const detail = options.verbose ? ({ verbose: true } as const) : {}
  for (const { format, file } of options.report) {
    await writeFileAtomic(file, rendered(format, result, { ...inFile, ...detail }), io.cwd)
  }
  const onScreen = { ...renderOptionsFor(io.stdout, options, io), ...detail }
  await write(io, rendered(options.format, result, onScreen))
}

function rendered(format: FormatName, result: Audit, options: RenderOptions): string {
  return isAuditFormat(format) ? auditFormats[format](result, options) : ''
}
