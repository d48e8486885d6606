import type { Reader } from '../api/client.ts'
import type { RecordFile } from '../apply/record/recording.ts'
import type { Revision } from '../config/since/base.ts'
import type { ExitCode } from '../model/failure.ts'
import type { Finding } from '../model/finding.ts'
import type { Shard } from '../model/shard.ts'
import type { SavedForm } from '../plan/saved-file.ts'
import type { OutcomesReport } from '../report/report.ts'

/**
 * The services that a workflow needs from its caller, with the output options of the run; `cli` provides
 * them.
 */
export interface WorkflowHost {
  /** The program and its version, for plans and records: `wlanctl/1.2.3`. */
  readonly tool: string
  readonly cwd: string
  readonly now: () => Date
  /** Aborted when the run must stop: nothing new starts. */
  readonly interrupted: AbortSignal
  /** Aborted when requests in progress must stop, too. */
  readonly abortSignal: AbortSignal
  /** Prints a line on stderr. */
  printLine(line: string): Promise<void>
  /** Prints a line on stderr, unless `--quiet` is set. */
  printNotice(line: string): Promise<void>
  /** Reports the findings that make the input invalid, before the run ends. */
  reportRejectedInput(findings: readonly Finding[]): Promise<void>
  /** Writes the result of an apply; returns exit code 1 if part of it could not be written. */
  writeOutcomes(report: OutcomesReport): Promise<ExitCode>
  /** Returns after a yes; throws a `Failure` after any other answer. */
  confirm(confirmation: Confirmation): Promise<void>
  /** Waits for a confirmation: `yes` on the terminal, or the file. */
  awaitConfirmation(request: ConfirmationRequest): Promise<ConfirmationAnswer>
  /** From now on, the first interrupt aborts no request; the second one does. */
  keepRequests(): void
  startProgress(task: ProgressTask): Progress
  /** Prints the number of selected sites if an option selects a part of the fleet. */
  printSelection(sites: SelectedSites, by: PartOptions): Promise<void>
  /** Prints the number of read requests if it is large or over the limit. */
  printEstimate(sites: number): Promise<void>
  /** Prints the number of requests for the changes if it is large or over the limit. */
  printChangeEstimate(changes: number, reader: Pick<Reader, 'requests'>): Promise<void>
  /** Prints the number of requests of the run, the remaining work, and how to continue. */
  printRequestSummary(remaining: RemainingWork, used: RequestUse): Promise<void>
  /** Reads a saved file in one of these formats. Throws a `Failure` (exit 3). */
  readSaved(file: string, ...forms: readonly [SavedForm, ...SavedForm[]]): Promise<SavedFile>
  /**
   * Reads the ids of the sites that the run of a saved plan or snapshot could not read, in lower case. Throws a
   * `Failure` (exit 3), also for a file about another service than `baseUrl`.
   */
  readUnread(file: string, baseUrl: string | undefined): Promise<ReadonlySet<string>>
  /** Opens a record to append about this many bytes, and creates it if needed. Throws a `Failure`. */
  openRecord(file: string, bytes: number): Promise<RecordFile>
  /** Reads the files of a fleet from a revision of Git. Throws a `Failure` (exit 3). */
  readRevision(name: string, fleet: string): Promise<Revision>
}

/** The numbers of sites of a run and of its fleet. */
export interface SelectedSites {
  readonly selected: number
  readonly all: number
}

/** The options by which a run covers only a part of the fleet. */
export interface PartOptions {
  readonly shard?: Shard
  /** A revision of Git. */
  readonly changedSince?: string
  /** A file of an earlier run. */
  readonly continue?: string
}

export interface Confirmation {
  /** E.g. `Apply these 3 changes?` */
  readonly question: string
  /** The past participle for a message after a yes, e.g. `applied`. */
  readonly done: string
  /** The consequence of any other answer, e.g. `nothing was sent`. */
  readonly refused: string
}

/** The question whether to keep the changes of a run. */
export interface ConfirmationRequest {
  /** E.g. `Keep these 3 changes?` */
  readonly question: string
  /** The timeout in seconds. */
  readonly seconds: number
  /** Creating this file confirms the changes, too. */
  readonly file?: string
}

export type ConfirmationAnswer = 'yes' | 'no' | 'expired' | 'interrupted'

/** Progress of a task, on stderr while it runs. */
export interface Progress {
  /**
   * Counts one more item as done; `--verbose` prints the text, which is escaped. `found` adds to the counts
   * by result, e.g. `{ 'to change': 2 }`.
   */
  readonly step: (text: string, found?: Readonly<Record<string, number>>) => void
  readonly end: () => void
}

export interface ProgressTask {
  /** E.g. `reading sites`. */
  readonly doing: string
  readonly total: number
  /** Its waits for a rate limit are displayed. */
  readonly reader: Pick<Reader, 'waitUntil'>
  /** The number of items with a response, including those without a step yet. */
  readonly answered?: () => number
}

/** The task of a run, and the part of it that remains. */
export interface RemainingWork {
  readonly sites: number
  readonly sites_failed: number
  readonly changes?: number
  readonly skipped?: number
  /** The number of changes that the run put back. */
  readonly reverted?: number
  /** The number of changes whose result is unknown, which may remain, too. */
  readonly unknown?: number
  /** How another run can do the rest; default: with `--continue`. */
  readonly rest?: 'by shards' | 'in parts' | 'again'
}

/** The number of requests of a run, and why it ended early. */
export type RequestUse = Pick<Reader, 'requests' | 'end'> & Partial<Pick<Reader, 'observerError'>>

export interface SavedFile {
  readonly form: SavedForm
  readonly value: unknown
}
