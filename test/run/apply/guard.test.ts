import { describe, expect, it } from 'vitest'
import type { PlannedWave } from '../../../src/core/plan/rollout.ts'
import { plannedWaves } from '../../../src/core/plan/rollout.ts'
import type { Guards } from '../../../src/run/apply/rollout-guard.ts'
import { parseRecord } from '../../../src/run/record/read.ts'
import { undoOf } from '../../../src/run/record/undo.ts'
import { RunRecorder } from '../../../src/run/record/write.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import { readSchema, strictAjv } from '../../schemas/schemas.ts'
import { desiredSite, env as secret } from '../../support/desired.ts'
import { idOf, memorySink, recordFacts, setStage } from './support.ts'

const names = ['hq', 's1', 's2'] as const

const live = names.map((name, n) => ({
  id: idOf(1, n),
  name,
  wlans: [
    {
      id: idOf(2, n),
      ssid: 'Guest',
      enabled: true,
      vlan_id: 10,
      auth: { type: 'psk', psk: 'former-psk' }
    },
    { id: idOf(3, n), ssid: 'Staff', enabled: true, vlan_id: 20 }
  ]
}))

const declared = names.map((name, n) =>
  desiredSite(
    { id: idOf(1, n), name },
    { guest: { id: idOf(2, n), vlan_id: 11 }, staff: { id: idOf(3, n), vlan_id: 21 } }
  )
)

const rollout = [{ name: 'canary', sites: ['hq'] }, { sites: ['s1', 's2'] }]

const never = new AbortController().signal

const guards = (changes: Partial<Guards>): Guards => ({
  onPutBack: () => undefined,
  abortSignal: never,
  ...changes
})

/** A stage of three sites with two changes each, in two waves, and a record of the run. */
async function setGuarded(
  options: Parameters<typeof setStage>[0] = {},
  sites = declared,
  interrupted = never
) {
  const retries = { maxWait: 0, interrupted }
  const stage = await setStage({ sites: structuredClone(live), ...options }, { retries })
  const changes = await stage.plan(...sites)
  const { sink, text } = memorySink()
  const recorder = new RunRecorder(sink, recordFacts)
  await recorder.begin(changes)
  const waves = plannedWaves(rollout, sites, changes)
  return {
    ...stage,
    changes,
    text,
    /** Runs the waves, and returns the statuses by address. */
    async rollOut(
      apply: Parameters<typeof stage.applyWaves>[1],
      given: readonly PlannedWave[] = waves
    ) {
      const result = await stage.applyWaves(given, { recorder, parallelism: 1, ...apply })
      await recorder.end(result.outcomes)
      const states = result.outcomes.map(({ address, status }) => `${address} ${status}`)
      return { ...result, states }
    },
    vlans: () =>
      live.flatMap(({ id, wlans }) =>
        wlans.map(wlan => stage.simulator.record(id, wlan.id)?.['vlan_id'])
      ),
    edit: (n: number, fields: JsonObject) => stage.simulator.edit(idOf(1, n), idOf(2, n), fields)
  }
}

const BEFORE = [10, 20, 10, 20, 10, 20]

/** The lines of a record that name a step, such as `held hq/guest`; each is validated by the schema. */
function stepsOf(text: string): string[] {
  const valid = strictAjv()
    .addSchema(readSchema('plan.schema.json'))
    .compile(readSchema('record.schema.json'))
  return text
    .trimEnd()
    .split('\n')
    .map(line => {
      const value = JSON.parse(line)
      expect(valid(value), JSON.stringify(valid.errors)).toBe(true)
      return [value.step, value.address ?? value.wave].filter(Boolean).join(' ')
    })
}

