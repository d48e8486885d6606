import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExitCode, exit, Failure } from '../core/model/failure.ts'
import { escapeText } from '../report/escape.ts'
import { prose } from '../report/render/markdown.ts'
import type { Ours } from './approval.ts'
import type { Forge } from './forge.ts'

/** What a `ci` command works with. */
export interface Job {
  readonly command: CiCommand
  readonly forge: Forge
  /** The directory of the fleet, relative to `cwd`. */
  readonly fleet: string
  readonly ours: Ours
  /** The folder of the results, absolute. */
  readonly results: string
  /** An empty folder for downloads, absolute. */
  readonly temporary: string
  /** The options of the user for the command below. */
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly now: () => Date
  /** Runs the program in this process, without any token of the forge. */
  readonly program: (
    argv: readonly string[],
    /** Called before anything is sent. */
    beforeSending?: () => Promise<void>
  ) => Promise<ProgramEnd>
  readonly git: Git
  readonly log: (line: string) => Promise<void>
}

export type CiCommand = 'plan' | 'apply' | 'drift'

export interface ProgramEnd {
  readonly code: ExitCode
  /** The message with which it ended; may contain untrusted text. */
  readonly reason: string
}

/** Runs git in the directory of the job, without its configured hooks and filters. */
export type Git = (
  words: readonly string[]
) => Promise<{ readonly code: number; readonly stdout: Buffer; readonly reason: string }>

/** The result of a command, in `result.json`, for `ci report` and for the commands that read it later. */
export interface Result {
  readonly format: 'wlanctl-ci/1'
  readonly command: CiCommand
  readonly name: string
  /** The page of the run and attempt that made it. */
  readonly url: string
  readonly run: { readonly id: string; readonly attempt: number }
  readonly code: ExitCode
  /** The heading of the report, without its marks. */
  readonly verdict: string
  /** The pull requests that the result is about. */
  readonly pulls: readonly number[]
  /** Of a plan: the sites that it covers. */
  readonly scope?: 'changed' | 'all'
  readonly drift?: DriftResult
}

export interface DriftResult {
  readonly status: 'drift' | 'none' | 'incomplete' | 'failed'
  /** True if part of the fleet could not be checked. */
  readonly isIncomplete: boolean
}

/** What a command adds to the result that it ends with. */
export interface Ending extends Partial<Pick<Result, 'pulls' | 'scope' | 'drift'>> {
  readonly code: ExitCode
  /** The reason why there is no report, if the program could not write one. */
  readonly reason: string
  /** The heading of that report; default: that of the command. */
  readonly title?: string
  /** A report that comes before that of the program, in Markdown. */
  readonly first?: string
  /** Paragraphs of Markdown at the end of the report. */
  readonly notes?: readonly string[]
}

/** The headings of the reports of commands that ended before the program wrote one. */
const titles: Readonly<Record<CiCommand, string>> = {
  plan: 'Plan: not made',
  apply: 'Apply: nothing was sent',
  drift: 'Drift: cannot be checked'
}

/** The files of a result; a command removes those of an earlier one before it starts. */
const resultFiles = [
  ...['report.md', 'report.html', 'result.json', 'plan.json', 'outcomes.json'],
  ...['record.jsonl', 'drift.json', 'snapshot.json']
]

