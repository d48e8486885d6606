import { setImmediate } from 'node:timers/promises'

/** Signals and timers wait for so long at most while work goes on, in milliseconds. */
const YIELD_EVERY = 20

/**
 * To be called between units of work: lets signals, timers and answers have their turn, once enough time has
 * passed since they had it.
 */
export function yielding(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < YIELD_EVERY) return
    await setImmediate()
    last = performance.now()
  }
}

/**
 * Runs a task for each item, at most `limit` at a time, in order of the items; gives the results in
 * that order. Stops starting tasks at the first one that throws, and throws that error once those
 * under way have settled.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  let failed = false
  const rest = yielding()
  const worker = async () => {
    for (const [place, item] of queue) {
      if (failed) return
      try {
        results[place] = await task(item)
        await rest()
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker)
  const settled = await Promise.allSettled(workers)
  const broken = settled.find(result => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return results
}