describe('a hold', () => {
  const hold = (wait: (wave: PlannedWave) => Promise<boolean>) =>
    guards({ hold: { seconds: 300, wait } })

  it('follows each wave with a change, and reads its WLANs again', async () => {
    const made = await setGuarded()
    const held: string[] = []
    const checked: string[] = []
    const { states, failedWave } = await made.rollOut({
      guards: hold(async ({ name = 'rest' }) => held.push(name) > 0),
      check: async ({ name = 'rest' }) => {
        expect(held).toContain(name)
        checked.push(name)
        return undefined
      }
    })
    expect(failedWave).toBeUndefined()
    expect(held).toEqual(['canary', 'rest'])
    expect(checked).toEqual(held)
    expect(states.every(state => state.endsWith(' applied'))).toBe(true)
    const reads = made.simulator.requests.filter(({ method }) => method === 'GET')
    expect(reads).toHaveLength(3 + 6 + 6)
    const steps = stepsOf(made.text())
    expect(
      steps.slice(steps.indexOf('wave-holds canary'), steps.indexOf('wave-ends canary'))
    ).toEqual(['wave-holds canary', 'held hq/guest', 'held hq/staff'])
    const [run] = parseRecord(made.text(), 'r')
    expect(run?.waves?.map(wave => wave.hold)).toEqual([300, 300])
  })

  it.each([
    ['a declared field', { vlan_id: 99 }, 'hq/guest diverged', '/vlan_id'],
    ['a field that is not declared', { isolation: true }, 'hq/guest applied', '/isolation']
  ])('fails the wave if %s changed', async (_, fields, state, pointer) => {
    const made = await setGuarded()
    const { states, failedWave, outcomes } = await made.rollOut({
      guards: hold(async () => {
        made.edit(0, fields)
        return true
      })
    })
    expect(failedWave).toBe(`wave canary: hq/guest moved during the hold (${pointer})`)
    expect(states).toEqual([
      state,
      'hq/staff applied',
      ...['s1', 's2'].flatMap(site => [`${site}/guest skipped`, `${site}/staff skipped`])
    ])
    const [run] = parseRecord(made.text(), 'r')
    expect(run?.changes.map(({ outcome }) => outcome)).toEqual(outcomes)
  })

  it('succeeds with a side effect that was known before', async () => {
    const { states, failedWave, outcomes } = await (
      await setGuarded({ switches: { editBetween: { isolation: true } } })
    ).rollOut({ guards: hold(async () => true) })
    expect(failedWave).toBeUndefined()
    expect(states.every(state => state.endsWith(' applied'))).toBe(true)
    expect(outcomes[0]?.sideEffects).toEqual(['/isolation'])
  })

  it('fails the wave if a WLAN cannot be read; the WLAN stays applied', async () => {
    const made = await setGuarded()
    const { states, failedWave } = await made.rollOut({
      guards: hold(async () => {
        made.simulator.set({
          fail: [
            {
              method: 'GET',
              path: idOf(3, 0),
              answer: { status: 404, body: '{}' },
              times: 'always'
            }
          ]
        })
        return true
      })
    })
    expect(failedWave).toMatch(/^wave canary: hq\/staff could not be read after the hold: /)
    expect(states.slice(0, 2)).toEqual(['hq/guest applied', 'hq/staff applied'])
  })

  it('that is interrupted reads and starts nothing', async () => {
    const made = await setGuarded()
    const stop = new AbortController()
    const { states } = await made.rollOut({
      interrupted: stop.signal,
      guards: hold(async () => {
        stop.abort()
        return false
      }),
      check: async () => 'it was called'
    })
    expect(states.slice(0, 3)).toEqual(['hq/guest applied', 'hq/staff applied', 's1/guest skipped'])
    expect(made.text()).not.toContain('"held"')
  })

  it('of a wave without applied changes is skipped', async () => {
    const made = await setGuarded()
    for (const wave of [0, 1, 2]) made.edit(wave, { vlan_id: 11 })
    const refused = { method: 'PUT', answer: { status: 400, body: '{}' }, times: 'always' } as const
    made.simulator.set({ fail: [refused] })
    await made.rollOut({ guards: hold(() => Promise.reject(new Error('it waited'))) })
    expect(made.text()).not.toContain('wave-holds')
  })
})

