import { type ChildProcessWithoutNullStreams as Child, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { openWriter } from '../../api/client.ts'
import { compact } from '../../model/collections.ts'
import type { Site } from '../../model/desired.ts'
import type { ExitCode } from '../../model/failure.ts'
import { partitionProtected } from '../../plan/limits.ts'
import { plannedWaves } from '../../plan/rollout.ts'
import { escapeInside } from '../../report/escape.ts'
import { approveChanges, readApproval, refuseUnresolved, wlansIn } from '../../workflow/approve.ts'
import { executePlan } from '../../workflow/execute-plan.ts'
import { loadDesired, secretSourceOf } from '../../workflow/load-desired.ts'
import { makePlan } from '../../workflow/make-plan.ts'
import { obstaclesIn, type RolloutHooks, rolloutHooks } from '../../workflow/rollout.ts'
import { connectionOf, tokensOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { hostOf, requireTerminal } from '../host.ts'
import { type Io, writeLine } from '../io.ts'
import {
  type ApplyCommandOptions,
  addApprovalOptions,
  addExample,
  addExecuteOptions,
  addPlanningOptions,
  addRolloutOptions
} from '../options.ts'
import { checkOutputFiles, showPlan } from '../output.ts'

export function define(command: Command, { io, ends }: Context): void {
  addRolloutOptions(addExecuteOptions(addApprovalOptions(addPlanningOptions(command)))).action(
    ends((fleet: string, options: ApplyCommandOptions) => apply(fleet, { ...options, fleet }, io))
  )
  addExample(command, 'wlanctl apply examples/quickstart --yes')
}

/** Makes the plan, gets it approved, executes it and reports the outcome of each change. */
async function apply(fleet: string, options: ApplyCommandOptions, io: Io): Promise<ExitCode> {
  if (!options.yes) requireTerminal(io)
  await checkOutputFiles(options, io)
  const host = hostOf(options, io)
  const { desired } = await loadDesired(fleet, options, secretSourceOf(options, io), host)
  refuseUnresolved(desired)
  const writer = openWriter(await connectionOf(options, io, io.cut, desired))
  try {
    const approval = await readApproval(options, writer.baseUrl, host)
    const { parallelism, pause } = options
    const request = { parallelism, keep: wlansIn(approval), allowances: options }
    const result = await makePlan(desired, writer, request, host)
    const { plan, verdicts } = result
    await showPlan(plan, options, io)
    const { approved, decided } = approveChanges(result, approval, options)
    const { free: changes, kept } = partitionProtected(approved)
    const { policy, rollout, sites } = desired
    const waves = plannedWaves(rollout, sites, changes, obstaclesIn(verdicts, decided))
    const runCheck = await checkOf(options, io)
    const hooks = rolloutHooks({ pause, runCheck, inWaves: rollout !== undefined }, host)
    const input = { plan, verdicts, changes, kept, waves, hooks, decided, policy }
    return await executePlan({ command: 'apply', ...input }, writer, options, host)
  } finally {
    await writer.close()
  }
}

/**
 * Runs `--check`, without the credentials of the run. The token file is read now: it may disappear during
 * the run.
 */
async function checkOf(
  options: ApplyCommandOptions,
  io: Io
): Promise<RolloutHooks['check'] | undefined> {
  const { check: command, checkTimeout, secretPrefix, tokenFile } = options
  if (command === undefined) return undefined
  const tokens = await tokensOf(options, io)
  const settings = compact({ secretPrefix, tokens, tokenFile })
  return wave => runCheck({ command, timeout: checkTimeout * 1000, ...settings }, wave, io)
}

/** The command of `--check`, whose exit code decides whether a wave is good. */
interface CheckCommand {
  readonly command: string
  /** How long it may take, in milliseconds. */
  readonly timeout: number
  /** The prefix of the names of `$env` secrets: the check gets none of them. */
  readonly secretPrefix: string
  /** The API tokens of the run: the check gets none of them, under whatever name. */
  readonly tokens: readonly string[]
  /** Where they come from, if from a file. */
  readonly tokenFile?: string
}

/** What a check is about. */
interface Subject {
  readonly name?: string
  readonly sites: readonly Site[]
}

/** The variables that give the run its token and its secrets. */
const CREDENTIALS = ['WLANCTL_API_TOKEN', 'WLANCTL_TOKEN_FILE', 'WLANCTL_SECRETS_DIR']

/** A shorter secret may be part of any value: only a variable that equals it is withheld. */
const SHORTEST_PART = 8

/** Milliseconds from the request to end until the processes are killed. */
const GRACE = 5_000

/** What it started may hold its output open; for so long after its end that is waited for. */
const LINGER = 1_000

/** A line that is longer is shown in parts: an output without line breaks must not fill the memory. */
const LONGEST = 8_192

/**
 * Runs a check through the shell; gives why the wave is not good, and undefined if it is, or if the run
 * was interrupted.
 *
 * Its environment is that of the run without its token and secrets, and with `WLANCTL_WAVE`, the name of
 * the wave. On its stdin is a line for each site: id, tab, name. What it writes goes to stderr, line by line.
 */
async function runCheck(
  { command, timeout, ...credentials }: CheckCommand,
  { name, sites }: Subject,
  io: Io
): Promise<string | undefined> {
  if (io.interrupted.aborted) return undefined
  const env = { ...withoutSecrets(io.env, credentials), ...(name && { WLANCTL_WAVE: name }) }
  // A group of its own: what ends it ends what it started, too.
  const child = spawn(command, { shell: true, cwd: io.cwd, env, detached: true, windowsHide: true })
  const outputs = [lines(child.stdout, io), lines(child.stderr, io)]
  // A check need not read its stdin.
  child.stdin.on('error', () => undefined)
  child.stdin.end(sites.map(site => `${site.id}\t${site.name}\n`).join(''))
  const problem = await endOf(child, timeout, io)
  await Promise.all(outputs)
  return io.interrupted.aborted ? undefined : problem
}

/**
 * The variables of a run without those that hold its token or a secret, by name or by value: CI systems
 * give the same token under names of their own. `WLANCTL_WAVE` is the wave's alone.
 */
function withoutSecrets(
  env: Io['env'],
  { secretPrefix, tokens, tokenFile }: Omit<CheckCommand, 'command' | 'timeout'>
): Record<string, string | undefined> {
  const prefixes = ['WLAN_SECRET_', ...(secretPrefix === '' ? [] : [secretPrefix])]
  const isSecret = (name: string) => prefixes.some(prefix => name.startsWith(prefix))
  const entries = Object.entries(env).filter(([name]) => name !== 'WLANCTL_WAVE')
  const secrets = [...tokens, ...entries.flatMap(([name, value]) => (isSecret(name) ? value : []))]
  const isWithheld = (name: string, value = '') =>
    CREDENTIALS.includes(name) ||
    isSecret(name) ||
    value === tokenFile ||
    secrets.some(secret => secret && holds(value, secret))
  return Object.fromEntries(entries.filter(([name, value]) => !isWithheld(name, value)))
}

function holds(value: string, secret: string): boolean {
  return secret.length < SHORTEST_PART ? value === secret : value.includes(secret)
}

/** Waits for the end of the check, and brings it about if it is overdue or the run is interrupted. */
async function endOf(child: Child, timeout: number, io: Io): Promise<string | undefined> {
  const overdue = AbortSignal.timeout(timeout)
  const over = new AbortController()
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) io.signalGroup(child.pid, name)
  }
  const after = (milliseconds: number, act: () => void) => {
    const timer = setTimeout(act, milliseconds)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
  }
  const letGo = () => after(LINGER, () => child.stdout.destroy() && child.stderr.destroy())
  const kill = () => {
    signal('SIGKILL')
    letGo()
  }
  const stop = AbortSignal.any([overdue, io.interrupted])
  let terminated = false
  const terminate = () => {
    terminated = true
    signal('SIGTERM')
    after(GRACE, kill)
  }
  stop.addEventListener('abort', terminate, over)
  io.cut.addEventListener('abort', kill, over)
  child.once('exit', () => {
    // After SIGTERM the whole group is awaited; otherwise only the check.
    if (stop.aborted) return
    stop.removeEventListener('abort', terminate)
    letGo()
  })
  const problem = await closed(child).finally(() => over.abort())
  return terminated && overdue.aborted ? `the check took longer than ${timeout / 1000} s` : problem
}

/** What ended a child process whose output has ended, too; undefined if it succeeded. */
function closed(child: Child): Promise<string | undefined> {
  return new Promise(resolve => {
    child.once('error', error => resolve(`the check could not be started: ${error.message}`))
    child.once('close', (code, by) => {
      if (code === 0) resolve(undefined)
      else resolve(`the check ended ${code === null ? `by ${by}` : `with exit code ${code}`}`)
    })
  })
}

/** Prints a stream line by line until it ends. */
async function lines(stream: Readable, io: Io): Promise<void> {
  let rest = ''
  const show = (line: string) => writeLine(io, `check: ${escapeInside(line)}`)
  try {
    for await (const text of stream.setEncoding('utf8')) {
      const parts = (rest + text).split(/\r?\n/)
      rest = parts.pop() ?? ''
      for (const line of parts) await show(line)
      if (rest.length > LONGEST) {
        await show(rest)
        rest = ''
      }
    }
  } catch {
    // It was cut off: something the check left behind still holds it.
  }
  if (rest !== '') await show(rest)
}
