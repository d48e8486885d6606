import { join } from 'node:path'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import {
  type CiCommand,
  failureReport,
  type Job,
  type Result,
  shortened,
  textOf
} from '../command.ts'
import type { Forge, Issue } from '../forge.ts'

/** A result with its report, and what it is written with. */
interface Reporting {
  readonly forge: Forge
  /** The command whose result is reported. */
  readonly of: CiCommand
  readonly name: string
  readonly result: Result
  readonly text: string
  /** UTC, to the minute. */
  readonly now: string
}

/**
 * Reports the result of a command: the comments of its pull requests, and the issues about the fleet. A command that left
 * no result has ended before it could write one.
 */
export async function report(job: Job): Promise<ExitCode> {
  const { command: of, forge, ours, results } = job
  const stored = await textOf(join(results, 'result.json'))
  const text = (await textOf(join(results, 'report.md'))) ?? failureReport(DIED, DIED_HINT)
  const result = stored === undefined ? await resultOfDead(job) : JSON.parse(stored)
  const now = job
    .now()
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, 'Z')
  await writers[of]({ forge, of, name: ours.name, result, text, now })
  return exit.done
}

const DIED = 'The run ended before it could write its report'
const DIED_HINT = 'It was stopped, or the forge did not store its result: its log has the reason.'

/** The result of a command that wrote none. Its pull requests are those of the commit. */
async function resultOfDead({ command, forge, ours }: Job): Promise<Result> {
  const { run } = forge
  const merged = command === 'apply' ? await forge.mergedBy(run.commit) : []
  const pulls = run.pull === undefined ? merged.map(({ number }) => number) : [run.pull.number]
  return {
    format: 'wlanctl-ci/1',
    ...{ command, name: ours.name, url: run.url, run: { id: run.id, attempt: run.attempt } },
    ...{ code: exit.failed, verdict: `🔴 ${DIED}`, pulls },
    drift: { status: 'failed', isIncomplete: false }
  }
}

/** What each result is written to. */
const writers: Readonly<Record<CiCommand, (reporting: Reporting) => Promise<void>>> = {
  plan: comment,
  apply: comment,
  drift: writeDrift
}

/** One comment for each pull request and command; that of an apply lists its runs. */
async function comment({ forge, name, of, result, text }: Reporting): Promise<void> {
  for (const pull of result.pulls) {
    await forge.ensureComment(pull, `${of}:${name}`, earlier =>
      shortened(
        `${text}\n${footer(result)}${of === 'apply' ? history(result, earlier) : ''}`,
        forge
      )
    )
  }
}

function footer({ url }: Result): string {
  return `<sub>[The run](${url}), with its log and artifacts: \`report.html\` shows all of it in a browser</sub>\n`
}

const MAX_HISTORY = 50

/** The lines about the runs in a comment, with this one; a report that is written again has one line. */
function history({ run, url, verdict }: Result, earlier = ''): string {
  const title = `- [Run ${run.id}, attempt ${run.attempt}](`
  const lines = (earlier.match(/^- \[Run \d+, attempt \d+\].*$/gm) ?? [])
    .filter(line => !line.startsWith(title))
    .slice(-MAX_HISTORY)
  const all = [...lines, `${title}${url}): ${verdict}`].join('\n')
  return `\n<details><summary>All runs</summary>\n\n${all}\n\n</details>\n`
}

async function writeDrift(reporting: Reporting): Promise<void> {
  const { forge, name, result } = reporting
  const { status = 'failed', isIncomplete = false } = result.drift ?? {}
  const drift = await forge.findIssue(`drift:${name}`)
  const unchecked = await forge.findIssue(`unchecked:${name}`)
  const page = `[the check](${result.url})`
  if (status === 'drift') await writeDrifting(reporting, drift)
  if (status === 'none') await close(forge, drift, `As declared again: ${page} found no drift.`)
  if (status === 'none' || (status === 'drift' && !isIncomplete)) {
    await close(forge, unchecked, `Checked again: ${page} read all of it.`)
  } else if (status !== 'drift') {
    await writeFailing(reporting, unchecked)
  }
}

/** Opens or updates the issue about drift. */
async function writeDrifting(reporting: Reporting, issue: Issue | undefined): Promise<void> {
  const { forge, name, result, text } = reporting
  if (issue === undefined) {
    const title = `Drift: ${name} is not as declared`
    await open(reporting, 'drift', title, `${text}\n${footer(result)}`)
    return
  }
  await forge.editIssue(issue, shortened(`${text}\n${footer(result)}`, forge))
}

/** Opens or updates the issue about failing checks of drift, with the time since when they fail. */
async function writeFailing(reporting: Reporting, issue: Issue | undefined): Promise<void> {
  const { forge, name, result, text, now } = reporting
  const [, began = now] = /^\*\*Cannot check since ([0-9T:-]+Z)/m.exec(issue?.body ?? '') ?? []
  const body = `**Cannot check since ${began}:** drift of what could not be checked goes unnoticed.\n\n${text}\n${footer(result)}`
  if (issue !== undefined) return forge.editIssue(issue, shortened(body, forge))
  await open(reporting, 'unchecked', `Drift: ${name} cannot be checked`, body)
}

async function open(reporting: Reporting, topic: string, title: string, body: string) {
  const { forge, name } = reporting
  await forge.openIssue(`${topic}:${name}`, { title, body: shortened(body, forge) })
}

async function close(forge: Forge, issue: Issue | undefined, text: string): Promise<void> {
  if (issue === undefined) return
  await forge.commentOnIssue(issue, text)
  await forge.closeIssue(issue)
}
