import { type ChildProcessWithoutNullStreams as Child, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { isForgeCredential } from '../../ci/open-forge.ts'
import type { Site } from '../../core/model/desired.ts'
import { type Environment, withoutSecrets } from '../../core/values/environment.ts'
import { escapeInside } from '../../report/escape.ts'
import { type Io, writeLine } from './io.ts'

/** The credentials of a run, which a command of the user must not get. */
interface RunCredentials {
  readonly secretPrefix: string
  /** The API tokens of the run, removed from variables with any name. */
  readonly tokens: readonly string[]
  readonly tokenFile?: string | undefined
}

/** Where the credentials are: their places are withheld, too. Only a check gets `WLANCTL_WAVE`. */
const WITHHELD = /^WLANCTL_(?:TOKEN_FILE|SECRETS_DIR|SECRETS_FILE|WAVE)$/

/** Milliseconds between the request to stop and killing the processes. */
const GRACE = 5_000

/** Milliseconds to wait for output after a command ended: a process that it started may keep it open. */
const LINGER = 1_000

/** The variables of a run for a child process: without the credentials of the service, of a forge and of the networks. */
export function withoutCredentials(
  env: Environment,
  { secretPrefix, tokens, tokenFile }: RunCredentials
): Environment {
  const prefixes = ['WLAN_SECRET_', ...(secretPrefix === '' ? [] : [secretPrefix])]
  const isSecret = (name: string) =>
    name === 'WLANCTL_API_TOKEN' ||
    isForgeCredential(name) ||
    prefixes.some(prefix => name.startsWith(prefix))
  const passed = Object.entries(env).filter(
    ([name, value]) => !WITHHELD.test(name) && (value !== tokenFile || value === undefined)
  )
  return withoutSecrets(Object.fromEntries(passed), isSecret, tokens)
}

interface CheckCommand extends RunCredentials {
  readonly command: string
  /** The timeout in milliseconds. */
  readonly timeout: number
}

/** A longer line is shown in parts, because an output without line breaks must not fill the memory. */
const MAX_LINE_LENGTH = 8_192

/**
 * Runs the health check in a shell, without the token and the secrets of the run. Its stdin has a line for each
 * site: id, tab, name. Returns why the wave failed; undefined if it succeeded or the run was interrupted.
 */
export async function runCheck(
  { command, timeout, ...credentials }: CheckCommand,
  { name, sites }: { readonly name?: string; readonly sites: readonly Site[] },
  io: Io
): Promise<string | undefined> {
  if (io.interrupted.aborted) return undefined
  const env = { ...withoutCredentials(io.env, credentials), ...(name && { WLANCTL_WAVE: name }) }
  // In its own process group, so that stopping the check also stops its child processes.
  const child = spawn(command, { shell: true, cwd: io.cwd, env, detached: true, windowsHide: true })
  const outputs = [lines(child.stdout, io), lines(child.stderr, io)]
  // A check may ignore its stdin.
  child.stdin.on('error', () => undefined)
  child.stdin.end(sites.map(site => `${site.id}\t${site.name}\n`).join(''))
  const problem = await endOfCheck(child, timeout, io)
  await Promise.all(outputs)
  return io.interrupted.aborted ? undefined : problem
}

async function lines(stream: Readable, io: Io): Promise<void> {
  let rest = ''
  const show = (line: string) => writeLine(io, `check: ${escapeInside(line)}`)
  try {
    for await (const text of stream.setEncoding('utf8')) {
      const parts = (rest + text).split(/\r?\n/)
      rest = parts.pop() ?? ''
      for (const line of parts) await show(line)
      if (rest.length > MAX_LINE_LENGTH) {
        await show(rest)
        rest = ''
      }
    }
  } catch {
    // The stream was closed early, because a background process of the check keeps it open.
  }
  if (rest !== '') await show(rest)
}

/**
 * Waits for the end of a check that leads a process group, and stops the group on a timeout or an interrupt. Returns why the
 * check failed; undefined if it succeeded. `timeout` is in milliseconds.
 */
async function endOfCheck(
  child: Child,
  timeout: number,
  io: Pick<Io, 'interrupted' | 'abortSignal' | 'signalGroup'>
): Promise<string | undefined> {
  const overdue = AbortSignal.timeout(timeout)
  const over = new AbortController()
  const signal = (kind: NodeJS.Signals) => {
    if (child.pid !== undefined) io.signalGroup(child.pid, kind)
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
  io.abortSignal.addEventListener('abort', kill, over)
  child.once('exit', () => {
    // After SIGTERM, waits for the whole group; otherwise only for the command.
    if (stop.aborted) return
    stop.removeEventListener('abort', terminate)
    letGo()
  })
  const problem = await closed(child).finally(() => over.abort())
  return terminated && overdue.aborted ? `the check took longer than ${timeout / 1000} s` : problem
}

/** Resolves when the process and its output have ended: with the failure, or undefined if it succeeded. */
function closed(child: Child): Promise<string | undefined> {
  return new Promise(resolve => {
    child.once('error', error => resolve(`the check could not be started: ${error.message}`))
    child.once('close', (code, by) => {
      if (code === 0) resolve(undefined)
      else resolve(`the check ended ${code === null ? `by ${by}` : `with exit code ${code}`}`)
    })
  })
}
