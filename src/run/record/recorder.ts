import { randomBytes } from 'node:crypto'
import { exit, Failure, reasonOf } from '../../core/model/failure.ts'
import { type Outcome, tally } from '../../core/model/outcome.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import { digestOf } from '../../core/plan/digest.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import {
  type Begin,
  type ChangeStep,
  FORMAT,
  type RecordLine,
  type RunStep,
  type StartStep
} from './lines.ts'
import { lostSecrets } from './restore.ts'

/** What a change has of the recorder of its run. */
export type Recorder = Pick<RunRecorder, 'failure' | 'record' | 'starting'>

export interface RecordSink {
  /** Appends with one write, which survives the end of the process. Throws if that fails. */
  append(text: string): void
  /** Resolves when the appended text is durable: it survives a power failure. */
  flush(): Promise<void>
}

/** An open record. Text is appended atomically at the end, even if other processes append to it. */
export interface RecordFile extends RecordSink {
  close(): Promise<void>
}

export interface OpenRecord {
  readonly file: string
  /** Opens the record to append about this many bytes, and creates it if needed. Throws a `Failure`. */
  readonly open: (bytes: number) => Promise<RecordFile>
}

interface RunFacts
  extends Pick<Begin, 'run' | 'tool' | 'command' | 'base_url' | 'digest' | 'rollout'> {
  readonly now: () => Date
}

/**
 * Keeps the steps of each change for the report of a run, and writes them to its record, if it has one. Every line is
 * written immediately, so a killed run loses none. The record is durable before each update is sent: a power failure can
 * lose only the last lines of changes, whose outcome is then unknown.
 */
export class RunRecorder {
  readonly #sink: RecordSink | undefined
  readonly #facts: RunFacts
  readonly #timeline = new Map<string, TimelineEvent[]>()
  #failure: string | undefined

  constructor(sink: RecordSink | undefined, facts: RunFacts) {
    this.#sink = sink
    this.#facts = facts
  }

  /** After this error nothing more can be recorded, so nothing new starts. */
  get failure(): string | undefined {
    return this.#failure
  }

  get timeline(): ReadonlyMap<string, readonly TimelineEvent[]> {
    return this.#timeline
  }

  /** Writes the planned changes; call it before the first update. */
  async begin(planned: readonly PlannedChange[]): Promise<void> {
    await this.#flush(() => this.#beginning(planned))
  }

  record(step: RunStep): void {
    this.#write(() => [this.#step(step)])
  }

  /** Records an update before it is sent. Resolves when it is durable that the change was started. */
  async starting(step: StartStep): Promise<void> {
    if (step.attempt === 1) await this.#flush(() => [this.#step(step)])
    else this.record(step)
  }

  /** Writes the end of the run, with the reason why it stopped; call it after the last outcome. */
  async end(outcomes: readonly Outcome[], problem?: string): Promise<void> {
    const { run } = this.#facts
    const summary = tally(outcomes)
    await this.#flush(() => [
      { run, step: 'end', at: this.#now(), summary, ...compact({ problem }) }
    ])
  }

  #beginning(planned: readonly PlannedChange[]): RecordLine[] {
    const { run, tool, command, base_url, digest, rollout } = this.#facts
    const sorted = [...planned].sort((a, b) => byCodeUnit(a.address, b.address))
    const changes = sorted.map(({ change }) => change)
    const begin: RecordLine = {
      format: FORMAT,
      run,
      step: 'begin',
      at: this.#now(),
      tool,
      command,
      base_url,
      digest,
      changes_digest: digestOf({ base_url, changes }),
      changes: changes.length,
      ...compact({ rollout })
    }
    const plans = sorted.map(({ change, live }): RecordLine => {
      const lost = lostSecrets(live.record, change.request.body)
      return { run, step: 'planned', change, ...(lost.length === 0 ? {} : { lost_secrets: lost }) }
    })
    return [begin, ...plans]
  }

  #step({ step, ...rest }: RunStep): RecordLine {
    const line = { run: this.#facts.run, step, at: this.#now(), ...rest } as RecordLine
    if ('address' in line) {
      const events = this.#timeline.get(line.address) ?? []
      this.#timeline.set(line.address, [...events, timelineEvent(line)])
    }
    return line
  }

  #write(linesOf: () => readonly RecordLine[]): void {
    try {
      const lines = linesOf()
      if (this.#failure !== undefined) return
      this.#sink?.append(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    } catch (error) {
      this.#failure ??= reasonOf(error)
    }
  }

  async #flush(linesOf: () => readonly RecordLine[]): Promise<void> {
    this.#write(linesOf)
    if (this.#failure !== undefined) return
    try {
      await this.#sink?.flush()
    } catch (error) {
      this.#failure = reasonOf(error)
    }
  }

  #now(): string {
    return this.#facts.now().toISOString()
  }
}

export function timelineEvent(step: ChangeStep): TimelineEvent {
  return { at: step.at, step: step.step, ...compact({ note: noteOf(step) }) }
}

function noteOf(step: ChangeStep): string | undefined {
  switch (step.step) {
    case 'sending':
      return step.attempt > 1 ? `attempt ${step.attempt}` : undefined
    case 'answered':
      return step.error
    case 'read':
      return step.seen
    case 'outcome':
      return undefined
  }
}

/**
 * Records the planned changes if there is a file, which `close` closes. Throws (exit 1) if that fails, before
 * anything is sent.
 */
export async function startRecording(
  record: OpenRecord | undefined,
  changes: readonly PlannedChange[],
  facts: Omit<RunFacts, 'run'>
): Promise<{ recorder: RunRecorder; close: () => Promise<void> }> {
  const file = await record?.open(recordSize(changes))
  const close = async () => file?.close()
  const recorder = new RunRecorder(file, { ...facts, run: randomBytes(4).toString('hex') })
  if (record === undefined) return { recorder, close }
  await recorder.begin(changes)
  const { failure } = recorder
  if (failure === undefined) return { recorder, close }
  await close()
  throw new Failure(
    exit.failed,
    `${record.file} could not be written: ${failure}; nothing was sent`
  )
}

/** An upper estimate of the size of a change's steps in a record, in bytes, without the change itself. */
const STEPS_SIZE = 1500

function recordSize(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { change }) => sum + JSON.stringify(change).length + STEPS_SIZE, 0)
}
