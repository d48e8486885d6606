import { type Command, Option } from 'commander'
import type { Site } from '../../core/model/desired.ts'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { tool } from '../../core/model/tool.ts'
import { compact } from '../../core/values/collections.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { refuseTooLarge } from '../../files/saved-file.ts'
import {
  formatSnapshot,
  intactSnapshot,
  keepEarlier,
  type Snapshot,
  snapshotForm,
  takeSnapshot,
  unreadFindings
} from '../../files/snapshot.ts'
import { referencesOnly, type SecretOptions } from '../../fleet/secrets/source.ts'
import { escapeJson } from '../../report/escape.ts'
import { readSitesAsTask } from '../../run/read-sites.ts'
import { withReader } from '../connect.ts'
import type { Context } from '../context.ts'
import { writeFileAtomic } from '../files/files.ts'
import { readSaved } from '../files/saved-files.ts'
import { loadDesired } from '../load-desired.ts'
import {
  addContinueOption,
  addExample,
  addFleetOptions,
  addGroup,
  addReportOptions,
  addSecretPrefix,
  addServiceOptions,
  type FleetOptions,
  groups,
  type ReportOptions,
  type ServiceOptions
} from '../options.ts'
import { writeReport, writeReportToStderr } from '../output.ts'
import { runContext } from '../run-context.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection } from '../terminal/next-steps.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

type Options = FleetOptions &
  Pick<SecretOptions, 'secretPrefix'> &
  ServiceOptions &
  ReportOptions & { readonly out?: string; readonly keep?: string }

export function define(command: Command, { io, ends }: Context): void {
  const reading = addServiceOptions(addSecretPrefix(addFleetOptions(command)))
  addContinueOption(addReportOptions(reading))
  addGroup(
    command,
    groups.output,
    new Option('--out <file>', 'save the snapshot to a file instead of printing it'),
    new Option('--keep <file>', 'an earlier snapshot, for the sites that cannot be read now')
  ).action(ends((fleet: string, options: Options) => snapshot(fleet, { ...options, fleet }, io)))
  addExample(
    command,
    'wlanctl snapshot examples/quickstart --out snapshot.json',
    'wlanctl plan examples/quickstart --against snapshot.json'
  )
}

async function snapshot(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { out } = options
  const earlier = await earlierOf(options.keep, io)
  const taken = await take(fleet, options, io)
  const stored = earlier === undefined ? taken : keepEarlier(taken, earlier, options.keep ?? '')
  // Escaped, because a snapshot may be printed into a log.
  const text = escapeJson(formatSnapshot(stored))
  refuseTooLarge(text, snapshotForm)
  const { summary } = taken
  const findings = unreadFindings(taken)
  const report = { kind: 'findings', findings, read: summary } as const
  if (out !== undefined) await writeFileAtomic(out, text, io.cwd)
  await writeReport(report, options, io, out === undefined ? text : undefined)
  if (out === undefined && findings.length > 0) await writeReportToStderr(report, options, io)
  if (out !== undefined) {
    const plan = sameSelection('plan', options, '--against', out)
    await printNextSteps([[plan, 'plans on the snapshot, without a network']], options, io)
  }
  return summary.sites_failed > 0 ? exit.incomplete : exit.done
}

/** Read before anything is written, because the snapshot may go to the same file. */
async function earlierOf(file: string | undefined, io: Io): Promise<Snapshot | undefined> {
  if (file === undefined) return undefined
  return intactSnapshot((await readSaved(file, io, snapshotForm)).value, file)
}

async function take(fleet: string, options: Options, io: Io): Promise<Snapshot> {
  const secrets = referencesOnly(options.secretPrefix)
  const { desired } = await loadDesired(fleet, { ...options, ignoresPolicy: true }, secrets, io)
  return withReader(options, io, desired, async reader => {
    const { parallelism } = options
    const visit = (_: Site, live: LiveSite | UnreadSite) => live
    const reading = { parallelism, visit, stepOf: () => ['read'] as const }
    const run = runContext(options, io)
    const read = await readSitesAsTask(reader, desired.sites, reading, run)
    const { part = {} } = desired
    const facts = { tool: tool.name, created: formatTimestamp(io.now()), base_url: reader.baseUrl }
    const snapshot = takeSnapshot(read, { ...facts, part, requests: reader.requests })
    // A JSON report of a snapshot describes the run and contains no site, so no run can continue it.
    const { keep, out, ...others } = options
    // Kept sites are not listed as unread, so no run can continue that file either.
    const saving = { ...others, ...(keep === undefined && compact({ out })), report: [] }
    await printRequestSummary(snapshot.summary, saving, io, reader)
    return snapshot
  })
}
