import { type Outcome, statuses, tally } from '../../core/model/outcome.ts'
import type { RecordedChange, RecordedRun, RecordedWave } from '../../core/model/record.ts'
import { digestOf } from '../../core/plan/digest.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { changeProblem } from '../../files/saved-plan.ts'
import type { Begin, ChangeStep, End, Planned, RecordLine, WaveStep } from './lines.ts'
import { timelineEvent } from './recorder.ts'

interface Entry {
  readonly planned: Planned
  readonly line: number
  readonly steps: ChangeStep[]
}

export class RunReader {
  readonly #begin: Begin
  readonly #entries = new Map<string, Entry>()
  readonly #waves: RecordedWave[] = []
  #end: End | undefined

  constructor(begin: Begin) {
    this.#begin = begin
  }

  /** Adds the next line of the run. Returns the problem with the line, if any. */
  add(line: Exclude<RecordLine, Begin>, number: number): string | undefined {
    if (this.#end !== undefined) return 'its run has already ended'
    if (line.step === 'planned') return this.#addPlanned(line, number)
    if (this.#entries.size < this.#begin.changes) return 'its run lists fewer changes than it has'
    switch (line.step) {
      case 'end':
        return this.#setEnd(line)
      case 'wave-begins':
      case 'wave-ends':
        return this.#addWaveStep(line)
      default:
        return this.#addStep(line)
    }
  }

  recordedRun(): RecordedRun {
    const { run, command, tool, base_url, digest, at, rollout } = this.#begin
    return {
      id: run,
      command,
      tool,
      baseUrl: base_url,
      digest,
      started: at,
      ...compact({ ended: this.#end?.at, problem: this.#end?.problem, rollout }),
      ...(this.#waves.length === 0 ? {} : { waves: this.#waves }),
      changes: [...this.#entries.values()]
        .map(recordedChange)
        .sort((a, b) => byCodeUnit(a.change.address, b.change.address))
    }
  }

  #addPlanned(planned: Planned, line: number): string | undefined {
    const { change } = planned
    const { changes, base_url, changes_digest: digest } = this.#begin
    if (this.#entries.has(change.address)) return `${change.address} is listed twice`
    if (this.#entries.size === changes) return 'its run lists more changes than it has'
    const problem = changeProblem(change)
    if (problem !== undefined) return `${change.address} ${problem}`
    this.#entries.set(change.address, { planned, line, steps: [] })
    if (this.#entries.size < changes) return undefined
    const all = [...this.#entries.values()].map(entry => entry.planned.change)
    all.sort((a, b) => byCodeUnit(a.address, b.address))
    return digestOf({ base_url, changes: all }) === digest
      ? undefined
      : 'the changes up to here do not match the digest of their run'
  }

  #addWaveStep(step: WaveStep): string | undefined {
    const last = this.#waves.at(-1)
    const isRunning = last !== undefined && last.ended === undefined
    if (step.step === 'wave-begins') {
      if (isRunning) return 'a wave begins before the last one has ended'
      const { wave: name, changes, at: started } = step
      this.#waves.push({ ...compact({ name }), changes, started })
      return undefined
    }
    if (!isRunning || last.name !== step.wave) return 'a wave ends that did not begin'
    const { at: ended, problem } = step
    this.#waves[this.#waves.length - 1] = { ...last, ended, ...compact({ problem }) }
    return undefined
  }

  #addStep(step: ChangeStep): string | undefined {
    const entry = this.#entries.get(step.address)
    if (entry === undefined) return `its run has no change of ${step.address}`
    if (hasOutcome(entry)) return `${step.address} already has its outcome`
    entry.steps.push(step)
    return undefined
  }

  #setEnd(end: End): string | undefined {
    const outcomes = this.recordedRun().changes.map(({ outcome }) => outcome)
    const pending = [...this.#entries.values()].find(entry => !hasOutcome(entry))
    if (pending !== undefined) return `${pending.planned.change.address} has no outcome`
    const counts = tally(outcomes)
    if (statuses.some(status => counts[status] !== (end.summary[status] ?? 0))) {
      return 'its summary does not match the outcomes'
    }
    this.#end = end
    return undefined
  }
}

function hasOutcome({ steps }: Entry): boolean {
  return steps.at(-1)?.step === 'outcome'
}

function recordedChange({ planned, line, steps }: Entry): RecordedChange {
  const last = steps.at(-1)
  const { change, lost_secrets = [] } = planned
  return {
    change,
    lostSecrets: lost_secrets,
    outcome: outcomeFrom(change.address, steps),
    ...compact({ at: last?.at }),
    timeline: steps.map(timelineEvent),
    line
  }
}

/** The last step, or what it means for a change whose record ends before the outcome. */
function outcomeFrom(address: string, steps: readonly ChangeStep[]): Outcome {
  const last = steps.at(-1)
  if (last?.step === 'outcome') {
    const { run: _, step: __, at: ___, ...outcome } = last
    return outcome
  }
  const reason = `${describeStep(last)}, then the record of the run ends`
  const status = last === undefined ? 'skipped' : 'unknown'
  return { address, status, reason }
}

function describeStep(last: ChangeStep | undefined): string {
  switch (last?.step) {
    case undefined:
      return 'it did not start'
    case 'sending':
      return 'it was about to be sent'
    case 'answered':
      return last.error === undefined ? 'the service accepted it' : `it was sent (${last.error})`
    case 'read':
      return last.seen === 'unread'
        ? 'it could not be read back'
        : `it was read back (${last.seen})`
    case 'outcome':
      return last.status
  }
}
