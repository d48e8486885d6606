import { isObject } from '../../src/core/values/value.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { LoggedRequest } from '../../src/simulator/server.ts'
import type { StoredPut } from '../../src/simulator/store.ts'
import { meaning } from './expected.ts'
import type { ReportedOutcome } from './statements.ts'
import { type Fault, falseKind } from './verdict.ts'

/** A change of a WLAN on the service, by a run or by hand. */
export interface Write {
  readonly wlan: string
  /** The token of the run, or `hand`. */
  readonly by: string
  /** Milliseconds since 1970: the arrival of the request, or the time of the edit. */
  readonly at: number
  /** Absent for an edit by hand. */
  readonly body?: JsonObject
  readonly before: JsonObject
  readonly after: JsonObject
}

/** Values by the pointers of the fields; undefined for a field that is absent. */
export type Fields = ReadonlyMap<string, string | undefined>

/** What a run may write, and what it reports. */
export interface Writer {
  readonly token: string
  /** By the id of the WLAN. */
  readonly declared: ReadonlyMap<string, { readonly address: string; readonly fields: Fields }>
  /** Tokens of runs whose values this one may overwrite, such as that of a reverted run. */
  readonly undoes?: string
  /** When the run read the site of a WLAN for its plan; it may overwrite what was there then. */
  readonly plannedAt: (wlan: string) => number
  readonly outcomes: readonly ReportedOutcome[]
}

/**
 * A run that reads a WLAN at most a second before its update overwrites no older edit. The time between two
 * processes on a busy machine comes on top, in milliseconds.
 */
export const GRACE = 1_000 + 500

/**
 * The stored PUTs with the tokens that sent them, and the edits, in order: the service increases
 * `modified_time` with each write to a WLAN.
 */
export function ledger(
  history: readonly StoredPut[],
  requests: readonly LoggedRequest[],
  edits: readonly Write[]
): Write[] {
  const puts = requests.filter(({ method }) => method === 'PUT')
  const used = new Set<LoggedRequest>()
  const stored = history.map(({ wlan, body, before, after }): Write => {
    const text = JSON.stringify(body)
    const sent = puts.find(
      put => !used.has(put) && put.path.endsWith(wlan) && JSON.stringify(put.body) === text
    )
    if (sent === undefined) throw new Error(`no request stored the PUT of ${wlan}`)
    used.add(sent)
    const by = String(sent.headers.authorization).replace('Token ', '')
    return { wlan, by, at: sent.at, body, before, after }
  })
  const order = ({ after }: Write) => Number(after['modified_time'])
  return [...stored, ...edits].sort((a, b) => order(a) - order(b))
}

/** The faults of a run, by the writes to all WLANs and by its outcomes. */
export function judge(writes: readonly Write[], writer: Writer): Fault[] {
  const reported = new Map(writer.outcomes.map(outcome => [outcome.address, outcome]))
  const judged = Array.from(writer.declared, ([wlan, { address, fields }]) => {
    const all = writes.filter(write => write.wlan === wlan)
    const outcome = reported.get(address) ?? { address, status: 'skipped' }
    const story = new Story(all, writer, wlan, fields)
    return [...story.requestFaults(address), ...story.outcomeFaults(outcome)]
  })
  const strange = writes.filter(({ by, wlan }) => by === writer.token && !writer.declared.has(wlan))
  return [
    ...judged.flat(),
    ...strange.map(({ wlan }): Fault => ({ kind: 'collateral', text: `wrote to WLAN ${wlan}` }))
  ]
}

/** The number of edits that updates of the run overwrote, too young to be seen. */
export function lostEdits(writes: readonly Write[], writer: Writer): number {
  return Array.from(writer.declared, ([wlan, { fields }]) => {
    const all = writes.filter(write => write.wlan === wlan)
    return new Story(all, writer, wlan, fields).overwritten.filter(({ age }) => age <= GRACE).length
  }).reduce((sum, count) => sum + count, 0)
}

/** The writes to a WLAN from the view of a run. */
class Story {
  readonly #writes: readonly Write[]
  readonly #writer: Writer
  readonly #declared: Fields
  readonly #plannedAt: number
  readonly #own: readonly Write[]
  /** The values of the declared fields when the run read the WLAN for its plan. */
  readonly #former: Fields

