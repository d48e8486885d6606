/** Does a piece of work when its turn comes. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Lets so many pieces of work run at once; the others wait in the order they came. What waits here
 * has no deadline running yet, unlike what waits for a connection.
 */
export function semaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = limit
  return async work => {
    if (free > 0) free -= 1
    else await new Promise<void>(go => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
