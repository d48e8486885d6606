import { expect, it } from 'vitest'
import { clockUntil } from '../../src/api/clock.ts'

it('waits to the end, and says so', async () => {
  const clock = clockUntil(new AbortController().signal)
  const before = clock.now()
  expect(await clock.sleep(20)).toBe(true)
  expect(clock.now()).toBeGreaterThan(before)
})

it('waits no longer once the run is cut short', async () => {
  const cut = new AbortController()
  const clock = clockUntil(cut.signal)
  const sleeping = clock.sleep(600_000)
  cut.abort()
  expect(await sleeping).toBe(false)
  expect(await clock.sleep(600_000)).toBe(false)
})