describe('revert_on_failure', () => {
  const reverting = guards({ revertOnFailure: 'wave' })

  it('reverts what the failed wave changed, the newest change first, and verifies it', async () => {
    const made = await setGuarded()
    const said: unknown[] = []
    const { states, failedWave, outcomes } = await made.rollOut({
      guards: { ...reverting, onPutBack: (why, changes) => said.push([why, changes]) },
      check: async ({ name }) => (name === undefined ? 'an alarm' : undefined)
    })
    expect(failedWave).toBe('last wave: an alarm')
    expect(said).toEqual([['last wave: an alarm', 4]])
    expect(states).toEqual([
      'hq/guest applied',
      'hq/staff applied',
      's1/guest reverted',
      's1/staff reverted',
      's2/guest reverted',
      's2/staff reverted'
    ])
    expect(outcomes[2]).toMatchObject({ reason: 'last wave: an alarm' })
    expect(made.vlans()).toEqual([11, 21, 10, 20, 10, 20])
    const puts = made.simulator.history.map(({ wlan }) => wlan)
    expect(puts.slice(6)).toEqual(puts.slice(2, 6).reverse())
    const steps = stepsOf(made.text())
    const from = steps.indexOf('reverting s1/guest')
    expect(steps.slice(from, from + 4)).toEqual(
      ['reverting', 'answered', 'read', 'outcome'].map(step => `${step} s1/guest`)
    )
    const runs = parseRecord(made.text(), 'r')
    expect(runs[0]?.changes.map(({ outcome }) => outcome)).toEqual(outcomes)
    expect(undoOf(runs).map(({ address }) => address)).toEqual(['hq/guest', 'hq/staff'])
  })

  it('reverts the applied changes of a failed wave, even without declared waves', async () => {
    const made = await setGuarded({
      switches: { fail: [{ method: 'PUT', path: idOf(3, 0), answer: { status: 400, body: '{}' } }] }
    })
    const { states, failedWave } = await made.rollOut(
      { guards: reverting },
      plannedWaves(undefined, declared, made.changes)
    )
    expect(failedWave).toBe('hq/staff failed')
    expect(states.filter(state => !state.endsWith('reverted'))).toEqual(['hq/staff failed'])
    expect(made.vlans()).toEqual(BEFORE)
  })

  it('reverts fields that differ from their declaration', async () => {
    const made = await setGuarded({ switches: { dropFields: ['/isolation'] } }, [
      desiredSite(
        { id: idOf(1, 0), name: 'hq' },
        { guest: { id: idOf(2, 0), vlan_id: 11, isolation: true } }
      )
    ])
    const { states } = await made.rollOut({ guards: reverting, verifyTimeout: 0 })
    expect(states).toEqual(['hq/guest reverted'])
    expect(made.vlans()).toEqual(BEFORE)
  })

  it('reverts the failed wave with fail_fast, too', async () => {
    const made = await setGuarded({
      switches: { fail: [{ method: 'PUT', path: idOf(3, 0), answer: { status: 400, body: '{}' } }] }
    })
    const { states } = await made.rollOut({ guards: reverting, failFast: true })
    expect(states.slice(0, 2)).toEqual(['hq/guest reverted', 'hq/staff failed'])
    expect(made.vlans()).toEqual(BEFORE)
  })

  it('reverts outside of windows, and leaves deferred changes alone', async () => {
    const made = await setGuarded()
    const { states } = await made.rollOut({
      guards: reverting,
      deferral: ({ address }) =>
        made.simulator.history.length === 0 ? undefined : { address, windows: ['nights'] },
      check: async () => 'an alarm'
    })
    expect(states).toEqual([
      'hq/guest reverted',
      'hq/staff deferred',
      ...['s1', 's2'].flatMap(site => [`${site}/guest skipped`, `${site}/staff skipped`])
    ])
    expect(made.vlans()).toEqual(BEFORE)
  })

  it('skips a WLAN that was edited since, with the reason', async () => {
    const made = await setGuarded()
    const { states, outcomes } = await made.rollOut({
      guards: reverting,
      check: async () => {
        made.edit(0, { vlan_id: 99 })
        return 'an alarm'
      }
    })
    expect(states.slice(0, 2)).toEqual(['hq/guest applied', 'hq/staff reverted'])
    expect(outcomes[0]?.reason).toBe('not put back: edited since: /vlan_id')
    expect(made.vlans()).toEqual([99, ...BEFORE.slice(1)])
    const [run] = parseRecord(made.text(), 'r')
    expect(run?.changes[0]?.outcome).toEqual(outcomes[0])
  })

  it('does not revert an edit during the hold', async () => {
    const made = await setGuarded()
    const { states } = await made.rollOut({
      guards: {
        ...reverting,
        hold: {
          seconds: 1,
          wait: async () => {
            made.edit(0, { vlan_id: 99 })
            return true
          }
        }
      }
    })
    expect(states.slice(0, 2)).toEqual(['hq/guest diverged', 'hq/staff reverted'])
    expect(made.vlans()).toEqual([99, ...BEFORE.slice(1)])
    const edited = undoOf(parseRecord(made.text(), 'r'))[0]
    expect([...(edited?.fields ?? [])]).toEqual([['/vlan_id', { before: 10, after: 11 }]])
  })

  it('names the secrets that it cannot restore', async () => {
    const auth = { psk: secret('GUEST', 'the-new-passphrase') }
    const made = await setGuarded({}, [
      desiredSite(
        { id: idOf(1, 0), name: 'hq' },
        { guest: { id: idOf(2, 0), vlan_id: 11, auth }, staff: { id: idOf(3, 0), vlan_id: 21 } }
      ),
      desiredSite({ id: idOf(1, 1), name: 's1' }, { guest: { id: idOf(2, 1), auth } })
    ])
    const { outcomes } = await made.rollOut({ guards: reverting, check: async () => 'an alarm' }, [
      { sites: [], changes: made.changes }
    ])
    expect(outcomes).toMatchObject([
      { address: 'hq/guest', status: 'reverted', notRestored: ['/auth/psk'] },
      { address: 'hq/staff', status: 'reverted' },
      {
        address: 's1/guest',
        status: 'applied',
        reason: 'not put back: a record does not hold the former secrets',
        notRestored: ['/auth/psk']
      }
    ])
    expect(made.vlans()).toEqual(BEFORE)
    expect(made.text()).not.toMatch(/former-psk|the-new-passphrase/)
  })

  it('names the secrets that are lost even if the outcome of the revert is unknown', async () => {
    const made = await setGuarded({}, [
      desiredSite(
        { id: idOf(1, 0), name: 'hq' },
        {
          guest: {
            id: idOf(2, 0),
            vlan_id: 11,
            auth: { psk: secret('GUEST', 'the-new-passphrase') }
          }
        }
      )
    ])
    const { outcomes } = await made.rollOut({
      guards: reverting,
      verifyTimeout: 0,
      check: async () => {
        made.simulator.set({
          fail: [
            { method: 'PUT', kind: '502' },
            { method: 'GET', skip: 1, kind: '500', times: 'always' }
          ]
        })
        return 'an alarm'
      }
    })
    expect(outcomes).toMatchObject([{ status: 'unknown', notRestored: ['/auth/psk'] }])
    expect(outcomes[0]?.reason).toContain('an alarm; putting it back: ')
  })

  it('gives the reason for each WLAN that cannot be reverted', async () => {
    const made = await setGuarded()
    const { outcomes, states } = await made.rollOut({
      guards: reverting,
      check: async () => {
        const path = idOf(2, 0)
        made.simulator.set({ fail: [{ method: 'PUT', path, answer: { status: 403, body: '{}' } }] })
        return 'an alarm'
      }
    })
    expect(states.slice(0, 2)).toEqual(['hq/guest applied', 'hq/staff reverted'])
    expect(outcomes[0]?.reason).toMatch(/^not put back: .*403/)
  })

  it('reverts nothing after an interrupt', async () => {
    const made = await setGuarded()
    const stop = new AbortController()
    const { states, outcomes } = await made.rollOut({
      guards: reverting,
      interrupted: stop.signal,
      check: async () => {
        stop.abort()
        return 'an alarm'
      }
    })
    expect(states.slice(0, 2)).toEqual(['hq/guest applied', 'hq/staff applied'])
    expect(outcomes[0]?.reason).toBeUndefined()
  })
})