  constructor(writes: readonly Write[], writer: Writer, wlan: string, fields: Fields) {
    this.#writes = writes
    this.#writer = writer
    this.#declared = fields
    this.#plannedAt = writer.plannedAt(wlan)
    this.#own = writes.filter(({ by }) => by === writer.token)
    const next = writes.find(({ at }) => at >= this.#plannedAt)
    const former = leaves(next?.before)
    this.#former = new Map([...fields.keys()].map(field => [field, former.get(field)]))
  }

  /** The fields with an edit that an update of the run overwrote, and the age of the edit then. */
  get overwritten(): { readonly field: string; readonly age: number; readonly values: string }[] {
    return this.#own.flatMap(write =>
      changed(write).flatMap(field => {
        const last = this.#foreignWrite(field, write)
        const isAsPlanned =
          this.#declared.has(field) && this.#former.get(field) === leaves(write.before).get(field)
        if (last === undefined || isAsPlanned) return []
        const story = this.#writes.map(
          ({ by, at, after }) => `${by} ${at - write.at} ${leaves(after).get(field)}`
        )
        return { field, age: write.at - last.at, values: story.join(', ') }
      })
    )
  }

  requestFaults(address: string): Fault[] {
    const overwritten = this.overwritten
      .filter(({ age }) => age > GRACE)
      .map(({ field, age, values }): Fault => {
        const text = `${address} ${field}, edited ${age} ms before: ${values}`
        return { kind: 'overwritten', text }
      })
    const collateral = this.#own.flatMap(write =>
      changed(write)
        .filter(field => !this.#mayChange(field, write))
        .map((field): Fault => ({ kind: 'collateral', text: `${address} ${field}` }))
    )
    const effective = this.#own.filter(write => changed(write).length > 0)
    const bodies = effective.map(({ body }) => meaning(body))
    const isTwice = new Set(bodies).size < bodies.length
    const twice: Fault[] = isTwice ? [{ kind: 'stored twice', text: address }] : []
    return [...overwritten, ...collateral, ...twice]
  }

  outcomeFaults(outcome: ReportedOutcome): Fault[] {
    const problem = this.#problemOf(outcome)
    if (problem === undefined) return []
    const { address, status, reason = '' } = outcome
    return [{ kind: falseKind(status), text: `${address} is ${status} (${reason}): ${problem}` }]
  }

  /** Why the outcome is false; undefined if it is not. */
  #problemOf({ status }: ReportedOutcome): string | undefined {
    const last = this.#own.at(-1)
    switch (status) {
      case 'applied':
        if (last === undefined) return 'not written'
        return this.#isAsDeclared(last.after) ? undefined : 'the last update was another one'
      case 'unchanged':
        if (last !== undefined) return 'written'
        return this.#writes.some(({ after }) => this.#isAsDeclared(after))
          ? undefined
          : 'it was not as declared'
      case 'stale':
        if (last !== undefined) return 'written'
        return this.#wasEdited(this.#plannedAt) ? undefined : 'no declared field was edited'
      case 'diverged':
        if (last === undefined) return 'not written'
        return this.#wasEdited(last.at) ? undefined : 'no declared field was edited'
      case 'unknown':
        return undefined
      default:
        return last === undefined ? undefined : 'written'
    }
  }

  #isAsDeclared(record: JsonObject): boolean {
    const found = leaves(record)
    return [...this.#declared].every(([field, value]) => found.get(field) === value)
  }

  #wasEdited(since: number): boolean {
    return this.#writes.some(
      write =>
        this.#isForeign(write) &&
        write.at >= since &&
        changed(write).some(field => this.#declared.has(field))
    )
  }

  #isForeign({ by }: Write): boolean {
    return by !== this.#writer.token && by !== this.#writer.undoes
  }

  /** The last write to the field before this one, if it was an edit after the plan of the run. */
  #foreignWrite(field: string, until: Write): Write | undefined {
    const earlier = this.#writes.slice(0, this.#writes.indexOf(until))
    const last = earlier.findLast(write => changed(write).includes(field))
    if (last === undefined || !this.#isForeign(last)) return undefined
    return last.at >= this.#plannedAt ? last : undefined
  }

  /** True if the field is declared and gets its declared value, or had a young edit. */
  #mayChange(field: string, write: Write): boolean {
    const value = leaves(write.after).get(field)
    if (this.#declared.get(field) === value && this.#declared.has(field)) return true
    return this.#foreignWrite(field, write) !== undefined
  }
}

/** The fields that a write changed. */
function changed({ before, after }: Write): string[] {
  const [old, now] = [leaves(before), leaves(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    field => field !== '/modified_time' && old.get(field) !== now.get(field)
  )
}

/** The values of a record that are no objects, by pointer; absent ones are left out. */
export function leaves(value: Json | undefined, pointer = ''): Map<string, string> {
  if (isObject(value)) {
    const parts = Object.entries(value).map(([name, inner]) => leaves(inner, `${pointer}/${name}`))
    return new Map(parts.flatMap(part => [...part]))
  }
  const text = meaning(value)
  return text === 'nothing' ? new Map() : new Map([[pointer, text]])
}
