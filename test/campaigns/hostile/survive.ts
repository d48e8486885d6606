import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { environment, PROGRAM } from '../../support/program.ts'

/**
 * The runner of the hostile campaigns: starts the built program on a hostile input, measures its resources,
 * and fails with every rule that the run broke.
 */

/** The limits of a run. */
export interface Bounds {
  /** CPU seconds, user and system. */
  readonly cpu: number
  readonly megabytes: number
  /** Wall-clock seconds: a longer run is killed. */
  readonly seconds: number
}

/** The limits for a hostile file. */
export const fileBounds: Bounds = { cpu: 2, megabytes: 400, seconds: 60 }

/** The limits for a hostile fleet of a pull request, and for a hostile service. */
export const runBounds: Bounds = { cpu: 5, megabytes: 400, seconds: 120 }

export interface Trial {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly bounds: Bounds
  /** The expected exit codes. */
  readonly codes: readonly number[]
  /** The expected text on stdout or stderr. */
  readonly says?: RegExp
  /** Seconds after which the run gets a SIGTERM; it must exit with 130 within six seconds. */
  readonly terminateAfter?: number
}

export interface Survived {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly cpu: number
  readonly megabytes: number
}

const probe = fileURLToPath(new URL('../../bench/probe.cjs', import.meta.url))

/** Patterns that no output may contain: signs of a crash, and invalid numbers and times. */
const signs: Readonly<Record<string, RegExp>> = {
  'a bug': /(?:is|are|was) a bug|bug in wlanctl|please report/,
  'a stack': /^ {4}at /m,
  'an exception': /\b(?:Range|Type|Reference|Syntax|Assertion)Error\b/,
  'no number': /\bNaN\b/,
  'no time': /Invalid (?:Date|time value)/,
  'no memory': /heap out of memory|Maximum call stack/
}

/** Clock ticks of Linux per second. */
const TICKS = 100

/** Seconds that a run may take to exit after a SIGTERM: CI systems kill it soon after. */
const TERM_TIME = 6

/** Longer output is truncated; no case checks the rest. */
const MOST_OUTPUT = 128 * 1024 * 1024

/**
 * Runs the program; throws an error with every rule that it broke. Prints its resources with
 * `WLANCTL_CAMPAIGNS=figures`.
 */
export async function survive(trial: Trial): Promise<Survived> {
  const { ended, problems } = await attempt(trial)
  if (problems.length === 0) return ended
  throw new Error(`${problems.join('; ')}: ${ended.stderr.slice(-400)}`)
}

/** Concurrent cases: most of them wait for a rate limit. */
const AT_ONCE = 16

/** Runs the cases of a table concurrently; fails with the error of each failed case. */
export async function all<T>(
  cases: Readonly<Record<string, T>>,
  run: (item: T, name: string) => Promise<void>,
  atOnce = AT_ONCE
): Promise<void> {
  const failed: Record<string, string> = {}
  const left = Object.entries(cases)
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, item] = next
      const title = name.slice(0, 100)
      const failure = await run(item, title).then(
        () => undefined,
        (error: Error) => error.message
      )
      if (failure !== undefined) failed[title] = failure
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  expect(failed).toEqual({})
}

async function attempt(trial: Trial): Promise<{ ended: Survived; problems: string[] }> {
  const { argv, cwd, env, bounds, codes, says } = trial
  const problems: string[] = []
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=1500', '--require', probe, PROGRAM, ...argv],
    { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [stdout, stderr, took] = [
    textOf(child.stdio[1]),
    textOf(child.stdio[2]),
    textOf(child.stdio[3])
  ]
  const kill = (after: number, problem: string) =>
    setTimeout(() => {
      problems.push(problem)
      child.kill('SIGKILL')
    }, after * 1000)
  const timers = [kill(bounds.seconds, `did not end within ${bounds.seconds} s`)]
  const watch = setInterval(() => {
    const excess = excessOf(child.pid, bounds)
    if (excess === undefined || problems.length > 0) return
    problems.push(excess)
    child.kill('SIGKILL')
  }, 200)
  if (trial.terminateAfter !== undefined) {
    const after = trial.terminateAfter
    timers.push(setTimeout(() => child.kill('SIGTERM'), after * 1000))
    timers.push(kill(after + TERM_TIME, `did not end within ${TERM_TIME} s after SIGTERM`))
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('exit', resolve)
  })
  for (const timer of timers) clearTimeout(timer)
  clearInterval(watch)
  const [megabytes = 0, cpu = 0] = (await took).split(' ').map(Number)
  const ended: Survived = { code, stdout: await stdout, stderr: await stderr, cpu, megabytes }
  if (code === null && problems.length > 0) return { ended, problems }
  if (code === null || !codes.includes(code))
    problems.push(`exit code ${code}, not ${codes.join(' or ')}`)
  if (cpu > bounds.cpu) problems.push(`${cpu.toFixed(1)} s of CPU, at most ${bounds.cpu}`)
  if (megabytes > bounds.megabytes) {
    problems.push(`${megabytes.toFixed(0)} MB, at most ${bounds.megabytes}`)
  }
  for (const [sign, pattern] of Object.entries(signs)) {
    if (pattern.test(ended.stderr) || pattern.test(ended.stdout)) problems.push(`shows ${sign}`)
  }
  if (says && !says.test(ended.stdout + ended.stderr)) problems.push(`does not say ${says}`)
  if (process.env['WLANCTL_CAMPAIGNS'] === 'figures') {
    const figures = `${cpu.toFixed(2)} s, ${megabytes.toFixed(0)} MB, exit ${code}`
    process.stdout.write(`${figures}  ${argv.join(' ').slice(0, 100)}\n`)
  }
  return { ended, problems }
}

/** On Linux: the limit that a run exceeds by far, to kill it early. */
function excessOf(pid: number | undefined, { cpu, megabytes }: Bounds): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').split(' ')
    const seconds = (Number(fields[12]) + Number(fields[13])) / TICKS
    if (seconds > cpu * 1.5) return `more than ${seconds.toFixed(1)} s of CPU, at most ${cpu}`
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const peak = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
    if (peak > megabytes * 1.5) return `more than ${peak.toFixed(0)} MB, at most ${megabytes}`
  } catch {
    // It has ended, or this is no Linux: the bounds are checked at the end.
  }
  return undefined
}

async function textOf(stream: unknown): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MOST_OUTPUT) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
