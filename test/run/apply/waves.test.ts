import { describe, expect, it } from 'vitest'
import type { PlannedWave } from '../../../src/core/plan/planned-waves.ts'
import { plannedWaves } from '../../../src/core/plan/planned-waves.ts'
import type { Recorder } from '../../../src/run/record/recorder.ts'
import { desiredSite } from '../../support/desired.ts'
import { idOf, noRecorder, type Stage, setStage, statuses } from './support.ts'

const names = ['hq', 's1', 's2', 's3'] as const

const live = names.map((name, n) => ({
  id: idOf(1, n),
  name,
  wlans: [{ id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_id: 10 }]
}))

const declared = names.map((name, n) =>
  desiredSite({ id: idOf(1, n), name }, { guest: { id: idOf(2, n), vlan_id: 11 } })
)

const rollout = [
  { name: 'canary', sites: ['hq'] },
  { name: 'few', sites: ['s1', 's2'] },
  { sites: ['s3'] }
]

/** A stage of four sites, with the changes of all sites in three waves. */
async function setWaves(options: Parameters<typeof setStage>[0] = {}) {
  const stage = await setStage({ sites: structuredClone(live), ...options })
  const changes = await stage.plan(...declared)
  return { ...stage, changes, waves: plannedWaves(rollout, declared, changes) }
}

/** The requests so far, by site: `PUT hq`. */
function asked({ simulator }: Pick<Stage, 'simulator'>): string[] {
  return simulator.requests.map(({ method, path }) => {
    return `${method} ${live.find(({ id }) => path.includes(id))?.name}`
  })
}

/** Rejects the update of one site. */
const refusing = (n: number) => ({
  switches: {
    fail: [{ method: 'PUT', path: idOf(1, n), answer: { status: 400, body: '{}' } }]
  }
})

describe('waves', () => {
  it('run one after the other: a wave starts after all reads of the previous one', async () => {
    const made = await setWaves()
    const { outcomes, failedWave } = await made.applyWaves(made.waves)
    expect(failedWave).toBeUndefined()
    expect(outcomes.map(({ address, status, wave = '-' }) => [address, status, wave])).toEqual([
      ['hq/guest', 'applied', 'canary'],
      ['s1/guest', 'applied', 'few'],
      ['s2/guest', 'applied', 'few'],
      ['s3/guest', 'applied', '-']
    ])
    const order = asked(made).slice(4)
    const turn = (text: string) => order.indexOf(text)
    expect(order).toHaveLength(8)
    for (const site of ['s1', 's2']) {
      expect(turn(`PUT ${site}`)).toBeGreaterThan(order.lastIndexOf('GET hq'))
      expect(turn('PUT s3')).toBeGreaterThan(order.lastIndexOf(`GET ${site}`))
    }
  })

  it('stop after the first failed wave: the rest is skipped with the reason', async () => {
    const made = await setWaves(refusing(1))
    const { outcomes, failedWave } = await made.applyWaves(made.waves)
    expect(failedWave).toBe('wave few: s1/guest failed')
    expect(statuses(outcomes)).toBe('applied failed applied skipped')
    expect(outcomes[3]).toMatchObject({ reason: failedWave })
    expect(asked(made)).not.toContain('PUT s3')
  })

  it('stop after any other outcome that differs from its declaration', async () => {
    const made = await setWaves({
      switches: { fail: [{ method: 'PUT', answer: { status: 400, body: '{}' }, times: 'always' }] }
    })
    const together = [{ name: 'all', sites: declared, changes: made.changes }]
    expect(await made.applyWaves(together)).toMatchObject({
      failedWave: 'wave all: hq/guest failed (4 of 4 changes not applied)'
    })
  })

  it('stop at a blocked WLAN even if the wave has no change of it', async () => {
    const { waves, applyWaves, simulator } = await setWaves()
    const blocked = waves.map((wave, at) =>
      at === 0 ? { ...wave, changes: [], obstacle: 'hq/guest is blocked' } : wave
    )
    const { outcomes, failedWave } = await applyWaves(blocked)
    expect(failedWave).toBe('wave canary: hq/guest is blocked')
    expect(statuses(outcomes)).toBe('skipped skipped skipped')
    expect(simulator.history).toEqual([])
  })

  it('are a single unnamed one without declarations: one failure stops no other site', async () => {
    const made = await setWaves(refusing(0))
    const { outcomes, failedWave } = await made.applyWaves(
      plannedWaves(undefined, declared, made.changes)
    )
    expect(failedWave).toBeUndefined()
    expect(statuses(outcomes)).toBe('failed applied applied applied')
    expect(outcomes.every(({ wave }) => wave === undefined)).toBe(true)
  })

  it('stop on a rejected token, which is the reason', async () => {
    const made = await setWaves({
      switches: { fail: [{ method: 'PUT', answer: { status: 401, body: '{}' } }] }
    })
    const { outcomes, failedWave } = await made.applyWaves(made.waves)
    expect(failedWave).toBeUndefined()
    expect(statuses(outcomes)).toBe('failed skipped skipped skipped')
    expect(outcomes[3]?.reason).toBe('the service no longer accepts the token')
  })

  it('refresh a WLAN if its list has aged during the previous waves', async () => {
    const made = await setWaves()
    const pause = async () => {
      made.clock.advance(60_000)
      made.simulator.edit(idOf(1, 3), idOf(2, 3), { vlan_id: 12 })
    }
    const { outcomes } = await made.applyWaves(made.waves, { pause })
    expect(statuses(outcomes)).toBe('applied applied applied stale')
    expect(asked(made).slice(4, 6)).toEqual(['PUT hq', 'GET hq'])
    expect(asked(made).at(-1)).toBe('GET s3')
  })

  it('that stopped are continued by the next run, which sends only the remaining changes', async () => {
    const made = await setWaves({
      switches: { fail: [{ method: 'PUT', path: idOf(1, 0), answer: { status: 400, body: '{}' } }] }
    })
    await made.applyWaves(made.waves)
    made.simulator.set({ fail: [] })
    const before = made.simulator.history.length
    const again = plannedWaves(rollout, declared, await made.plan(...declared))
    const { outcomes } = await made.applyWaves(again)
    expect(outcomes.every(({ status }) => status === 'applied')).toBe(true)
    expect(made.simulator.history.length - before).toBe(4)
  })
})

