import { byCodeUnit } from '../../model/collections.ts'
import { reasonOf } from '../../model/failure.ts'
import { type Outcome, outcomeData, tally } from '../../model/outcome.ts'
import type { Change, PlannedChange } from '../../model/plan.ts'
import { digestOf } from '../../plan/digest.ts'
import type { PlannedWave } from '../../plan/rollout.ts'
import type { Verified } from '../verify.ts'
import { type Begin, FORMAT, type RecordLine, type Step, type WaveStep } from './lines.ts'
import { lostSecrets } from './lost.ts'

/**
 * Told of the steps of a change, before and after they happen. They are the points at which the tests let
 * a run die, too (`test/apply/failpoints.test.ts`).
 */
export interface Recorder {
  /** Why nothing more can be recorded; undefined as long as it can. Nothing new is started then. */
  readonly failure: string | undefined
  /** An update is about to be sent; resolves when that would outlive a loss of power. */
  sending(change: Change, attempt: number): Promise<void>
  /** `error` is undefined where the service accepted the update. */
  answered(change: Change, error: unknown): void
  readBack(change: Change, seen: Verified): void
  waveBegins(wave: PlannedWave): void
  /** `problem` is why no other wave may begin; undefined after a good one. */
  waveEnds(wave: PlannedWave, problem: string | undefined): void
  settled(outcome: Outcome): void
}

/** Records nothing. */
export const noRecorder: Recorder = {
  failure: undefined,
  sending: async () => undefined,
  answered: () => undefined,
  readBack: () => undefined,
  waveBegins: () => undefined,
  waveEnds: () => undefined,
  settled: () => undefined
}

/** Where the lines of a record go. */
export interface RecordSink {
  /** Appends a text, with one write; it outlives the process when this returns. Throws if it cannot. */
  append(text: string): void
  /** Resolves when what was appended outlives a loss of power, too. */
  flush(): Promise<void>
}

/** What is said of a run as a whole. */
export interface RunFacts extends Pick<Begin, 'run' | 'tool' | 'command' | 'base_url'> {
  readonly now: () => Date
}

/**
 * Records one run. Every line is written at once, so that a run that is killed loses none of them. On
 * the disk it is before each update is sent: what a loss of power takes away is no more than the ends
 * of changes, which then count as unknown.
 */
export class RunRecorder implements Recorder {
  readonly #sink: RecordSink
  readonly #facts: RunFacts
  #failure: string | undefined

  constructor(sink: RecordSink, facts: RunFacts) {
    this.#sink = sink
    this.#facts = facts
  }

  get failure(): string | undefined {
    return this.#failure
  }

  /** Writes what the run is about to do; to be called before anything is sent. */
  async begin(planned: readonly PlannedChange[]): Promise<void> {
    const { run, tool, command, base_url } = this.#facts
    const sorted = [...planned].sort((a, b) => byCodeUnit(a.address, b.address))
    const changes = sorted.map(({ change }) => change)
    const digest = digestOf(base_url, changes)
    const begin: RecordLine = {
      format: FORMAT,
      run,
      step: 'begin',
      at: this.#now(),
      tool,
      command,
      base_url,
      digest,
      changes: changes.length
    }
    const plans = sorted.map(({ change, live }): RecordLine => {
      const lost = lostSecrets(live.record, change.request.body)
      return { run, step: 'planned', change, ...(lost.length === 0 ? {} : { lost_secrets: lost }) }
    })
    this.#write(begin, ...plans)
    await this.#flush()
  }

  async sending({ address }: Change, attempt: number): Promise<void> {
    this.#write(this.#step({ step: 'sending', address, attempt }))
    await this.#flush()
  }

  answered({ address }: Change, error: unknown): void {
    const said = error === undefined ? {} : { error: reasonOf(error) }
    this.#write(this.#step({ step: 'answered', address, ...said }))
  }

  readBack({ address }: Change, { status }: Verified): void {
    this.#write(this.#step({ step: 'read', address, seen: status }))
  }

  waveBegins({ name: wave, changes }: PlannedWave): void {
    const { length } = changes
    this.#write(this.#step({ step: 'wave-begins', ...(wave && { wave }), changes: length }))
  }

  waveEnds({ name: wave }: PlannedWave, problem: string | undefined): void {
    this.#write(
      this.#step({ step: 'wave-ends', ...(wave && { wave }), ...(problem && { problem }) })
    )
  }

  settled(outcome: Outcome): void {
    this.#write(this.#step({ step: 'outcome', ...outcomeData(outcome) }))
  }

  /** Writes how the run ended; to be called when all outcomes are told. */
  async end(outcomes: readonly Outcome[]): Promise<void> {
    const { run } = this.#facts
    this.#write({ run, step: 'end', at: this.#now(), summary: tally(outcomes) })
    await this.#flush()
  }

  #step(step: Untimed): RecordLine {
    const { step: name, ...rest } = step
    return { run: this.#facts.run, step: name, at: this.#now(), ...rest } as RecordLine
  }

  /** After the first line that could not be written, no other is: the record ends there. */
  #write(...lines: readonly RecordLine[]): void {
    if (this.#failure !== undefined) return
    try {
      this.#sink.append(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    } catch (error) {
      this.#failure = reasonOf(error)
    }
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      await this.#sink.flush()
    } catch (error) {
      this.#failure = reasonOf(error)
    }
  }

  #now(): string {
    return this.#facts.now().toISOString()
  }
}

/** A step without what every step has. */
type Untimed = Step | WaveStep extends infer Each
  ? Each extends Step | WaveStep
    ? Omit<Each, 'run' | 'at'>
    : never
  : never
