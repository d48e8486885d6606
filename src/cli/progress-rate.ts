import type { Clock } from '../api/clock.ts'

/** The pace is that of so many milliseconds of work before now. */
const WINDOW = 10_000

/** Less than so much work, or so few items, is no evidence of a pace. */
const LEAST_TIME = 3_000
const LEAST_ITEMS = 5

/** How many items were done after so many milliseconds of work. */
interface Sample {
  readonly worked: number
  readonly done: number
}

/**
 * How fast work goes on now, waits left out: over the last ten seconds, or as far back as it takes to see
 * five items.
 */
export class ProgressRate {
  readonly #clock: Pick<Clock, 'now'>
  #seen: number
  #worked = 0
  #samples: Sample[]

  /** `done` items are done before the clock starts, and say nothing of the pace. */
  constructor(clock: Pick<Clock, 'now'>, done: number) {
    this.#clock = clock
    this.#seen = clock.now()
    this.#samples = [{ worked: 0, done }]
  }

  /** The time since the last call was one of work, or of waiting; `done` items are done by now. */
  goOn(isWaiting: boolean, done: number): void {
    const now = this.#clock.now()
    if (!isWaiting) this.#worked += now - this.#seen
    this.#seen = now
    if (done === this.#samples.at(-1)?.done) return
    const first = this.#samples.findLastIndex(
      sample => this.#isOld(sample) && sample.done <= done - LEAST_ITEMS
    )
    this.#samples = [...this.#samples.slice(Math.max(first, 0)), { worked: this.#worked, done }]
  }

  /** Items in a second; undefined without evidence. */
  rate(done: number): number | undefined {
    if (this.#worked < LEAST_TIME) return undefined
    const enough = this.#samples.findLast(sample => sample.done <= done - LEAST_ITEMS)
    if (enough === undefined) return undefined
    const old = this.#samples.findLast(sample => this.#isOld(sample))
    if (old === undefined) return perSecond(this.#samples[0] ?? enough, this.#worked, done)
    if (old.done > enough.done) return perSecond(enough, this.#worked, done)
    return perSecond({ worked: this.#worked - WINDOW, done: old.done }, this.#worked, done)
  }

  #isOld({ worked }: Sample): boolean {
    return worked <= this.#worked - WINDOW
  }
}

function perSecond(from: Sample, worked: number, done: number): number | undefined {
  return worked > from.worked ? (1_000 * (done - from.done)) / (worked - from.worked) : undefined
}