describe('the check command', () => {
  /** A check that fails for these waves, with the log of its calls and of the pauses. */
  function gates(...failing: readonly string[]) {
    const asked: string[] = []
    const nameOf = ({ name = '-' }: PlannedWave) => name
    return {
      asked,
      check: async (wave: PlannedWave) => {
        asked.push(`check ${nameOf(wave)}: ${wave.sites.map(({ name }) => name).join(', ')}`)
        return failing.includes(nameOf(wave)) ? 'it rains' : undefined
      },
      pause: async (wave: PlannedWave, next: PlannedWave) => {
        asked.push(`pause ${nameOf(wave)} ${nameOf(next)}`)
      }
    }
  }

  it('runs after each wave, and the pause follows it', async () => {
    const made = await setWaves()
    const gate = gates()
    await made.applyWaves(made.waves, gate)
    expect(gate.asked).toEqual([
      'check canary: hq',
      'pause canary few',
      'check few: s1, s2',
      'pause few -',
      'check -: s3'
    ])
  })

  it('that fails ends the rollout', async () => {
    const made = await setWaves()
    const gate = gates('canary')
    const { outcomes, failedWave } = await made.applyWaves(made.waves, gate)
    expect(failedWave).toBe('wave canary: it rains')
    expect(statuses(outcomes)).toBe('applied skipped skipped skipped')
    expect(gate.asked).toEqual(['check canary: hq'])
  })

  it('that fails after the last wave skips nothing, and is reported', async () => {
    const made = await setWaves()
    const { outcomes, failedWave } = await made.applyWaves(made.waves, gates('-'))
    expect(failedWave).toBe('last wave: it rains')
    expect(outcomes.every(({ status }) => status === 'applied')).toBe(true)
  })

  it('runs after a rollout without waves', async () => {
    const made = await setWaves()
    const waves = plannedWaves(undefined, declared, made.changes)
    const { failedWave } = await made.applyWaves(waves, gates('-'))
    expect(failedWave).toBe('it rains')
  })

  it('runs without a pause for a wave without changes if later waves wait', async () => {
    const made = await setWaves()
    await made.applyWaves(made.waves.slice(0, 1))
    const gate = gates('few')
    const rest = plannedWaves(rollout, declared, await made.plan(...declared))
    const { outcomes } = await made.applyWaves(rest, gate)
    expect(gate.asked).toEqual(['check canary: hq', 'check few: s1, s2'])
    expect(statuses(outcomes)).toBe('applied applied skipped')
  })

  it('does not run without changes, or after a failed wave', async () => {
    const made = await setWaves(refusing(0))
    const gate = gates()
    await made.applyWaves(made.waves, gate)
    await made.applyWaves(plannedWaves(rollout, declared, []), gate)
    expect(gate.asked).toEqual([])
  })
})

it('an interrupt during a pause skips the rest', async () => {
  const made = await setWaves()
  const stop = new AbortController()
  const { outcomes, failedWave } = await made.applyWaves(made.waves, {
    interrupted: stop.signal,
    pause: async () => stop.abort()
  })
  expect(failedWave).toBeUndefined()
  expect(outcomes.map(({ status, reason }) => reason ?? status)).toEqual([
    'applied',
    'interrupted',
    'interrupted',
    'interrupted'
  ])
})

it('a record that can no longer be written stops the waves', async () => {
  const made = await setWaves()
  let failure: string | undefined
  const recorder: Recorder = {
    ...noRecorder,
    get failure() {
      return failure
    },
    record({ step }) {
      if (step === 'wave-ends') failure = 'ENOSPC'
    }
  }
  const { outcomes } = await made.applyWaves(made.waves, { recorder })
  expect(statuses(outcomes)).toBe('applied skipped skipped skipped')
})
