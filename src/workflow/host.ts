import type { Reader } from '../api/client.ts'
import type { RecordSink } from '../apply/record/write.ts'
import type { Revision } from '../config/since/base.ts'
import type { Weights } from '../config/weights.ts'
import type { ExitCode } from '../model/failure.ts'
import type { Finding } from '../model/finding.ts'
import type { SavedForm } from '../plan/saved-file.ts'
import type { OutcomesReport } from '../report/report.ts'

/** What a workflow needs of the world around it, with the output options of the run bound; cli provides it. */
export interface WorkflowHost {
  /** The program and its version, for plans and records: `wlanctl/1.2.3`. */
  readonly tool: string
  readonly cwd: string
  readonly now: () => Date
  /** Aborted when the run must end: nothing new starts. */
  readonly interrupted: AbortSignal
  /** Aborted when requests under way must end, too. */
  readonly cut: AbortSignal
  /** Prints a line on stderr. */
  printLine(line: string): Promise<void>
  /** Prints a line on stderr; nothing with `--quiet`. */
  printNotice(line: string): Promise<void>
  /** Reports why the input is rejected, before the run ends. */
  reportRejectedInput(findings: readonly Finding[]): Promise<void>
  /** Writes the result of an apply; exit code 1 if some of it could not be written. */
  writeOutcomes(report: OutcomesReport): Promise<ExitCode>
  /** Returns after a yes; throws a `Failure` after any other answer. */
  confirm(confirmation: Confirmation): Promise<void>
  /** Waits for a confirmation: `yes` on the terminal, or the file. */
  awaitConfirmation(request: ConfirmationRequest): Promise<ConfirmationAnswer>
  /** From now on an interrupt cuts no request short; a second one does. */
  keepRequests(): void
  startProgress(task: ProgressTask): Progress
  /** Prints how many requests reading needs, if they are many or over the limit. */
  printEstimate(sites: number): Promise<void>
  /** The same for changes. */
  printChangeEstimate(changes: number, reader: Pick<Reader, 'requests'>): Promise<void>
  /** Prints how many requests the run made, what remains and how to continue. */
  printRequestSummary(remaining: RemainingWork, used: RequestUse): Promise<void>
  /** Reads a saved file in one of these forms. Throws a `Failure` (exit 3). */
  readSaved(file: string, ...forms: readonly [SavedForm, ...SavedForm[]]): Promise<SavedFile>
  /** Reads a file of `--weights`. Throws a `Failure` (exit 3). */
  readWeights(file: string): Promise<Weights>
  /** Opens a record to append about this many bytes to; creates it if needed. Throws a `Failure`. */
  openRecord(file: string, bytes: number): Promise<RecordFile>
  /** The files of a fleet as a revision of git has them. Throws a `Failure` (exit 3). */
  readRevision(name: string, fleet: string): Promise<Revision>
}

export interface Confirmation {
  /** E.g. `Apply these 3 changes?` */
  readonly question: string
  /** The participle of what a yes allows, e.g. `applied`. */
  readonly done: string
  /** What holds without a yes, e.g. `nothing was sent`. */
  readonly refused: string
}

/** The question whether the changes of a run stay. */
export interface ConfirmationRequest {
  /** E.g. `Keep these 3 changes?` */
  readonly question: string
  /** The longest wait. */
  readonly seconds: number
  /** Its creation is a yes. */
  readonly file?: string
}

export type ConfirmationAnswer = 'yes' | 'no' | 'expired' | 'interrupted'

/** Progress of a task, on stderr while it runs. */
export interface Progress {
  /**
   * Counts one more item as done; `--verbose` prints the text, which may come from outside. `found` adds to
   * the counts by result, e.g. `{ 'to change': 2 }`.
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
  /** How many items have a response, before a step is taken with it. */
  readonly answered?: () => number
}

/** What a run was to do, and how much of it remains. */
export interface RemainingWork {
  readonly sites: number
  readonly sites_failed: number
  readonly changes?: number
  readonly skipped?: number
  /** How another run does the rest; default: `--continue`. */
  readonly rest?: 'by shards' | 'in parts' | 'again'
}

/** The requests of a run. */
export type RequestUse = Pick<Reader, 'requests' | 'end'> & Partial<Pick<Reader, 'observerError'>>

export interface SavedFile {
  readonly form: SavedForm
  readonly value: unknown
}

/** An open record; appended text goes to its end, even if other processes append. */
export interface RecordFile extends RecordSink {
  close(): Promise<void>
}