describe('--confirm-within', () => {
  const confirming = (answer: () => string | undefined, others: Partial<Guards> = {}) =>
    guards({ confirm: { seconds: 600, ask: async () => answer() }, ...others })

  it('keeps confirmed changes', async () => {
    const made = await setGuarded()
    const { states, failedWave } = await made.rollOut({ guards: confirming(() => undefined) })
    expect(failedWave).toBeUndefined()
    expect(states.every(state => state.endsWith(' applied'))).toBe(true)
    const at = recordFacts.now().toISOString()
    expect(parseRecord(made.text(), 'r')[0]?.confirmation).toEqual({
      within: 600,
      started: at,
      ended: at
    })
    expect(stepsOf(made.text()).slice(-3)).toEqual(['confirm-begins', 'confirm-ends', 'end'])
  })

  it('reverts unconfirmed changes, the newest first, over all waves', async () => {
    const made = await setGuarded()
    const { states, failedWave } = await made.rollOut({
      guards: confirming(() => 'not confirmed within 600 s')
    })
    expect(failedWave).toBe('not confirmed within 600 s')
    expect(states.every(state => state.endsWith(' reverted'))).toBe(true)
    expect(made.vlans()).toEqual(BEFORE)
    const puts = made.simulator.history.map(({ wlan }) => wlan)
    expect(puts.slice(6)).toEqual(puts.slice(0, 6).reverse())
    const [run] = parseRecord(made.text(), 'r')
    expect(run?.confirmation?.problem).toBe('not confirmed within 600 s')
  })

  it('finds a WLAN unchanged that someone else put back, and the record can be read', async () => {
    const made = await setGuarded()
    const { outcomes, states } = await made.rollOut({
      guards: confirming(() => {
        made.edit(0, { vlan_id: 10, dtim: 3 })
        return 'not confirmed within 600 s'
      })
    })
    expect(states[0]).toBe('hq/guest unchanged')
    const [run] = parseRecord(made.text(), 'r')
    expect(run?.changes.map(({ outcome }) => outcome)).toEqual(outcomes)
  })

  it('reverts everything after an interrupt, without a question', async () => {
    const stop = new AbortController()
    const made = await setGuarded({}, declared, stop.signal)
    const { states } = await made.rollOut({
      interrupted: stop.signal,
      guards: guards({
        confirm: { seconds: 600, ask: () => Promise.reject(new Error('it asked')) }
      }),
      check: async () => {
        stop.abort()
        return undefined
      }
    })
    expect(states.slice(0, 3)).toEqual([
      'hq/guest reverted',
      'hq/staff reverted',
      's1/guest skipped'
    ])
    expect(made.vlans()).toEqual(BEFORE)
  })

  it('ends on the second interrupt: the record lists the remaining changes, and revert completes it', async () => {
    const made = await setGuarded()
    const abortController = new AbortController()
    const { states, outcomes } = await made.rollOut({
      guards: confirming(
        () => {
          abortController.abort()
          return 'interrupted'
        },
        { abortSignal: abortController.signal }
      )
    })
    expect(states.every(state => state.endsWith(' applied'))).toBe(true)
    expect(outcomes[0]?.reason).toBe('not put back: interrupted')
    expect(undoOf(parseRecord(made.text(), 'r'))).toHaveLength(6)
  })

  it('does not ask without an applied change', async () => {
    const made = await setGuarded()
    made.simulator.set({
      fail: [{ method: 'PUT', answer: { status: 400, body: '{}' }, times: 'always' }]
    })
    const ask = () => Promise.reject(new Error('it asked'))
    await made.rollOut({ guards: guards({ confirm: { seconds: 600, ask } }) })
    expect(made.text()).not.toContain('confirm-begins')
  })

  it('reverts even if the record can no longer be written', async () => {
    const made = await setGuarded()
    const failing = {
      append: () => {
        throw new Error('ENOSPC')
      },
      flush: async () => undefined
    }
    const recorder = new RunRecorder(failing, recordFacts)
    const waves = plannedWaves(rollout, declared, made.changes)
    const result = await made.applyWaves(waves, {
      guards: confirming(() => {
        recorder.record({ step: 'confirm-begins', seconds: 1 })
        return 'not confirmed'
      })
    })
    expect(recorder.failure).toBe('ENOSPC')
    expect(result.outcomes.every(({ status }) => status === 'reverted')).toBe(true)
  })
})

