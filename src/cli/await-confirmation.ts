import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { ConfirmationAnswer, ConfirmationRequest } from '../workflow/host.ts'
import { type Io, isTerminal, writeLine } from './io.ts'
import type { ReportOptions } from './options.ts'
import { startProgress } from './progress.ts'

/** The polling interval for the file, in milliseconds. */
const POLL_INTERVAL = 200

/**
 * Waits until the changes are confirmed, refused, or the timeout ends: by `yes` or `no` on the terminal, or
 * by creating the file. Any other input repeats the question. An interrupt ends the wait, also as the key
 * Ctrl-C.
 */
export async function awaitConfirmation(
  { question, seconds, file }: ConfirmationRequest,
  options: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Io
): Promise<ConfirmationAnswer> {
  const over = new AbortController()
  const signal = AbortSignal.any([io.interrupted, over.signal])
  const never = new Promise<never>(() => undefined)
  const asks = isTerminal(io)
  const named = file === undefined ? 'a file' : `the file ${file}`
  if (!asks) await writeLine(io, `wlanctl: ${question} Create ${named} to keep them.`)
  const end = asks ? () => undefined : startCountdown(seconds, options, io)
  try {
    return await Promise.race([
      wait(seconds * 1000, 'expired' as const, { signal }).catch(() => 'interrupted' as const),
      file === undefined ? never : fileCreated(resolve(io.cwd, file), signal),
      asks ? typedAnswer(question, signal, io) : never
    ])
  } finally {
    over.abort()
    end()
  }
}

/** Shows the elapsed time; returns a function that stops the display. */
function startCountdown(
  seconds: number,
  options: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Io
): () => void {
  const start = performance.now()
  const reader = { waitUntil: undefined }
  const answered = () => Math.floor((performance.now() - start) / 1000)
  const doing = 'waiting for the confirmation, seconds'
  return startProgress({ doing, total: seconds, reader, answered }, options, io).end
}

/** Resolves when the file exists; never, if the signal is aborted before that. */
async function fileCreated(path: string, signal: AbortSignal): Promise<'yes'> {
  while (!signal.aborted) {
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile()) return 'yes'
    await wait(POLL_INTERVAL, undefined, { signal }).catch(() => undefined)
  }
  return new Promise(() => undefined)
}

/** Resolves with the answer on the terminal; never, if its input ends. */
async function typedAnswer(
  question: string,
  signal: AbortSignal,
  io: Io
): Promise<ConfirmationAnswer> {
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  lines.once('SIGINT', () => io.interrupt())
  const prompt = `${question} Enter "yes" to keep, "no" to put back: `
  return new Promise(done => {
    lines.on('line', line => {
      const answer = line.trim()
      if (answer === 'yes' || answer === 'no') done(answer)
      else lines.prompt()
    })
    lines.setPrompt(prompt)
    lines.prompt()
  })
}
