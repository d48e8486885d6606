import { setImmediate } from 'node:timers'
import { expect, it } from 'vitest'
import { inParallel } from '../../../src/service/http/concurrency.ts'

/** Synchronous work. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

it('returns the results in the order of the items', async () => {
  const items = Array.from({ length: 100 }, (_, at) => at)
  expect(await inParallel(items, 7, async item => 2 * item)).toEqual(items.map(item => 2 * item))
})

it('lets a signal through between synchronous units of work', async () => {
  let isInterrupted = false
  let done = 0
  setImmediate(() => {
    isInterrupted = true
  })
  const items = Array.from({ length: 200 })
  await inParallel(items, 4, async () => {
    if (isInterrupted) return
    work(2)
    done += 1
  })
  expect(done).toBeGreaterThan(0)
  expect(done).toBeLessThan(100)
})

it('starts nothing after the first error, and throws it once the other units have settled', async () => {
  let begun = 0
  const items = Array.from({ length: 50 }, (_, at) => at)
  const running = inParallel(items, 2, async item => {
    begun += 1
    if (item === 3) throw new Error('the fourth')
  })
  await expect(running).rejects.toThrow('the fourth')
  expect(begun).toBeLessThan(10)
})
