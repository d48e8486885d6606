#!/usr/bin/env node
import { writeSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'

/** Milliseconds that requests in progress may take after the first signal. */
const GRACE = 5_000

const interrupted = new AbortController()
const abortController = new AbortController()

/** The first signal lets requests in progress finish within the grace period; the second one aborts them. */
function interrupt(): void {
  if (interrupted.signal.aborted) abortController.abort()
  else setTimeout(() => abortController.abort(), GRACE).unref()
  interrupted.abort()
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // The process group has ended.
  }
}

/**
 * Lets Node keep the compiled code for the next start, since version 22. In a directory of the user: anyone who can write
 * to a shared one could change what runs.
 */
function keepCompiledCode({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }: NodeJS.ProcessEnv): void {
  const parent = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && join(HOME, '.cache'))
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown }
  if (parent) enableCompileCache?.(join(parent, 'wlanctl'))
}

keepCompiledCode(process.env)

// Each write reports its error to its caller; without a listener the error would end the process.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)

// A last safeguard: a run that exits without a result must not look successful.
let ended = false
process.on('exit', () => {
  if (ended) return
  process.exitCode = 1
  writeSync(
    2,
    'wlanctl: the run ended before it was done, which is a bug; plan again to see what is left\n'
  )
})

// Sets the exit code instead of calling `process.exit`, which would truncate pending output.
void import('./cli/run.ts')
  .then(({ run }) =>
    run({
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
      abortSignal: abortController.signal,
      signalGroup
    })
  )
  .then(code => {
    process.exitCode = code
    ended = true
  })
