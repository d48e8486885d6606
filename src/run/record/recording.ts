import { randomBytes } from 'node:crypto'
import { exit, Failure } from '../../core/model/failure.ts'
import type { Outcome } from '../../core/model/outcome.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import { noRecorder, type Recorder } from './recorder.ts'
import { type RecordSink, type RunFacts, RunRecorder } from './write.ts'

/** An open record. Text is appended atomically at the end, even if other processes append to it. */
export interface RecordFile extends RecordSink {
  close(): Promise<void>
}

/** A record to append to. */
export interface OpenRecord {
  /** For messages. */
  readonly file: string
  /** Opens the record to append about this many bytes, and creates it if needed. Throws a `Failure`. */
  readonly open: (bytes: number) => Promise<RecordFile>
}

/** The record of a run, from the planned changes to the end. */
interface Recording {
  readonly recorder: Recorder
  /** Records the end of the run, with the reason why it stopped. */
  end(outcomes: readonly Outcome[], problem?: string): Promise<void>
  close(): Promise<void>
}

const noRecording: Recording = {
  recorder: noRecorder,
  end: async () => undefined,
  close: async () => undefined
}

/** Records the planned changes if there is a file. Throws (exit 1) if that fails, before anything is sent. */
export async function startRecording(
  record: OpenRecord | undefined,
  changes: readonly PlannedChange[],
  facts: Omit<RunFacts, 'run'>
): Promise<Recording> {
  if (record === undefined) return noRecording
  const file = await record.open(recordSize(changes))
  const recorder = new RunRecorder(file, { ...facts, run: randomBytes(4).toString('hex') })
  await recorder.begin(changes)
  if (recorder.failure !== undefined) {
    await file.close()
    const message = `${record.file} could not be written: ${recorder.failure}; nothing was sent`
    throw new Failure(exit.failed, message)
  }
  return {
    recorder,
    end: (outcomes, problem) => recorder.end(outcomes, problem),
    close: () => file.close()
  }
}

/** An upper estimate of the size of a change's steps in a record, in bytes, without the change itself. */
const STEPS_SIZE = 1500

function recordSize(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { change }) => sum + JSON.stringify(change).length + STEPS_SIZE, 0)
}
