import { diff } from '../../core/diff/diff.ts'
import type { DesiredSite } from '../../core/model/desired.ts'
import type { LiveWlan } from '../../core/model/live.ts'
import { member, type Value, type ValueObject } from '../../core/values/value.ts'
import type { Writer } from '../../service/client.ts'
import type { Clock } from '../../service/http/clock.ts'
import { LAG } from '../apply/verify.ts'
import type { PlanRequest } from '../make-plan.ts'

/** The values that a run restores in a WLAN, and the last time at which it is known to have had others. */
interface Restored {
  readonly fields: ValueObject
  /** In milliseconds of the run's clock. */
  readonly othersAt: number
  /** The `modified_time` of the record with the others; undefined if no read showed them. */
  readonly modified?: Value | undefined
}

/**
 * The service for a run that restores former values. Reads may lag behind writes: for that time after a WLAN had other
 * values, a read that shows the former ones is no proof that they are live again, so it is repeated when the time is over.
 * A later `modified_time` is a proof at once.
 */
export class RestoringService {
  readonly writer: Writer
  readonly #clock: Clock
  /** By the id of the WLAN in lower case. */
  readonly #restored = new Map<string, Restored>()

  constructor(writer: Writer, clock: Clock) {
    this.#clock = clock
    const reads: Pick<Writer, 'listWlans' | 'readWlan'> = {
      listWlans: site =>
        this.#proven(
          () => writer.listWlans(site),
          live => live.wlans
        ),
      readWlan: (site, id) =>
        this.#proven(
          () => writer.readWlan(site, id),
          live => [live]
        )
    }
    this.writer = Object.assign(Object.create(writer), reads)
  }

  /** Adds the WLANs of a site; `ages`: the milliseconds since each had other values, by address. */
  restore({ wlans }: DesiredSite, ages: (address: string) => number): void {
    for (const { id, address, fields } of wlans) {
      if (id === undefined || Object.keys(fields).length === 0) continue
      const othersAt = this.#clock.now() - Math.max(0, ages(address))
      this.#restored.set(id.toLowerCase(), { fields, othersAt })
    }
  }

  /** The same part of a site, whose WLANs are added: they have other values in the read that it is made from. */
  restoring(narrow: Narrow): Narrow {
    return (site, live) => {
      const part = narrow(site, live)
      this.restore(part, () => 0)
      for (const wlan of live.wlans) this.#provenAt(wlan)
      return part
    }
  }

  async #proven<Read>(
    read: () => Promise<Read>,
    wlansOf: (found: Read) => readonly LiveWlan[]
  ): Promise<Read> {
    const first = await read()
    const provenAt = wlansOf(first).reduce(
      (last, wlan) => Math.max(last, this.#provenAt(wlan)),
      NOW
    )
    if (provenAt === NOW) return first
    const wait = provenAt - this.#clock.now()
    if (wait > 0) await this.#clock.sleep(wait)
    const second = await read()
    for (const wlan of wlansOf(second)) this.#provenAt(wlan)
    return second
  }

  /** The time of the run's clock from which a read is a proof of what this one shows; `NOW` if this one is. */
  #provenAt({ id, record, readAt }: LiveWlan): number {
    const restored = this.#restored.get(id.toLowerCase())
    if (restored === undefined) return NOW
    const modified = member(record, 'modified_time')
    if (diff(restored.fields, record).patch.length > 0) {
      this.#restored.set(id.toLowerCase(), { ...restored, othersAt: this.#clock.now(), modified })
      return NOW
    }
    const { othersAt, modified: before } = restored
    const isLater = typeof modified === 'number' && typeof before === 'number' && modified > before
    return isLater || readAt >= othersAt + LAG ? NOW : othersAt + LAG
  }
}

const NOW = Number.NEGATIVE_INFINITY

type Narrow = NonNullable<PlanRequest['narrow']>
