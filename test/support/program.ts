import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Io, Terminal } from '../../src/cli/terminal/io.ts'
import { Screen } from './screen.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The built program; `npm test` builds it first. */
export const PROGRAM = fileURLToPath(new URL('../../dist/wlanctl.js', import.meta.url))

export interface Ended {
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly cwd: string
  /** The complete environment of the run, except PATH, HOME and TMPDIR. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/**
 * The streams of a run in this process, such as a terminal as stdout; output to a replaced stream is not in
 * `Ended`.
 */
export type Edges = Partial<Omit<Io, 'argv' | 'env' | 'cwd'>>

/** A command that runs in this process. */
export type Started = Omit<Running, 'hangUp' | 'signal'> & {
  signal(name: 'SIGINT' | 'SIGTERM'): void
}

/** A running process. */
export interface Running {
  /** Its output so far. */
  readonly stdout: string
  readonly stderr: string
  /** Resolves when the output matches; rejects if the process ends first. */
  until(pattern: RegExp): Promise<void>
  type(text: string): void
  signal(name: NodeJS.Signals): void
  /** Stops reading its stdout, like `head`. */
  hangUp(): void
  readonly ended: Promise<Ended>
}

/**
 * Runs a command in this process, like `main.ts`: 6 to 20 ms instead of 230 ms of CPU for a process. Tests of
 * what only a process has (its signals, terminal and exit code) use `startBuilt`, `runBuilt`, `startOnTerminal`
 * or `shell`. The next steps, which end stderr in a pipe, are not in `Ended`; those of `start` are in its `stderr`.
 */
export async function wlanctl(
  argv: readonly string[],
  { cwd, env, stdin }: Options,
  edges: Edges = {}
): Promise<Ended> {
  // Loaded lazily, since many tests need only a folder or the root from this file.
  const { run } = await import('../../src/cli/run.ts')
  const testIsOver = new AbortController()
  onTestFinished(() => testIsOver.abort())
  const output = { stdout: new Collector(), stderr: new Collector() }
  const input = new PassThrough()
  if (stdin !== undefined) input.end(stdin)
  const code = await run({
    argv,
    env: environment({ PATH: withoutNpm, ...env }),
    cwd,
    stdin: input,
    ...output,
    now: () => new Date(),
    node: process.version,
    interrupted: testIsOver.signal,
    abortSignal: testIsOver.signal,
    signalGroup,
    ...edges
  })
  return { code, stdout: output.stdout.text, stderr: withoutNextSteps(output.stderr.text) }
}

function withoutNextSteps(stderr: string): string {
  return stderr.replace(/(^|\n)Next:\n(?: {2}.*\n)+$/, '$1')
}

/** Starts a command in this process; its signals work like those of `main.ts`, without the grace period. */
export function start(argv: readonly string[], options: Options): Started {
  return startHere(argv, options, { stdout: new Collector(), stderr: new Collector() })
}

/**
 * Starts a command in this process on a terminal, whose `stdout` is all that it shows. `type` sends keys:
 * `\r` for Enter, `\u0003` for Ctrl-C.
 */
export function startOnScreen(argv: readonly string[], options: Options, columns = 80): Started {
  const screen = new Screen(columns)
  return startHere(argv, options, { stdout: screen, stderr: screen })
}

function startHere(
  argv: readonly string[],
  options: Options,
  output: Readonly<Record<'stdout' | 'stderr', Collector | Screen>>
): Started {
  const [interrupted, abortController] = [new AbortController(), new AbortController()]
  const interrupt = () => {
    if (interrupted.signal.aborted) abortController.abort()
    interrupted.abort()
  }
  const stdin = Object.assign(new PassThrough(), { isTTY: output.stdout instanceof Screen })
  const signals = { interrupted: interrupted.signal, abortSignal: abortController.signal }
  onTestFinished(() => {
    interrupted.abort()
    abortController.abort()
  })
  let isRunning = true
  const { stdout, stderr } = output
  const ended = wlanctl(argv, options, { stdin, ...signals, ...output }).then(({ code }) => {
    isRunning = false
    return { code, stdout: stdout.text, stderr: stdout === stderr ? '' : stderr.text }
  })
  return {
    get stdout() {
      return stdout.text
    },
    get stderr() {
      return stderr.text
    },
    async until(pattern) {
      while (!pattern.test(stdout.text + stderr.text)) {
        if (!isRunning) throw new Error(`it ended, and never wrote ${pattern}`)
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    },
    type: text => void stdin.write(text),
    signal: interrupt,
    ended
  }
}

/** Runs the built program to its end, in its own process. */
export function runBuilt(argv: readonly string[], options: Options): Promise<Ended> {
  return startBuilt(argv, options).ended
}

/** Starts the built program in its own process, which is killed at the end of the test. */
export function startBuilt(argv: readonly string[], options: Options): Running {
  return startCommand(process.execPath, [PROGRAM, ...argv], options)
}

/** Starts the built program on a pseudo-terminal, which merges stdout and stderr. */
export function startOnTerminal(argv: readonly string[], options: Options, columns = 80): Running {
  const words = [process.execPath, PROGRAM, ...argv].map(quoted).join(' ')
  const command = `stty cols ${columns}; exec ${words}`
  return startCommand('script', ['--quiet', '--return', '--command', command, '/dev/null'], options)
}

/** Runs a line of shell to its end; `wlanctl` in it is the built program. */
export function shell(line: string, options: Options): Promise<Ended> {
  const program = `wlanctl() { ${quoted(process.execPath)} ${quoted(PROGRAM)} "$@"; }`
  return startCommand('bash', ['-c', `${program}\n${line}`], options).ended
}

/** A new folder, removed after the test. */
export function folder(): string {
  const made = mkdtempSync(`${tmpdir()}/wlanctl-test-`)
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

export function startCommand(command: string, argv: readonly string[], options: Options): Running {
  const child = spawn(command, argv, { cwd: options.cwd, env: environment(options.env) })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  // A process that exits before reading its input does not fail the test.
  child.stdin.on('error', () => undefined)
  if (options.stdin !== undefined) child.stdin.end(options.stdin)
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = endOf(child, written)
  return {
    get stdout() {
      return written.stdout
    },
    get stderr() {
      return written.stderr
    },
    until: pattern => until(child, () => pattern.test(written.stdout + written.stderr), pattern),
    type: text => void child.stdin.write(text),
    signal: name => void child.kill(name),
    hangUp: () => void child.stdout.destroy(),
    ended
  }
}

function endOf(
  child: ChildProcessWithoutNullStreams,
  written: Pick<Ended, 'stdout' | 'stderr'>
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', code => resolve({ code, ...written }))
  })
}

function until(
  child: ChildProcessWithoutNullStreams,
  fits: () => boolean,
  pattern: RegExp
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (fits()) resolve()
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('close', () => reject(new Error(`it ended, and never wrote ${pattern}`)))
    look()
  })
}

/** A `PATH` with an npm that fails at once: `init` runs npm, which takes half a second of CPU. */
const withoutNpm = `${ROOT}/test/support/without-npm:${process.env['PATH']}`

/** The registry for the npm that `init` runs: none listens there, so a test never leaves this machine. */
const npm_config_registry = 'http://127.0.0.1:9'

/** The environment of a run: required variables, and those of the test. */
export function environment(given: Options['env'] = {}): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), npm_config_registry, ...given }
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // It has ended.
  }
}

/** A stream that collects its output. */
export class Collector extends Writable implements Terminal {
  readonly #chunks: Buffer[] = []

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
