import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import { plural } from '../../core/values/text.ts'
import { formatTimeOfDay } from '../../core/values/time.ts'
import { isPresent } from '../files/files.ts'
import type { ReportOptions, RolloutOptions } from '../options.ts'
import { type Io, isTerminal, linesFor, writeLine } from './io.ts'
import { startProgress } from './progress.ts'

interface Confirmation {
  /** E.g. `Apply these 3 changes?` */
  readonly question: string
  /** The past participle for a message after a yes, e.g. `applied`. */
  readonly done: string
  /** The consequence of any other answer, e.g. `nothing was sent`. */
  readonly refused: string
}

/** Throws (exit 3) if there is no terminal to ask for confirmation. `undone`: the consequence. */
export function requireTerminal(
  io: Pick<Io, 'stdin' | 'stderr'>,
  command = 'apply',
  undone = 'nothing was sent'
): void {
  if (isTerminal(io)) return
  throw wrongInput(
    `cannot ask for confirmation: not a terminal; ${undone}`,
    `give --yes to ${command} without confirmation`
  )
}

/** Throws (exit 3) if the changes of `--confirm-within` could not be confirmed, or not be put back later. */
export async function requireConfirmation(
  { confirmWithin, confirmFile, record }: RolloutOptions & { readonly record?: string },
  io: Pick<Io, 'stdin' | 'stderr' | 'cwd'>
): Promise<void> {
  if (confirmWithin === undefined) {
    if (confirmFile === undefined) return
    throw wrongInput('expected --confirm-within with --confirm-file; nothing was sent')
  }
  if (record === undefined) {
    const hint = 'give --record FILE: `wlanctl revert FILE` finishes a run that is killed'
    throw wrongInput('expected --record with --confirm-within; nothing was sent', hint)
  }
  if (confirmFile === undefined) {
    if (isTerminal(io)) return
    const hint = 'give --confirm-file FILE, and create the file to confirm'
    throw wrongInput('cannot ask for --confirm-within: not a terminal; nothing was sent', hint)
  }
  if (!(await isPresent(confirmFile, io.cwd))) return
  throw wrongInput(
    `--confirm-file ${confirmFile} already exists; nothing was sent`,
    'remove the file'
  )
}

/**
 * Asks for confirmation on the terminal; returns only after a `yes`. Any other input, the end of the input
 * and Ctrl-C throw. While a terminal is read, it delivers Ctrl-C as a key, not as a signal.
 */
export async function confirm({ question, done, refused }: Confirmation, io: Io): Promise<void> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  let interrupted = false
  let answer: string | undefined
  const closed = new Promise<undefined>(resolve => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => {
      interrupted = true
      lines.close()
    })
  })
  try {
    const prompt = `${linesFor(io.stderr, `${question} Enter "yes" to confirm:`)} `
    const reply = await Promise.race([lines.question(prompt, { signal: io.interrupted }), closed])
    if (reply === undefined) await writeLine(io, '')
    answer = reply?.trim()
    if (answer === 'yes') return
  } finally {
    lines.close()
  }
  if (interrupted) throw new Failure(exit.interrupted, `interrupted; ${refused}`)
  const isOther = answer !== undefined && answer !== 'no'
  throw new Failure(
    exit.refused,
    `not ${done}; ${refused}`,
    isOther ? 'only "yes" confirms; any other answer counts as no' : undefined
  )
}

/** The polling interval for the file, in milliseconds. */
const POLL_INTERVAL = 200

type KeepOptions = Pick<ReportOptions, 'quiet' | 'verbose'> & Pick<RolloutOptions, 'confirmFile'>

/**
 * Asks whether to keep the changes, until they are confirmed, refused, or the time is over: by `yes` or `no` on the terminal,
 * or by creating the file. Any other input repeats the question. An interrupt ends the wait, also as the key Ctrl-C.
 * Returns why not to keep them, or undefined if they are confirmed.
 */
export async function askToKeep(
  changes: number,
  seconds: number,
  { confirmFile: file, ...options }: KeepOptions,
  io: Io
): Promise<string | undefined> {
  const until = formatTimeOfDay(new Date(io.now().getTime() + seconds * 1000))
  const these = changes === 1 ? 'this change' : `these ${plural(changes, 'change')}`
  const question = `Keep ${these}? Unless confirmed by ${until}, all is put back.`
  const over = new AbortController()
  const signal = AbortSignal.any([io.interrupted, over.signal])
  const asks = isTerminal(io)
  const named = file === undefined ? 'a file' : `the file ${file}`
  if (!asks) await writeLine(io, `wlanctl: ${question} Create ${named} to keep them.`)
  const end = asks ? () => undefined : startCountdown(seconds, options, io)
  const interrupted = 'interrupted before the changes were confirmed'
  try {
    return await Promise.race([
      wait(seconds * 1000, `not confirmed within ${seconds} s`, { signal }).catch(
        () => interrupted
      ),
      ...(file === undefined ? [] : [fileCreated(resolve(io.cwd, file), signal)]),
      ...(asks ? [typedAnswer(question, signal, io)] : [])
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
async function fileCreated(path: string, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted) {
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile()) return undefined
    await wait(POLL_INTERVAL, undefined, { signal }).catch(() => undefined)
  }
  return new Promise(() => undefined)
}

/** Resolves with why not to keep the changes, as typed on the terminal; never, if its input ends. */
async function typedAnswer(
  question: string,
  signal: AbortSignal,
  io: Io
): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  lines.once('SIGINT', () => io.interrupt())
  const prompt = `${linesFor(io.stderr, question)}\nEnter "yes" to keep, "no" to put back: `
  return new Promise(done => {
    lines.on('line', line => {
      const answer = line.trim()
      if (answer === 'yes') done(undefined)
      else if (answer === 'no') done('not confirmed')
      else lines.prompt()
    })
    lines.setPrompt(prompt)
    lines.prompt()
  })
}
