import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The built program; `npm test` builds it first. */
export const PROGRAM = fileURLToPath(new URL('../../dist/wlanctl.js', import.meta.url))

export interface Ended {
  /** Null where a signal ended the process. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly cwd: string
  /** All that the process has, beside PATH, HOME and TMPDIR. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** A program that runs. */
export interface Running {
  /** What it wrote so far. */
  readonly stdout: string
  readonly stderr: string
  /** Resolves when its output fits; rejects if it ends before that. */
  until(pattern: RegExp): Promise<void>
  type(text: string): void
  signal(name: NodeJS.Signals): void
  /** Stops reading its stdout, as `head` does. */
  hangUp(): void
  readonly ended: Promise<Ended>
}

/** Runs the built program to its end. */
export function wlanctl(argv: readonly string[], options: Options): Promise<Ended> {
  return start(argv, options).ended
}

/** Starts the built program; it is killed if the test ends before it does. */
export function start(argv: readonly string[], options: Options): Running {
  return startCommand(process.execPath, [PROGRAM, ...argv], options)
}

/** Starts the built program on a pseudo-terminal, where stdout and stderr are one. */
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

/** A new folder, removed when the test is over. */
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
  // Who ends before reading its input is no failure of the test.
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

/** All that a process is given: what it cannot do without, and what the test names. */
export function environment(given: Options['env'] = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...given }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
