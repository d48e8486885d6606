import { randomBytes } from 'node:crypto'
import type { Writer } from '../api/client.ts'
import { noRecorder, type Recorder } from '../apply/record/recorder.ts'
import { RunRecorder } from '../apply/record/write.ts'
import { openRecord } from '../cli/files/record-file.ts'
import { type Io, writeLine } from '../cli/io.ts'
import { tool } from '../cli/version.ts'
import { exit, Failure } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import type { PlannedChange } from '../model/plan.ts'

/** The record of a run. */
export interface Recording {
  readonly recorder: Recorder
  end(outcomes: readonly Outcome[]): Promise<void>
  close(): Promise<void>
}

/** Writes down what is about to be done; throws if that fails, for then nothing is done. */
export async function startRecording(
  { command, changes }: { command: 'apply' | 'revert'; changes: readonly PlannedChange[] },
  { baseUrl }: Pick<Writer, 'baseUrl'>,
  { record }: { readonly record?: string },
  io: Io
): Promise<Recording> {
  if (record === undefined) {
    return { recorder: noRecorder, end: async () => undefined, close: async () => undefined }
  }
  const file = await openRecord(record, io.cwd)
  const run = randomBytes(4).toString('hex')
  const facts = { run, tool: tool.name, command, base_url: baseUrl, now: io.now }
  const recorder = new RunRecorder(file, facts)
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
      await writeLine(
        io,
        `wlanctl: ${record} is incomplete, it could not be written: ${recorder.failure}`
      )
    }
  }
}
