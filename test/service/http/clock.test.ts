import { expect, it, onTestFinished } from 'vitest'
import { clockUntil } from '../../../src/service/http/clock.ts'

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

it('waits many times at once without a warning of Node', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  onTestFinished(() => {
    process.off('warning', onWarning)
  })
  const abortController = new AbortController()
  const clock = clockUntil(abortController.signal)
  const waits = Array.from({ length: 40 }, () => clock.sleep(60_000))
  await new Promise(resolve => setImmediate(resolve))
  abortController.abort()
  expect(await Promise.all(waits)).toEqual(waits.map(() => false))
  expect(warnings).toEqual([])
})
