import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import type { Confirmation, WorkflowHost } from '../workflow/host.ts'
import { tool } from './context.ts'
import { type Io, isTerminal, writeLine } from './io.ts'
import type { ReportOptions, RolloutOptions, ServiceOptions } from './options.ts'
import { writeOutcomes, writeReport, writeReportToStderr } from './output.ts'
import { startProgress } from './progress.ts'
import {
  printChangeEstimate,
  printEstimate,
  printRequestSummary,
  printSelection
} from './request-summary.ts'

type HostOptions = ReportOptions & Pick<ServiceOptions, 'maxRequests'> & { readonly out?: string }

/** The host of a run: its streams, files, signals and output options. */
export function hostOf(options: HostOptions, io: Io): WorkflowHost {
  return {
    tool: tool.name,
    cwd: io.cwd,
    now: io.now,
    interrupted: io.interrupted,
    cut: io.cut,
    printLine: line => writeLine(io, line),
    printNotice: async line => (options.quiet ? undefined : writeLine(io, line)),
    reportRejectedInput(findings) {
      const write = options.format === 'text' ? writeReportToStderr : writeReport
      return write({ kind: 'findings', findings }, options, io)
    },
    writeOutcomes: report => writeOutcomes(report, options, io),
    confirm: confirmation => confirm(confirmation, io),
    async awaitConfirmation(request) {
      const { awaitConfirmation } = await import('./await-confirmation.ts')
      return awaitConfirmation(request, options, io)
    },
    keepRequests: io.keepRequests,
    startProgress: task => startProgress(task, options, io),
    printSelection: (sites, by) => printSelection(sites, by, options, io),
    printEstimate: sites => printEstimate(sites, options, io),
    printChangeEstimate: (changes, reader) => printChangeEstimate(changes, options, io, reader),
    printRequestSummary: (remaining, used) => printRequestSummary(remaining, options, io, used),
    async readSaved(file, ...forms) {
      const { readSaved } = await import('./files/saved-files.ts')
      return readSaved(file, io, ...forms)
    },
    async readUnread(file, baseUrl) {
      const { readUnread } = await import('./files/saved-files.ts')
      return readUnread(file, baseUrl, io)
    },
    async readWeights(file) {
      const { parseWeights } = await import('../config/weights.ts')
      const { readInput } = await import('./files/files.ts')
      return parseWeights(await readInput(file, io.cwd, fileLimits.weights), file)
    },
    async openRecord(file, bytes) {
      const { openRecord } = await import('./files/saved-files.ts')
      return openRecord(file, io.cwd, bytes)
    },
    async readRevision(name, fleet) {
      const { revisionOf } = await import('./files/git.ts')
      return revisionOf(name, fleet, io)
    }
  }
}

/** Throws (exit 3) if there is no terminal to ask for confirmation. */
export function requireTerminal(
  io: Pick<Io, 'stdin' | 'stderr'>,
  command = 'apply',
  refused = 'nothing was sent'
): void {
  if (isTerminal(io)) return
  throw new Failure(
    exit.wrongInput,
    `cannot ask for confirmation: not a terminal; ${refused}`,
    `give --yes to ${command} without confirmation`
  )
}

/** Throws (exit 3) if the changes of `--confirm-within` could not be confirmed, or not be put back later. */
export async function requireConfirmation(
  { confirmWithin, confirmFile, record }: RolloutOptions & { readonly record?: string },
  io: Pick<Io, 'stdin' | 'stderr' | 'cwd'>
): Promise<void> {
  const wrong = (message: string, hint?: string) => new Failure(exit.wrongInput, message, hint)
  if (confirmWithin === undefined) {
    if (confirmFile === undefined) return
    throw wrong('expected --confirm-within with --confirm-file; nothing was sent')
  }
  if (record === undefined) {
    const hint = 'give --record FILE: `wlanctl revert FILE` finishes a run that is killed'
    throw wrong('expected --record with --confirm-within; nothing was sent', hint)
  }
  if (confirmFile === undefined) {
    if (isTerminal(io)) return
    const hint = 'give --confirm-file FILE, and create the file to confirm'
    throw wrong('cannot ask for --confirm-within: not a terminal; nothing was sent', hint)
  }
  const { isPresent } = await import('./files/files.ts')
  if (!(await isPresent(confirmFile, io.cwd))) return
  throw wrong(`--confirm-file ${confirmFile} already exists; nothing was sent`, 'remove the file')
}

/**
 * Asks for confirmation on the terminal; returns only after a `yes`. Any other input, the end of the input
 * and Ctrl-C throw. While a terminal is read, it delivers Ctrl-C as a key, not as a signal.
 */
export async function confirm({ question, done, refused }: Confirmation, io: Io): Promise<void> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  let interrupted = false
  const closed = new Promise<undefined>(resolve => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => {
      interrupted = true
      lines.close()
    })
  })
  try {
    const prompt = `${question} Enter "yes" to confirm: `
    const reply = await Promise.race([lines.question(prompt, { signal: io.interrupted }), closed])
    if (reply === undefined) await writeLine(io, '')
    if (reply?.trim() === 'yes') return
  } finally {
    lines.close()
  }
  if (interrupted) throw new Failure(exit.interrupted, `interrupted; ${refused}`)
  throw new Failure(exit.refused, `not ${done}; ${refused}`)
}