/** Runs a command. Whatever it ends with, the folder of the results and the forge get a report of it. */
export async function runJob(job: Job, work: () => Promise<Ending>): Promise<ExitCode> {
  await mkdir(job.results, { recursive: true })
  for (const file of resultFiles) await rm(join(job.results, file), { force: true })
  try {
    return await end(job, await work())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const reason = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`
    await prepend(job, failureReport(titles[job.command], reason, error.exitCode))
    await end(job, { code: error.exitCode, reason })
    throw error
  }
}

/** Puts a text before what the program may have reported. */
async function prepend({ results }: Job, text: string): Promise<void> {
  const report = join(results, 'report.md')
  const written = await textOf(report)
  await writeFile(report, written === undefined ? text : `${text}\n${withoutMarker(written)}`)
}

async function end(job: Job, ending: Ending): Promise<ExitCode> {
  const { forge, results, ours, command } = job
  const { code, title = titles[command], reason, first, notes = [] } = ending
  const { pulls = [], scope, drift } = ending
  const report = join(results, 'report.md')
  if ((await textOf(report)) === undefined) {
    await writeFile(report, failureReport(title, reason, code))
  }
  if (first !== undefined) await prepend(job, first)
  const text = withNotes(job, await textOf(report), notes)
  await writeFile(report, text)
  const verdict = verdictOf(text)
  const result: Result = {
    format: 'wlanctl-ci/1',
    command,
    name: ours.name,
    url: forge.run.url,
    run: { id: forge.run.id, attempt: forge.run.attempt },
    code,
    verdict,
    pulls,
    ...(scope && { scope }),
    ...(drift && { drift })
  }
  await writeFile(join(results, 'result.json'), `${JSON.stringify(result, null, 2)}\n`)
  await forge.writeSummary(text)
  return code
}

/** The report of a run that ended before the program could write one. */
export function failureReport(title: string, reason: string, code: ExitCode = exit.failed): string {
  const lines = reason.trim().split('\n').slice(-20)
  return `### ${code === exit.done ? '🔵' : '🔴'} ${title}\n\n${lines.map(line => `    ${escapeText(line).slice(0, 500)}`).join('\n')}\n`
}

function withNotes(job: Job, text = '', notes: readonly string[]): string {
  const reason = suspension(job)
  const first = reason === undefined ? '' : `**Suspended, nothing is sent:** ${prose(reason)}\n\n`
  const body = [withoutMarker(text).trimEnd(), ...notes].filter(note => note !== '')
  return `${first}${body.join('\n\n')}\n`
}

/** The text of a report without its invisible first line. */
function withoutMarker(text: string): string {
  return text.replace(/^<!-- wlanctl:[^\n]*\n+/, '')
}

/** The heading of a report, without its marks. */
export function verdictOf(text = ''): string {
  return /^### (.{0,500})/m.exec(text)?.[1] ?? 'The run ended without a report'
}

/** Characters that the forge may add to a body, such as the line of its topic. */
const RESERVE = 500

/** A text that the forge accepts: of a longer one only its heading, because the page of the run has all of it. */
export function shortened(text: string, { maxBody, run }: Pick<Forge, 'maxBody' | 'run'>): string {
  if (text.length <= maxBody - RESERVE) return text
  return `### ${verdictOf(text)}\n\nThe report is too long for a comment: [the run](${run.url}) has it.\n`
}

/** The text of a file; undefined if there is none. */
export async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

/** The members of a JSON file that another run stored; none if it is damaged. */
export async function storedJson(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object(JSON.parse((await textOf(file)) ?? '{}'))
  } catch {
    return {}
  }
}

/** The reason why nothing may be sent: the value of WLANCTL_SUSPEND. */
function suspension({ env }: Pick<Job, 'env'>): string | undefined {
  return env['WLANCTL_SUSPEND'] || undefined
}

/** Throws (exit 4) while sending is suspended. */
export function refuseSuspended(job: Job): void {
  const reason = suspension(job)
  if (reason === undefined) return
  throw new Failure(
    exit.refused,
    `suspended: ${reason}; nothing was sent`,
    'to go on, empty the variable WLANCTL_SUSPEND of the repository'
  )
}

/** True if the job has a token of the service. */
export function hasServiceToken({ env, options }: Pick<Job, 'env' | 'options'>): boolean {
  const isGiven = options.some(option => /^--token-file(?:=|$)/.test(option))
  return isGiven || Boolean(env['WLANCTL_API_TOKEN'] || env['WLANCTL_TOKEN_FILE'])
}

/** The options with which a command of the program writes its reports to the folder of the results. */
export function reportOptions({ forge, results }: Job, json?: string): string[] {
  const files = {
    markdown: 'report.md',
    html: 'report.html',
    ...(json && { json })
  }
  return [
    ...['--format', forge.kind === 'github' ? 'github' : 'text'],
    ...Object.entries(files).flatMap(([form, file]) => [
      '--report',
      `${form}=${join(results, file)}`
    ])
  ]
}

/** How a person sends what differs, in Markdown. */
export const RECONCILE = '`wlanctl plan --out plan.json`, then `wlanctl apply --plan plan.json`'

/** How a person writes the live values into the files, in Markdown. */
export const ADOPT = '`wlanctl adopt` on a branch, then a pull request of it'
