import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../src/run/record/read.ts'
import { type Recorder, RunRecorder } from '../../../src/run/record/recorder.ts'
import { undoOf } from '../../../src/run/record/undo.ts'
import { planUndo, restoredSites } from '../../../src/run/record/undo-plan.ts'
import type { Writer } from '../../../src/service/client.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import { CORP, GUEST, HQ } from '../../simulator/simulate.ts'
import { hq, memorySink, noRecorder, recordFacts, setStage } from './support.ts'

const fleet = hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40, hide_ssid: true } })

/** The points of an apply at which a run may crash: the steps in a record. */
const failpoints = ['sending', 'answered', 'read', 'outcome'] as const

type Failpoint = (typeof failpoints)[number]

const never = new Promise<never>(() => undefined)

/** Crashes a run the nth time that it reaches a point: afterwards nothing is sent, recorded or reported. */
function dyingAt(writer: Writer, point: Failpoint, nth: number, base: Recorder = noRecorder) {
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
  const isPoint = (step: string): step is Failpoint => failpoints.some(each => each === step)
  // A step is recorded, unless the run has crashed; then the run may crash.
  const recorder: Recorder = {
    failure: undefined,
    record(step) {
      if (!isDead) base.record(step)
      if (isPoint(step.step)) pass(step.step)
    },
    async starting(step) {
      if (!isDead) await base.starting(step)
      pass(step.step)
      if (isDead) await never
    }
  }
  const dying: Pick<Writer, 'readWlan' | 'updateWlan'> = {
    readWlan: (...wlan) => (isDead ? never : writer.readWlan(...wlan)),
    updateWlan: (...update) => (isDead ? never : writer.updateWlan(...update))
  }
  return { recorder, writer: dying, died }
}

const deaths = failpoints.flatMap(point => [1, 2].map(nth => [point, nth] as const))

describe('a run that crashes', () => {
  it.each(deaths)(
    'at %s (%i) is completed by the next run, and nothing is written twice',
    async (point, nth) => {
      const { simulator, writer, plan, apply } = await setStage()
      const { died, recorder, writer: dead } = dyingAt(writer, point, nth)
      void apply(await plan(fleet), { recorder, writer: dead })
      await died
      const outcomes = await apply(await plan(fleet))
      expect(outcomes.every(({ status }) => status === 'applied')).toBe(true)
      expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
      expect(simulator.record(HQ, GUEST)).toMatchObject({ vlan_id: 40, hide_ssid: true })
      expect(simulator.history.map(({ wlan }) => wlan).sort()).toEqual([CORP, GUEST].sort())
      expect(await plan(fleet)).toEqual([])
    }
  )

  it.each(deaths)('at %s (%i) leaves a record that revert completes', async (point, nth) => {
    const { simulator, writer, plan, apply } = await setStage()
    const before = [simulator.record(HQ, CORP), simulator.record(HQ, GUEST)]
    const { sink, text } = memorySink()
    const recorder = new RunRecorder(sink, recordFacts)
    const changes = await plan(fleet)
    await recorder.begin(changes)
    const { died, ...dying } = dyingAt(writer, point, nth, recorder)
    void apply(changes, { ...dying, parallelism: 1 })
    await died
    const undos = undoOf(await parseRecord(text(), 'r'))
    const undone = new Map(undos.map(undo => [undo.address, undo]))
    const [site] = restoredSites(undos, 'r')
    if (site !== undefined) {
      const { wlanPlans } = planUndo(site, await writer.listWlans(site), undone)
      expect(wlanPlans.filter(({ status }) => status === 'blocked')).toEqual([])
      const outcomes = await apply(wlanPlans.filter(each => each.status === 'changed'))
      expect(outcomes.every(({ status }) => status === 'applied')).toBe(true)
    }
    const fields = ({ vlan_id, hide_ssid }: JsonObject = {}) => [
      vlan_id ?? null,
      hide_ssid ?? false
    ]
    const after = [simulator.record(HQ, CORP), simulator.record(HQ, GUEST)]
    expect(after.map(fields)).toEqual(before.map(fields))
  })
})
