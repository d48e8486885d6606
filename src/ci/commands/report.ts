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
import { postWebhook, type WebhookForm } from '../webhook.ts'

export interface ReportSettings {
  /** The command whose result is reported. */
  readonly of: CiCommand
  readonly webhookForm: WebhookForm
}

/** A result with its report, and what it is written with. */
interface Reporting extends ReportSettings {
  readonly forge: Forge
  readonly name: string
  readonly result: Result
  readonly text: string
  /** UTC, to the minute. */
  readonly now: string
}

/**
 * Reports the result of a command: the comments of its pull requests, the issues about the fleet, and the webhook. A
 * command that left no result has ended before it could write one.
 */
export async function report(job: Job, settings: ReportSettings): Promise<ExitCode> {
  const { forge, ours, results } = job
  const stored = await textOf(join(results, 'result.json'))
  const text = (await textOf(join(results, 'report.md'))) ?? failureReport(DIED, DIED_HINT)
  const result = stored === undefined ? await resultOfDead(job, settings.of) : JSON.parse(stored)
  const now = job
    .now()
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, 'Z')
  const reporting = { ...settings, forge, name: ours.name, result, text, now }
  const news = await writers[settings.of](reporting)
  if (news !== undefined) await postWebhook(job, settings.webhookForm, news)
  return exit.done
}

const DIED = 'The run ended before it could write its report'
const DIED_HINT = 'It was stopped, or the forge did not store its result: its log has the reason.'

/** The result of a command that wrote none. Its pull requests are those of the commit. */
async function resultOfDead({ forge, ours }: Job, command: CiCommand): Promise<Result> {
  const { run } = forge
  const merged = command === 'apply' ? await forge.mergedBy(run.commit) : []
  const pulls = run.pull === undefined ? merged.map(({ number }) => number) : [run.pull.number]
  return {
    format: 'wlanctl-ci/1',
    ...{ command, name: ours.name, url: run.url, run: { id: run.id, attempt: run.attempt } },
    ...{ code: exit.failed, verdict: `🔴 ${DIED}`, pulls },
    drift: { status: 'failed', isIncomplete: false, news: [] }
  }
}

/** What each result is written to. Returns the news for the webhook. */
const writers: Readonly<Record<CiCommand, (reporting: Reporting) => Promise<string | undefined>>> =
  {
    plan: async reporting => {
      await comment(reporting)
      return undefined
    },
    apply: async reporting => {
      await comment(reporting)
      return reporting.result.verdict
    },
    drift: writeDrift,
    reconcile: async ({ result }) => result.verdict,
    revert: async ({ result }) => result.verdict,
    adopt: async ({ result }) => result.verdict
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

async function writeDrift(reporting: Reporting): Promise<string | undefined> {
  const { forge, name, result } = reporting
  const { status = 'failed', isIncomplete = false } = result.drift ?? {}
  const drift = await forge.findIssue(`drift:${name}`)
  const unchecked = await forge.findIssue(`unchecked:${name}`)
  const page = `[the check](${result.url})`
  const news: (string | undefined)[] = []
  if (status === 'drift') news.push(await writeDrifting(reporting, drift))
  if (status === 'none') {
    news.push(await close(forge, drift, `As declared again: ${page} found no drift.`))
  }
  if (status === 'none' || (status === 'drift' && !isIncomplete)) {
    news.push(await close(forge, unchecked, `Checked again: ${page} read all of it.`))
  } else if (status !== 'drift') {
    news.push(await writeFailing(reporting, unchecked))
  }
  return news.filter(Boolean).join('; ') || undefined
}

/** Opens or updates the issue about drift. More drift is a comment, because an edit sends no notification. */
async function writeDrifting(
  reporting: Reporting,
  issue: Issue | undefined
): Promise<string | undefined> {
  const { forge, name, result, text } = reporting
  const { news = [] } = result.drift ?? {}
  if (issue === undefined) {
    const title = `Drift: ${name} is not as declared`
    await open(reporting, 'drift', title, `${text}\n${footer(result)}`)
    return title
  }
  await forge.editIssue(issue, shortened(`${text}\n${footer(result)}`, forge))
  if (news.length === 0) return undefined
  const found = `Drift of more WLANs, found by [the check](${result.url}):\n\n${news.join('\n')}\n`
  await forge.commentOnIssue(issue, shortened(found, forge))
  return `Drift: more of ${name} is not as declared`
}

/** Opens or updates the issue about failing checks of drift, with the time since when they fail. */
async function writeFailing(
  reporting: Reporting,
  issue: Issue | undefined
): Promise<string | undefined> {
  const { forge, name, result, text, now } = reporting
  const [, began = now] = /^\*\*Cannot check since ([0-9T:-]+Z)/m.exec(issue?.body ?? '') ?? []
  const body = `**Cannot check since ${began}:** drift of what could not be checked goes unnoticed.\n\n${text}\n${footer(result)}`
  if (issue !== undefined) {
    await forge.editIssue(issue, shortened(body, forge))
    return undefined
  }
  const title = `Drift: ${name} cannot be checked`
  await open(reporting, 'unchecked', title, body)
  return title
}

async function open(reporting: Reporting, topic: string, title: string, body: string) {
  const { forge, name } = reporting
  await forge.openIssue(`${topic}:${name}`, { title, body: shortened(body, forge) })
}

async function close(forge: Forge, issue: Issue | undefined, text: string) {
  if (issue === undefined) return undefined
  await forge.commentOnIssue(issue, text)
  await forge.closeIssue(issue)
  return text
}
