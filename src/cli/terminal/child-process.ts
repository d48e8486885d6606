import { type ChildProcessWithoutNullStreams as Child, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Io } from './io.ts'

/** The credentials of a run, which a command of the user must not get. */
export interface RunCredentials {
  /** The prefix of the names of `$env` secrets. */
  readonly secretPrefix: string
  /** The API tokens of the run, removed from variables with any name. */
  readonly tokens: readonly string[]
  /** The file with the tokens, if they come from one. */
  readonly tokenFile?: string | undefined
}

const CREDENTIALS = [
  'WLANCTL_API_TOKEN',
  'WLANCTL_TOKEN_FILE',
  'WLANCTL_SECRETS_DIR',
  'WLANCTL_SECRETS_COMMAND'
]

/** A shorter secret may be part of any value, so a variable is removed only if it equals the secret. */
const MIN_PART_LENGTH = 8

/** Milliseconds between the request to stop and killing the processes. */
const GRACE = 5_000

/** Milliseconds to wait for output after a command ended: a process that it started may keep it open. */
const LINGER = 1_000

/**
 * The variables of a run without those that contain its token or a secret, by name or by value: CI systems
 * provide the same token under other names. Only a check gets `WLANCTL_WAVE`.
 */
export function withoutCredentials(
  env: Io['env'],
  { secretPrefix, tokens, tokenFile }: RunCredentials
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
  return secret.length < MIN_PART_LENGTH ? value === secret : value.includes(secret)
}

/**
 * Waits for the end of a child process that leads a process group, and stops the group on a timeout or an
 * interrupt. Returns why the command failed; undefined if it succeeded. `timeout` is in milliseconds.
 */
export async function endOfChild(
  child: Child,
  { name, timeout }: { readonly name: string; readonly timeout: number },
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
  const problem = await closed(child, name).finally(() => over.abort())
  return terminated && overdue.aborted ? `${name} took longer than ${timeout / 1000} s` : problem
}

/** Resolves when the process and its output have ended: with the failure, or undefined if it succeeded. */
function closed(child: Child, name: string): Promise<string | undefined> {
  return new Promise(resolve => {
    child.once('error', error => resolve(`${name} could not be started: ${error.message}`))
    child.once('close', (code, by) => {
      if (code === 0) resolve(undefined)
      else resolve(`${name} ended ${code === null ? `by ${by}` : `with exit code ${code}`}`)
    })
  })
}

/** Collects at most `most` bytes of a stream; calls `onMore` if there are more. */
function collect(stream: Readable, most: number, onMore: () => void = () => undefined) {
  const parts: Buffer[] = []
  let length = 0
  const collected = { isCut: false, bytes: () => Buffer.concat(parts) }
  stream.on('error', () => undefined)
  stream.on('data', (part: Buffer) => {
    if (collected.isCut) return
    collected.isCut = length + part.length > most
    parts.push(part.subarray(0, most - length))
    length += part.length
    if (collected.isCut) onMore()
  })
  return collected
}

/** The maximum size of an answer in bytes, and of the messages with it; further messages are dropped. */
const MAX_ANSWER = 16 * 1024 * 1024
const MAX_MESSAGES = 64 * 1024

/**
 * Runs a command of the user with a question as JSON on its stdin, and reads the JSON of its stdout. It runs without a shell,
 * in the working directory, as the leader of a process group. Returns a problem if the command fails, takes longer than
 * `timeout` milliseconds, or prints too much; the problem shows nothing that the command printed.
 */
export async function askProgram(
  [program, ...args]: readonly [string, ...string[]],
  question: unknown,
  { name, timeout, env }: Asking,
  io: Io
): Promise<Answer> {
  io.interrupted.throwIfAborted()
  const child = spawn(program, args, { cwd: io.cwd, env, detached: true, windowsHide: true })
  const output = collect(child.stdout, MAX_ANSWER, () => {
    if (child.pid !== undefined) io.signalGroup(child.pid, 'SIGKILL')
  })
  const messages = collect(child.stderr, MAX_MESSAGES)
  // The command may ignore its stdin.
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${JSON.stringify(question)}\n`)
  const ended = await endOfChild(child, { name, timeout }, io)
  io.interrupted.throwIfAborted()
  const tooLong = `${name} wrote more than ${MAX_ANSWER >> 20} MiB`
  const stdout = output.bytes()
  return {
    problem: output.isCut ? tooLong : ended,
    json: jsonIn(stdout),
    stdout,
    stderr: messages.bytes()
  }
}

/** The end of a command, and its output, which may contain secrets. */
export interface Answer {
  readonly problem: string | undefined
  /** Undefined if the output is not JSON. */
  readonly json: unknown
  readonly stdout: Buffer
  readonly stderr: Buffer
}

interface Asking {
  /** For messages: `--secrets-command`. */
  readonly name: string
  /** In milliseconds. */
  readonly timeout: number
  /** Without the credentials of the run: see `withoutCredentials`. */
  readonly env: NodeJS.ProcessEnv
}

function jsonIn(output: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(output))
  } catch {
    return undefined
  }
}
