import { describe, expect, it } from 'vitest'
import type { Writer } from '../../src/api/client.ts'
import { noRecorder, type Recorder } from '../../src/apply/record/recorder.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { hq, setStage } from './support.ts'

const fleet = hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40, hide_ssid: true } })

/** The points of an apply at which a run may die: the steps that a record tells of. */
const failpoints = ['sending', 'answered', 'readBack', 'settled'] as const

type Failpoint = (typeof failpoints)[number]

const never = new Promise<never>(() => undefined)

/**
 * What a run has under which it dies at the nth time that it comes to a point: from then on nothing is sent or
 * recorded any more, and nobody hears of it again.
 */
function dyingAt(writer: Writer, point: Failpoint, nth: number) {
  let times = 0
  let die: () => void = () => undefined
  const died = new Promise<void>(resolve => {
    die = resolve
  })
  let isDead = false
  const pass = (here: Failpoint) => {
    if (here === point) times += 1
    if (here !== point || times !== nth) return
    isDead = true
    die()
  }
  const recorder: Recorder = {
    ...noRecorder,
    async sending() {
      pass('sending')
      if (isDead) await never
    },
    answered: () => pass('answered'),
    readBack: () => pass('readBack'),
    settled: () => pass('settled')
  }
  const dying: Pick<Writer, 'readWlan' | 'updateWlan'> = {
    readWlan: (...wlan) => (isDead ? never : writer.readWlan(...wlan)),
    updateWlan: (...update) => (isDead ? never : writer.updateWlan(...update))
  }
  return { recorder, writer: dying, died }
}

describe('a run that dies', () => {
  const deaths = failpoints.flatMap(point => [1, 2].map(nth => [point, nth] as const))

  it.each(deaths)(
    'at %s (%i) is made good by the next one, and nothing is written twice',
    async (point, nth) => {
      const { simulator, writer, plan, apply } = await setStage()
      const { died, ...dying } = dyingAt(writer, point, nth)
      void apply(await plan(fleet), dying)
      await died
      const outcomes = await apply(await plan(fleet))
      expect(outcomes.every(({ status }) => status === 'applied')).toBe(true)
      expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
      expect(simulator.record(HQ, GUEST)).toMatchObject({ vlan_id: 40, hide_ssid: true })
      expect(simulator.history.map(({ wlan }) => wlan).sort()).toEqual([CORP, GUEST].sort())
      expect(await plan(fleet)).toEqual([])
    }
  )
})
