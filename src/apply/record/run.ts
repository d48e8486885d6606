import { byCodeUnit } from '../../model/collections.ts'
import { type Outcome, outcomeFrom, statuses, tally } from '../../model/outcome.ts'
import type { RecordedChange, RecordedRun, RecordedWave } from '../../model/record.ts'
import { digestOf } from '../../plan/digest.ts'
import { problemOf, relabelled } from '../../plan/rederive.ts'
import {
  type Begin,
  type End,
  momentOf,
  type Planned,
  type RecordLine,
  type Step,
  type WaveStep
} from './lines.ts'

/** A change while the lines of its run are read. */
interface Entry {
  readonly planned: Planned
  readonly line: number
  readonly steps: Step[]
}

/** A run while its lines are read. */
export class RunReader {
  readonly #begin: Begin
  readonly #entries = new Map<string, Entry>()
  readonly #waves: RecordedWave[] = []
  #end: End | undefined

  constructor(begin: Begin) {
    this.#begin = begin
  }

  /** Takes the next line of the run; says what is wrong with it. */
  take(line: Exclude<RecordLine, Begin>, number: number): string | undefined {
    if (this.#end !== undefined) return 'its run has ended already'
    if (line.step === 'planned') return this.#plan(line, number)
    if (this.#entries.size < this.#begin.changes) return 'its run has more changes than are listed'
    switch (line.step) {
      case 'end':
        return this.#finish(line)
      case 'wave-begins':
      case 'wave-ends':
        return this.#move(line)
      default:
        return this.#follow(line)
    }
  }

  /** All that the lines have told. */
  told(): RecordedRun {
    const { run, command, tool, base_url, digest, at } = this.#begin
    return {
      id: run,
      command,
      tool,
      baseUrl: base_url,
      digest,
      started: at,
      ...(this.#end === undefined ? {} : { ended: this.#end.at }),
      ...(this.#waves.length === 0 ? {} : { waves: this.#waves }),
      changes: [...this.#entries.values()]
        .map(recordedChange)
        .sort((a, b) => byCodeUnit(a.change.address, b.change.address))
    }
  }

  #plan(planned: Planned, line: number): string | undefined {
    const { change } = planned
    const { changes, base_url, digest } = this.#begin
    if (this.#entries.has(change.address)) return `${change.address} is listed twice`
    if (this.#entries.size === changes) return 'its run has fewer changes than are listed'
    const problem = problemOf(change)
    if (problem !== undefined) return `${change.address} ${problem}`
    this.#entries.set(change.address, { planned, line, steps: [] })
    if (this.#entries.size < changes) return undefined
    const all = [...this.#entries.values()].map(entry => entry.planned.change)
    all.sort((a, b) => byCodeUnit(a.address, b.address))
    return digestOf(base_url, all) === digest
      ? undefined
      : 'the changes up to here do not match the digest of their run'
  }

  /** One wave ends before the next one begins. */
  #move(step: WaveStep): string | undefined {
    const last = this.#waves.at(-1)
    const open = last !== undefined && last.ended === undefined
    const name = step.wave === undefined ? {} : { name: step.wave }
    if (step.step === 'wave-begins') {
      if (open) return 'a wave has not ended, and another one begins'
      this.#waves.push({ ...name, changes: step.changes, started: step.at })
      return undefined
    }
    if (!open || last.name !== step.wave) return 'a wave ends that has not begun'
    const problem = step.problem === undefined ? {} : { problem: step.problem }
    this.#waves[this.#waves.length - 1] = { ...last, ended: step.at, ...problem }
    return undefined
  }

  #follow(step: Step): string | undefined {
    const entry = this.#entries.get(step.address)
    if (entry === undefined) return `its run has no change of ${step.address}`
    if (isOver(entry)) return `${step.address} has its outcome already`
    entry.steps.push(step)
    return undefined
  }

  #finish(end: End): string | undefined {
    const outcomes = this.told().changes.map(({ outcome }) => outcome)
    const open = [...this.#entries.values()].find(entry => !isOver(entry))
    if (open !== undefined) return `${open.planned.change.address} has no outcome`
    const counts = tally(outcomes)
    if (statuses.some(status => counts[status] !== (end.summary[status] ?? 0))) {
      return 'its sums are not those of the outcomes'
    }
    this.#end = end
    return undefined
  }
}

function isOver({ steps }: Entry): boolean {
  return steps.at(-1)?.step === 'outcome'
}

function recordedChange({ planned, line, steps }: Entry): RecordedChange {
  const last = steps.at(-1)
  const { lost_secrets = [] } = planned
  const change = relabelled(planned.change)
  return {
    change,
    lostSecrets: lost_secrets,
    outcome: last?.step === 'outcome' ? outcomeFrom(last) : openOutcome(change.address, last),
    ...(last === undefined ? {} : { at: last.at }),
    moments: steps.map(momentOf),
    line
  }
}

/** What is known of a change whose outcome is not in the record. */
function openOutcome(address: string, last: Step | undefined): Outcome {
  const open = { address, fields: [], sideEffects: [], notVerifiable: [] }
  const reason = `${lastWords(last)}, and there the record of the run ends`
  return { ...open, status: last === undefined ? 'skipped' : 'unknown', reason }
}

function lastWords(last: Step | undefined): string {
  switch (last?.step) {
    case undefined:
      return 'it was not begun'
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
