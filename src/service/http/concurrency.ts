import { setImmediate } from 'node:timers/promises'
import { groupsBy } from '../../core/values/collections.ts'

/** Milliseconds of work for which signals, timers and responses wait at most. */
const YIELD_EVERY = 20

/** The function yields to the event loop if `every` milliseconds have passed since it last did. */
export function yieldPeriodically(every = YIELD_EVERY): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < every) return
    await setImmediate()
    last = performance.now()
  }
}

/**
 * Runs a task for each item in order, at most `limit` at the same time; returns the results in the order of
 * the items. After the first error it starts no other task, and throws the error when the running tasks have
 * settled.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  let failed = false
  const yieldIfDue = yieldPeriodically()
  const worker = async () => {
    for (const [index, item] of queue) {
      if (failed) return
      try {
        results[index] = await task(item)
        await yieldIfDue()
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker)
  const settled = await Promise.allSettled(workers)
  const rejected = settled.find(result => result.status === 'rejected')
  if (rejected !== undefined) throw rejected.reason
  return results
}

/**
 * Runs a task for each item: groups of items in parallel, as `inParallel` does, and the items of a group one
 * after the other. Returns the results by group, in the order of the groups' first items.
 */
export async function inParallelGroups<Item, Result>(
  items: readonly Item[],
  groupOf: (item: Item) => string,
  limit: number,
  task: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const yieldIfDue = yieldPeriodically()
  const groups = groupsBy(items, groupOf)
  const results = await inParallel(groups, limit, async group => {
    const done: Result[] = []
    for (const item of group) {
      done.push(await task(item))
      await yieldIfDue()
    }
    return done
  })
  return results.flat()
}

/** Holders wait in order. No timeout runs here, unlike while a request waits for a connection. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(limit: number) {
    this.#free = limit
  }

  /** Resolves when the caller may proceed; it must call `release` afterwards. */
  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>(resume => this.#waiting.push(resume))
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
