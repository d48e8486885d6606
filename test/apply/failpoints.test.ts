import { describe, expect, it } from 'vitest'
import { noRecorder, type Recorder } from '../../src/apply/record/recorder.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { hq, setStage } from './support.ts'

const fleet = hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40, hide_ssid: true } })

/** The points of an apply at which a run may die: the steps that a record tells of. */
const failpoints = ['sending', 'answered', 'readBack', 'settled'] as const

type Failpoint = (typeof failpoints)[number]

/** A recorder under which the run dies at the nth time that it comes to a point. */
function dyingAt(point: Failpoint, nth: number): Recorder {
  let times = 0
  const die = (here: Failpoint) => {
    if (here !== point) return
    times += 1
    if (times === nth) throw new Error(`died at ${point}`)
  }
  return {
    ...noRecorder,
    sending: async () => die('sending'),
    answered: () => die('answered'),
    readBack: () => die('readBack'),
    settled: () => die('settled')
  }
}

describe('a run that dies', () => {
  const deaths = failpoints.flatMap(point => [1, 2].map(nth => [point, nth] as const))

  it.each(deaths)(
    'at %s (%i) is made good by the next one, and nothing is written twice',
    async (point, nth) => {
      const { simulator, plan, apply } = await setStage()
      const dying = apply(await plan(fleet), { recorder: dyingAt(point, nth) })
      await expect(dying).rejects.toThrow(`died at ${point}`)
      const outcomes = await apply(await plan(fleet))
      expect(outcomes.every(({ status }) => status === 'applied')).toBe(true)
      expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
      expect(simulator.record(HQ, GUEST)).toMatchObject({ vlan_id: 40, hide_ssid: true })
      expect(simulator.history.map(({ wlan }) => wlan).sort()).toEqual([CORP, GUEST].sort())
      expect(await plan(fleet)).toEqual([])
    }
  )
})