describe('a record of a guarded run', () => {
  /** The record of a run that is held, and reverted because it is not confirmed. */
  async function recorded(): Promise<string[]> {
    const made = await setGuarded()
    const confirm = { seconds: 600, ask: async () => 'not confirmed' }
    const hold = { seconds: 1, wait: async () => true }
    await made.rollOut({ guards: guards({ hold, confirm }) })
    return made.text().trimEnd().split('\n')
  }

  it('that ends during a revert says that the change may need another revert', async () => {
    const lines = await recorded()
    const end = lines.findIndex(line => line.includes('"reverting"'))
    const runs = parseRecord(`${lines.slice(0, end + 1).join('\n')}\n`, 'r')
    const open = runs[0]?.changes.find(({ outcome }) => outcome.status === 'unknown')
    expect(open?.outcome.reason).toBe(
      'it was about to be put back, then the record of the run ends'
    )
    expect(undoOf(runs)).toHaveLength(6)
  })

  const twice = (line: string) => `${line}\n${line}`

  it.each([
    ['asks twice', 'confirm-begins', twice, 'has already asked for a confirmation'],
    [
      'ends the wait twice',
      'confirm-ends',
      twice,
      'a wait for a confirmation ends that did not begin'
    ],
    [
      'holds another wave',
      'wave-holds',
      (line: string) => line.replace('canary', 'x'),
      'a wave is held that did not begin'
    ],
    [
      'is held before its outcome',
      '"sending"',
      (line: string) => line.replace('sending', 'reverting'),
      'has no outcome before'
    ],
    [
      'has no seconds',
      'confirm-begins',
      (line: string) => line.replace(/,"seconds":600/, ''),
      'not a line'
    ]
  ])('is damaged if it %s', async (_, step, edit, problem) => {
    const lines = await recorded()
    const place = lines.findIndex(line => line.includes(step))
    const edited = lines.map((line, n) => (n === place ? edit(line) : line)).join('\n')
    expect(() => parseRecord(`${edited}\n`, 'r')).toThrow(problem)
  })
})
