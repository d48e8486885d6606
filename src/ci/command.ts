import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { validateCiResult } from '#forms'
import { type ExitCode, exit, Failure, reasonOf, wrongInput } from '../core/model/failure.ts'
import { fileLimits } from '../core/model/saved-file-limits.ts'
import { truncate } from '../core/values/text.ts'
import { parseSaved } from '../files/saved-file.ts'
import { escapeText } from '../report/escape.ts'
import type { CiCommand, Forge } from './forge.ts'
import type { CiHooks } from './judge.ts'
import type { Line, Permission, Settled } from './permissions.ts'

export interface Job {
  readonly command: CiCommand
  readonly forge: Forge
  readonly fleet: string
  readonly name: string
  readonly results: string
  /** An empty folder for downloads, absolute. */
  readonly temporary: string
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
  /** The unit of the pauses between questions to the forge, in milliseconds. */
  readonly pause: number
  /** Runs the program in this process, without any token of the forge. A signal ends it early; its reason is a text. */
  readonly program: (
    argv: readonly string[],
    ci?: CiHooks,
    stop?: AbortSignal
  ) => Promise<ProgramEnd>
  readonly git: Git
  readonly log: (line: string) => Promise<void>
}

export interface ProgramEnd {
  readonly code: ExitCode
  readonly reason: string
  readonly headline?: string | undefined
}

/** Runs git in the directory of the job, without its configured hooks and filters. */
export type Git = (
  words: readonly string[]
) => Promise<{ readonly code: number; readonly stdout: Buffer; readonly reason: string }>

/** The result of a command, in `result.json` (`schemas/ci-result.schema.json`). */
export interface Result extends Partial<Line> {
  readonly format: 'wlanctl-ci/1'
  readonly command: CiCommand
  readonly name: string
  readonly url: string
  readonly code: ExitCode
  readonly verdict: string
  readonly pulls: readonly number[]
  readonly quiet?: true
  /** Of a plan: its pull request, and what it permits; without `permits`, nothing. */
  readonly pull?: { readonly number: number; readonly target: string }
  readonly permits?: readonly Permission[]
  /** Of an apply: what needs nothing more, or a person. */
  readonly settled?: readonly Settled[]
  readonly drift?: 'drift' | 'none' | 'incomplete' | 'failed'
  readonly expired?: readonly string[]
}

/** What a command ends with, in addition to what the program reported. */
export interface Ending {
  readonly code: ExitCode
  /** The reason why there is no report, if the program could not write one. */
  readonly reason: string
  /** The headline of the report of the program; default: `title`. */
  readonly headline?: string | undefined
  /** The heading where there is none; default: that of the command. */
  readonly title?: string
  readonly first?: string
  readonly notes?: readonly string[]
  /** What else its result holds; undefined for a run that must leave no result. */
  readonly result: Partial<Result> | undefined
}

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

/** Makes the folder of the results empty. Throws (exit 3) for a link, and what is no folder. */
async function prepareResults(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (found !== undefined && !found.isDirectory()) {
    const kind = found.isSymbolicLink() ? 'a link' : 'not a folder'
    throw wrongInput(
      `the folder of --results is ${kind}; nothing was sent`,
      'name a folder outside of the checkout'
    )
  }
  try {
    await mkdir(folder, { recursive: true })
    for (const name of resultFiles) await rm(join(folder, name), { force: true })
  } catch (error) {
    throw wrongInput(`the folder of --results cannot be used: ${reasonOf(error)}`)
  }
}

export async function runJob(job: Job, work: () => Promise<Ending>): Promise<ExitCode> {
  await prepareResults(job.results)
  try {
    return await end(job, await work())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const reason = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`
    const code = error.exitCode
    // A later apply must not take its result for one that settled something.
    await end(job, { code, reason, result: job.command === 'apply' ? undefined : {} })
    throw error
  }
}

async function end(job: Job, ending: Ending): Promise<ExitCode> {
  const { forge, results, name, command } = job
  const { code, reason, title = titles[command], first, notes = [], result } = ending
  const verdict = truncate(ending.headline ?? title, 500)
  const written = await textIn(results, 'report.md')
  const report = written?.replace(/^<!-- wlanctl:[^\n]*\n+/, '')
  const parts = [first, report ?? failureReport(title, reason, code), ...notes]
  const text = `${parts.filter(part => part?.trim()).join('\n\n')}\n`
  await writeFile(join(results, 'report.md'), text)
  if (result !== undefined) {
    const common = { format: 'wlanctl-ci/1', command, name, url: forge.run.url, code } as const
    const whole: Result = { ...common, verdict, pulls: [], ...result }
    await writeFile(join(results, 'result.json'), `${JSON.stringify(whole, null, 2)}\n`)
  }
  await forge.summary(text)
  // A run every hour that found nothing to do stores its result alone.
  if (result?.quiet)
    for (const file of resultFiles)
      if (file !== 'result.json') await rm(join(results, file), { force: true })
  return code
}

export function failureReport(title: string, reason: string, code: ExitCode = exit.failed): string {
  const lines = reason.trim().split('\n').slice(-20)
  return `### ${code === exit.done ? '🔵' : '🔴'} ${title}\n\n${lines.map(line => `    ${escapeText(line).slice(0, 500)}`).join('\n')}`
}

export async function textIn(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), 'utf8').catch(() => undefined)
}

const resultForm = {
  format: 'wlanctl-ci/1',
  validate: validateCiResult,
  limit: { ...fileLimits.plan, name: 'a result of `wlanctl ci`' },
  hint: '`wlanctl ci` writes it'
}

/** Parses a `result.json`. Throws a `Failure` (exit 3) for a damaged one. */
export function parseResult(text: string): Result {
  return parseSaved(text, 'result.json', resultForm).value as Result
}

export function hasServiceToken({ env, options }: Pick<Job, 'env' | 'options'>): boolean {
  const isGiven = options.some(option => /^--token-file(?:=|$)/.test(option))
  return isGiven || Boolean(env['WLANCTL_API_TOKEN'] || env['WLANCTL_TOKEN_FILE'])
}

/** The options with which a command of the program writes its reports to the folder of the results. */
export function reportOptions({ forge, results }: Job, json?: string): string[] {
  const files = { markdown: 'report.md', html: 'report.html', ...(json && { json }) }
  return [
    ...['--format', forge.kind === 'github' ? 'github' : 'text'],
    ...Object.entries(files).flatMap(([form, file]) => [
      '--report',
      `${form}=${join(results, file)}`
    ])
  ]
}

export const RECONCILE = '`wlanctl plan --out plan.json`, then `wlanctl apply --plan plan.json`'

export const WAYS_ON = [
  `To set the live WLANs as declared: ${RECONCILE}.`,
  'To keep the live values: `wlanctl adopt` on a branch, then a pull request of it.'
] as const
