import { type Command, Option } from 'commander'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import { tool } from '../../core/model/tool.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { readable } from '../../files/saved-file.ts'
import { formatSnapshot, snapshotForm, takeSnapshot, unreadFindings } from '../../files/snapshot.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { escapeJson, escapeText } from '../../report/escape.ts'
import type { NextStep } from '../../report/report.ts'
import type { CommandRow } from '../command.ts'
import { writeFileAtomic } from '../files/files.ts'
import { withServiceSites } from '../import/live-sites.ts'
import { fromOption, orgOption, type SiteListOptions } from '../import/requested-sites.ts'
import { loadDesired } from '../load-desired.ts'
import { fleetArgument, groups, optionSets, type ReadingOptions, under } from '../options.ts'
import { writeReport, writeReportToStderr } from '../output.ts'
import { type Io, quoteForShell, writeLine } from '../terminal/io.ts'
import { printNextSteps, sameSelection } from '../terminal/next-steps.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

type Options = ReadingOptions &
  Pick<SecretOptions, 'secretPrefix'> &
  SiteListOptions & { readonly out?: string; readonly into?: string }

const selecting = ['site', 'excludeSite', 'wlan', 'shard', 'changedSince']

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.part,
    optionSets.secretPrefix,
    optionSets.service,
    optionSets.report,
    under(groups.selection, fromOption().conflicts(selecting), orgOption().conflicts(selecting)),
    under(
      groups.output,
      new Option('--out <file>', 'save the snapshot to a file instead of printing it'),
      new Option(
        '--into <dir>',
        'keep the snapshot as a folder for Git: a file a site, a field a line'
      ).conflicts('out')
    )
  ],
  examples: [
    'wlanctl snapshot examples/quickstart --out snapshot.json',
    'wlanctl plan examples/quickstart --against snapshot.json',
    'wlanctl snapshot examples/quickstart --into estate'
  ],
  run: async ({ io }, fleet: string, options: Options, command: Command) => {
    refuseFormat(options, command)
    return snapshot(fleet, { ...options, fleet }, io)
  }
}

/** Throws (exit 3) for a format that the snapshot on stdout cannot have. The variable of a job is for its other commands. */
function refuseFormat({ format, out, into }: Options, command: Command): void {
  const isGiven = command.getOptionValueSource('format') === 'cli'
  if (!isGiven || format === 'json' || out !== undefined || into !== undefined) return
  const hint = 'give --out FILE or --into DIR, whose report has all formats'
  throw wrongInput('a snapshot on stdout is JSON: allowed choices of --format are json', hint)
}

async function snapshot(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { out, into } = options
  const { read, snapshot: taken } = await take(fleet, options, io)
  const { summary } = taken
  const findings = unreadFindings(taken)
  const report = { kind: 'findings', findings, read: summary } as const
  if (into !== undefined) {
    const { updateSnapshotFolder } = await import('../files/states.ts')
    const update = { baseUrl: taken.base_url, read, isWhole: isWhole(options) }
    const { written, removed } = await updateSnapshotFolder(into, update, io)
    await writeReport(report, options, io)
    if (!options.quiet) {
      const files = `${plural(written, 'file')} written, ${formatNumber(removed)} removed`
      await writeLine(io, `wlanctl: ${escapeText(into)}: ${files}`)
    }
    const add = `git add ${quoteForShell(into)} && git commit -m Snapshot`
    const next: NextStep[] =
      written + removed > 0 ? [[add, 'keeps this state, for `git log -p`']] : []
    await printNextSteps(next, options, io)
    return summary.sites_failed > 0 ? exit.incomplete : exit.done
  }
  // Escaped, because a snapshot may be printed into a log.
  const text = readable(escapeJson(formatSnapshot(taken)), snapshotForm)
  if (out !== undefined) await writeFileAtomic(out, text, io.cwd)
  await writeReport(report, options, io, { text: out === undefined ? text : undefined })
  if (out === undefined && findings.length > 0) await writeReportToStderr(report, options, io)
  if (out !== undefined) {
    const plan = sameSelection('plan', options, '--against', out)
    await printNextSteps([[plan, 'plans on the snapshot, without a network']], options, io)
  }
  return summary.sites_failed > 0 ? exit.incomplete : exit.done
}

/** True if the run is about every site of the fleet, so that another one has left it. */
function isWhole({ site, excludeSite = [], wlan, shard, changedSince }: Options): boolean {
  const chosen = [...site, ...excludeSite, ...wlan]
  return chosen.length === 0 && shard === undefined && changedSince === undefined
}

async function take(fleet: string, options: Options, io: Io) {
  const isWithoutFleet = options.org !== undefined || options.from !== undefined
  if (isWithoutFleet && fleet !== '.') {
    throw wrongInput('a fleet says its sites itself', 'give a fleet, or `--org` or `--from`')
  }
  const desired = isWithoutFleet
    ? undefined
    : await loadDesired(fleet, { ...options, ignoresPolicy: true }, io)
  const { part = {} } = desired ?? {}
  return withServiceSites({ desired, verb: 'read' }, options, io, async ({ read, origin }) => {
    const live = await read((_, found) => found)
    const facts = { tool: tool.name, created: formatTimestamp(io.now()), base_url: origin.baseUrl }
    const snapshot = takeSnapshot(live, { ...facts, part, requests: origin.requests })
    const work = { ...snapshot.summary, ...(isWithoutFleet && { rest: 'in parts' as const }) }
    await printRequestSummary(work, options, io, origin)
    return { read: live, snapshot }
  })
}
