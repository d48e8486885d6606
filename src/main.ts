#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { run } from './cli/run.ts'

/** How long requests under way may go on after the first signal, in milliseconds. */
const GRACE = 5_000

const interrupted = new AbortController()
const cut = new AbortController()

/** True if requests under way may go on until the second signal. */
let isPatient = false

/** The first signal lets what is under way finish, within its grace; the second one does not. */
function interrupt(): void {
  if (interrupted.signal.aborted) cut.abort()
  else if (!isPatient) setTimeout(() => cut.abort(), GRACE).unref()
  interrupted.abort()
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // It has ended.
  }
}

// A write tells its own caller what went wrong; without a listener it would end the process.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)

// The last guard: a run that ends without having said how it ended must not look like a good one.
let ended = false
process.on('exit', () => {
  if (ended) return
  process.exitCode = 1
  writeSync(
    2,
    'wlanctl: the run ended before it was done, which is a bug; plan again to see what is left\n'
  )
})

// The exit code is set, not forced: `process.exit` would cut what is still being written.
void run({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  node: process.version,
  interrupted: interrupted.signal,
  cut: cut.signal,
  interrupt,
  keepRequests: () => {
    isPatient = true
  },
  signalGroup
}).then(code => {
  process.exitCode = code
  ended = true
})
