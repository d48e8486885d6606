import type { WorkflowHost } from '../workflow/host.ts'
import { tool } from './context.ts'
import { type Io, writeLine } from './io.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'
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
    abortSignal: io.abortSignal,
    printLine: line => writeLine(io, line),
    printNotice: async line => (options.quiet ? undefined : writeLine(io, line)),
    reportRejectedInput(findings) {
      const write = options.format === 'text' ? writeReportToStderr : writeReport
      return write({ kind: 'findings', findings }, options, io)
    },
    writeOutcomes: report => writeOutcomes(report, options, io),
    async confirm(confirmation) {
      const { confirm } = await import('./confirm.ts')
      return confirm(confirmation, io)
    },
    async awaitConfirmation(request) {
      const { awaitConfirmation } = await import('./confirm.ts')
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
