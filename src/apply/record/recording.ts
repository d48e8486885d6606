import { randomBytes } from 'node:crypto'
import { exit, Failure } from '../../model/failure.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { PlannedChange } from '../../model/plan.ts'
import { noRecorder, type Recorder } from './recorder.ts'
import { type RecordSink, type RunFacts, RunRecorder } from './write.ts'

/** An open record. Text is appended atomically at the end, even if other processes append to it. */
export interface RecordFile extends RecordSink {
  close(): Promise<void>
}

/** The services that recording needs from its caller. */
interface RecordHost extends Pick<RunFacts, 'tool' | 'now'> {
  /** Opens a record to append about this many bytes, and creates it if needed. Throws a `Failure`. */
  openRecord(file: string, bytes: number): Promise<RecordFile>
  /** Prints a line on stderr. */
  printLine(line: string): Promise<void>
}

/** The record of a run, from the planned changes to the end. */
export interface Recording {
  readonly recorder: Recorder
  /** Records the end of the run, and warns if the record is incomplete. */
  end(outcomes: readonly Outcome[]): Promise<void>
  close(): Promise<void>
}

/** Records nothing. */
const noRecording: Recording = {
  recorder: noRecorder,
  end: async () => undefined,
  close: async () => undefined
}

/**
 * Records the start of the run and its planned changes; nothing without a file. Throws (exit 1) if that fails,
 * before anything is sent.
 */
export async function startRecording(
  record: string | undefined,
  changes: readonly PlannedChange[],
  run: Pick<RunFacts, 'command' | 'base_url' | 'digest'>,
  { tool, now, openRecord, printLine }: RecordHost
): Promise<Recording> {
  if (record === undefined) return noRecording
  const file = await openRecord(record, recordSize(changes))
  const recorder = new RunRecorder(file, { run: randomBytes(4).toString('hex'), tool, now, ...run })
  await recorder.begin(changes)
  if (recorder.failure !== undefined) {
    await file.close()
    const message = `${record} could not be written: ${recorder.failure}; nothing was sent`
    throw new Failure(exit.failed, message)
  }
  return {
    recorder,
    close: () => file.close(),
    async end(outcomes) {
      await recorder.end(outcomes)
      if (recorder.failure === undefined) return
      const problem = `${record} is incomplete, it could not be written: ${recorder.failure}`
      await printLine(`wlanctl: ${problem}`)
    }
  }
}

/** An upper estimate of the size of a change's steps in a record, in bytes, without the change itself. */
const STEPS_SIZE = 1500

function recordSize(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { change }) => sum + JSON.stringify(change).length + STEPS_SIZE, 0)
}
