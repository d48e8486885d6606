import type { Wave } from '../../core/model/desired.ts'
import { reasonOf } from '../../core/model/failure.ts'
import { type Outcome, type OutcomeData, type Tally, tally } from '../../core/model/outcome.ts'
import type { Change, PlannedChange } from '../../core/model/plan.ts'
import { digestOf } from '../../core/plan/digest.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { lostSecrets } from './restore.ts'

export const FORMAT = 'wlanctl-record/1'

/**
 * The lines of a record (`schemas/record.schema.json`), in their order.
 *
 * | step          | written                                                                  |
 * |---------------|--------------------------------------------------------------------------|
 * | `begin`       | first; the only one with a `format`                                      |
 * | `planned`     | once for each change, before the first request                           |
 * | `wave-begins` | before the first change of a wave, if there are waves                    |
 * | `sending`     | before an update is sent, and the read before it; the first one is durable by then |
 * | `answered`    | when the service responded, or the request failed                        |
 * | `read`        | after the WLAN was read back                                             |
 * | `outcome`     | when the outcome of the change is known                                  |
 * | `wave-ends`   | when all changes of a wave are done and its result is known              |
 * | `end`         | last                                                                     |
 */
export type RecordLine = Begin | Planned | WaveStep | ChangeStep | End

export interface Begin {
  readonly format: typeof FORMAT
  readonly run: string
  readonly step: 'begin'
  readonly at: string
  readonly tool: string
  readonly command: 'apply' | 'revert'
  readonly base_url: string
  /** Of the plan that was shown. */
  readonly digest: string
  /** Of the `planned` lines, which may be fewer than the changes of that plan. */
  readonly changes_digest: string
  readonly changes: number
  /** The waves of that plan; absent if it has none. */
  readonly rollout?: readonly Wave[]
}

export interface Planned {
  readonly run: string
  readonly step: 'planned'
  readonly change: Change
  readonly lost_secrets?: readonly Pointer[]
}

export type WaveStep = {
  readonly run: string
  readonly at: string
  /** Its name; absent for the last wave, of the sites in no declared wave. */
  readonly wave?: string
} & (
  | { readonly step: 'wave-begins'; readonly changes: number }
  /** `problem`: the reason why no later wave starts; absent after a successful wave. */
  | { readonly step: 'wave-ends'; readonly problem?: string }
)

export type ChangeStep = {
  readonly run: string
  readonly at: string
  readonly address: string
} & (
  | { readonly step: 'sending'; readonly attempt: number }
  | { readonly step: 'answered'; readonly error?: string }
  | { readonly step: 'read'; readonly seen: 'applied' | 'diverged' | 'unread' }
  | ({ readonly step: 'outcome' } & OutcomeData)
)

type Step = ChangeStep | WaveStep

/** A step without the members that every step has. */
export type RunStep = Step extends infer Each
  ? Each extends Step
    ? Omit<Each, 'run' | 'at'>
    : never
  : never

/** An update is about to be sent. */
export type StartStep = Extract<RunStep, { readonly step: 'sending' }>

export interface End {
  readonly run: string
  readonly step: 'end'
  readonly at: string
  readonly summary: Tally
  /** The reason why the run stopped before its last change or failed a check; absent if it did neither. */
  readonly problem?: string
}

/** The destination of the lines of a record. */
export interface RecordSink {
  /** Appends with one write, which survives the end of the process. Throws if that fails. */
  append(text: string): void
  /** Resolves when the appended text is durable: it survives a power failure. */
  flush(): Promise<void>
}

/** The facts about a run as a whole. */
export interface RunFacts
  extends Pick<Begin, 'run' | 'tool' | 'command' | 'base_url' | 'digest' | 'rollout'> {
  readonly now: () => Date
}

/**
 * Records one run. Every line is written immediately, so a killed run loses none. The record is durable
 * before each update is sent: a power failure can lose only the last lines of changes, whose outcome is then
 * unknown.
 */
export class RunRecorder {
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

  /** Writes the planned changes; call it before the first update. */
  async begin(planned: readonly PlannedChange[]): Promise<void> {
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
    this.#write([begin, ...plans])
    await this.#flush()
  }

  record(step: RunStep): void {
    const { step: name, ...rest } = step
    this.#write([{ run: this.#facts.run, step: name, at: this.#now(), ...rest } as RecordLine])
  }

  async starting(step: StartStep): Promise<void> {
    this.record(step)
    if (step.attempt === 1) await this.#flush()
  }

  /** Writes the end of the run, with the reason why it stopped; call it after the last outcome. */
  async end(outcomes: readonly Outcome[], problem?: string): Promise<void> {
    const { run } = this.#facts
    const end = { run, step: 'end', at: this.#now(), summary: tally(outcomes) } as const
    this.#write([{ ...end, ...compact({ problem }) }])
    await this.#flush()
  }

  /** Stops writing after the first failed write. */
  #write(lines: readonly RecordLine[]): void {
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
