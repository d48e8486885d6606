import { type Command, Option } from 'commander'
import { openReader } from '../../api/client.ts'
import { readSites } from '../../api/sites.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { formatSnapshot, type Snapshot, takeSnapshot, unreadFindings } from '../../plan/snapshot.ts'
import { escapeJson } from '../../report/escape.ts'
import { referencesOnly } from '../../secrets/source.ts'
import { loadAndOpen, secondsOf } from '../../workflow/make-plan.ts'
import { checkTarget, writeFileAtomic } from '../files/files.ts'
import type { Io } from '../io.ts'
import {
  addContinueOption,
  addExample,
  addFleetOptions,
  addReportOptions,
  addSecretPrefix,
  addServiceOptions,
  type FleetOptions,
  type ReportOptions,
  type SecretFlags,
  type ServiceOptions
} from '../options.ts'
import { writeReport, writeReportToStderr } from '../output.ts'
import type { Context } from '../program.ts'
import { startProgress } from '../progress.ts'
import { printEstimate, printRequestSummary } from '../request-summary.ts'
import { tool } from '../version.ts'

type Options = FleetOptions &
  Pick<SecretFlags, 'secretPrefix'> &
  ServiceOptions &
  ReportOptions & { readonly out?: string }

export function define(command: Command, { io, ends }: Context): void {
  const reading = addServiceOptions(addSecretPrefix(addFleetOptions(command)))
  addContinueOption(addReportOptions(reading))
    .addOption(new Option('--out <file>', 'where to store it, instead of showing it'))
    .action(ends((fleet: string, options: Options) => snapshot(fleet, { ...options, fleet }, io)))
  addExample(
    command,
    'wlanctl snapshot examples/quickstart --out snapshot.json',
    'wlanctl plan examples/quickstart --against snapshot.json'
  )
}

/**
 * Stores what the service has of the declared sites, secrets left out; without `--out` that is the
 * result itself, and what is to be said of it goes beside.
 */
async function snapshot(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { out } = options
  if (out !== undefined) await checkTarget(out, io.cwd)
  const taken = await take(fleet, options, io)
  // A snapshot may end in a log as it is.
  const text = escapeJson(formatSnapshot(taken))
  const { summary } = taken
  const findings = unreadFindings(taken)
  const report = { kind: 'findings', findings, read: summary } as const
  if (out !== undefined) await writeFileAtomic(out, text, io.cwd)
  await writeReport(report, options, io, out === undefined ? text : undefined)
  if (out === undefined && findings.length > 0) await writeReportToStderr(report, options, io)
  return summary.sites_failed > 0 ? exit.incomplete : exit.done
}

/** Reads each declared site with one list request. */
async function take(fleet: string, options: Options, io: Io): Promise<Snapshot> {
  const secrets = referencesOnly(options.secretPrefix)
  const opening = { open: openReader, signal: io.interrupted, secrets }
  const { desired, service: reader } = await loadAndOpen(fleet, options, io, opening)
  try {
    await printEstimate(desired.sites.length, options, io)
    const progress = startProgress(
      {
        doing: 'reading sites',
        total: desired.sites.length,
        reader,
        answered: () => reader.listed
      },
      options,
      io
    )
    const read = await readSites(reader, desired.sites, options.parallelism, ({ name }, live) => {
      progress.step(`${name}: ${'wlans' in live ? 'read' : 'not read'}`)
      return live
    }).finally(progress.end)
    const { part = {} } = desired
    const facts = { tool: tool.name, created: secondsOf(io.now()), base_url: reader.baseUrl }
    const snapshot = takeSnapshot(read, { ...facts, part, requests: reader.requests })
    // Its JSON report tells of the run, and holds no site.
    await printRequestSummary(snapshot.summary, { ...options, report: [] }, io, reader)
    return snapshot
  } finally {
    await reader.close()
  }
}
