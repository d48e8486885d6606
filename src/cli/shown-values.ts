import { changedPointers } from '../core/diff/diff.ts'
import type { Site } from '../core/model/desired.ts'
import { exit, Failure } from '../core/model/failure.ts'
import type { LiveWlan } from '../core/model/live.ts'
import { overlap, type Pointer } from '../core/values/pointer.ts'
import type { Reader } from '../service/client.ts'
import { inParallel } from '../service/http/concurrency.ts'

/** A live WLAN with values that the user saw. */
export interface ShownWlan {
  readonly address: string
  readonly site: Site
  readonly live: LiveWlan
  /** The values that the user saw: these and all below them. */
  readonly pointers: readonly Pointer[]
}

/**
 * Reads the WLANs again. Throws a `Failure` (exit 4) if a value that the user saw has changed; `undone`: the
 * consequence.
 */
export async function checkStillLive(
  shown: readonly ShownWlan[],
  reader: Pick<Reader, 'readWlan'>,
  parallelism: number,
  undone: string
): Promise<void> {
  const moved = await inParallel(shown, parallelism, async ({ address, site, live, pointers }) => {
    const { record } = await reader.readWlan(site, live.id)
    return changedPointers(live.record, record)
      .filter(at => pointers.some(pointer => overlap(at, pointer)))
      .map(at => `${address} ${at}`)
  })
  const [first, ...others] = moved.flat()
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw new Failure(
    exit.refused,
    `${first}${more} changed in the service after it was shown; ${undone}`,
    'run the command again'
  )
}
