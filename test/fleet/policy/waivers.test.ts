import { expect, it } from 'vitest'
import { Waivers } from '../../../src/fleet/policy/waivers.ts'
import { RunTime } from '../../../src/fleet/usage.ts'

it('waivers whose globs take too long cover nothing more, which is an error', () => {
  let now = 0
  const time = new RunTime({ seconds: 10, clock: () => now })
  const until = { reason: 'no VLANs there', until: '2030-01-01' }
  const where = { place: { file: 'p.yaml', line: 4, column: 7 } }
  const waiver = { rule: 'r', site: 'lab*', ...until, ofPolicy: true, where }
  const waivers = new Waivers([waiver], undefined, time)
  const lab = () => ({ site: { id: 'x', name: 'lab-1' }, wlan: 'w' })
  const slowLab = {
    id: 'x',
    get name() {
      now += 11
      return 'lab-1'
    }
  }
  now += 100
  expect(waivers.covering('r', lab)).toEqual(until)
  expect(waivers.covering('r', () => ({ site: slowLab, wlan: 'w' }))).toEqual(until)
  expect(waivers.covering('r', lab)).toBeUndefined()
  expect(waivers.problems(() => true)).toMatchObject([{ code: 'GLOBS_TOO_LARGE', ...where }])
})
