import { expect } from 'vitest'
import { full } from './size.ts'

/** The kinds of incorrect runs, in the order of the table. */
const kinds = [
  'false applied',
  'false failed, skipped',
  'other false',
  'collateral',
  'overwritten',
  'stored twice',
  'left behind',
  'unreadable record',
  'wrong request'
] as const

export type Kind = (typeof kinds)[number]

/** An incorrect statement or request of a run. */
export interface Fault {
  readonly kind: Kind
  /** What happened, to which WLAN. */
  readonly text: string
}

/** Collects the faults of the runs of a campaign, so that they can be counted before the test fails. */
export class Verdict {
  readonly #name: string
  readonly #faults: Fault[] = []
  readonly #figures: Record<string, number> = {}
  #changes = 0

  constructor(name: string) {
    this.#name = name
  }

  /** Adds a run; `at` names it in messages. */
  add(at: string, changes: number, faults: readonly Fault[]): void {
    this.#changes += changes
    for (const { kind, text } of faults) this.#faults.push({ kind, text: `${at}: ${text}` })
  }

  count(figure: string, more = 1): void {
    this.#figures[figure] = (this.#figures[figure] ?? 0) + more
  }

  counted(figure: string): number {
    return this.#figures[figure] ?? 0
  }

  /** Prints the row of a full campaign. Fails if there is any fault, or if the campaign was too small. */
  end(leastChanges: number): void {
    const cells = [this.#name, this.#changes, ...kinds.map(kind => this.#of(kind).length)]
    const others = Object.entries(this.#figures).map(([what, number]) => `${number} ${what}`)
    const header = ['campaign', 'changes', ...kinds, 'of these'].join(' | ')
    if (full)
      process.stdout.write(`\n| ${header} |\n| ${cells.join(' | ')} | ${others.join(', ')} |\n`)
    const found = kinds.flatMap(kind => {
      const texts = this.#of(kind)
      return texts.length === 0 ? [] : [[kind, texts]]
    })
    expect(Object.fromEntries(found)).toEqual({})
    expect(this.#changes).toBeGreaterThanOrEqual(leastChanges)
  }

  #of(kind: Kind): string[] {
    return this.#faults.flatMap(fault => (fault.kind === kind ? fault.text : []))
  }
}

/** The kind of a false outcome. */
export function falseKind(status: string): Kind {
  switch (status) {
    case 'applied':
      return 'false applied'
    case 'failed':
    case 'skipped':
    case 'deferred':
      return 'false failed, skipped'
    default:
      return 'other false'
  }
}
