import { expect, it } from 'vitest'
import { clockUntil } from '../../src/api/clock.ts'

it('sleep waits for the full time, and returns true', async () => {
  const clock = clockUntil(new AbortController().signal)
  const before = clock.now()
  expect(await clock.sleep(20)).toBe(true)
  expect(clock.now()).toBeGreaterThan(before)
})

it('sleep ends as soon as the run is aborted', async () => {
  const abortController = new AbortController()
  const clock = clockUntil(abortController.signal)
  const sleeping = clock.sleep(600_000)
  abortController.abort()
  expect(await sleeping).toBe(false)
  expect(await clock.sleep(600_000)).toBe(false)
})
