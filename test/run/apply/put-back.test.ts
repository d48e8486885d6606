import { describe, expect, it } from 'vitest'
import type { ValueObject } from '../../../src/core/values/value.ts'
import type { ApplyOptions } from '../../../src/run/apply/apply.ts'
import { noRecorder } from '../../../src/run/record/recorder.ts'
import type { FailRule } from '../../../src/simulator/faults.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import type { Switches } from '../../../src/simulator/switches.ts'
import { GUEST, HQ } from '../../simulator/simulate.ts'
import { env } from '../../support/desired.ts'
import { hq, LONG, only, type Stage, sent, setStage } from './support.ts'

const auth = { type: 'psk', psk: 'former-psk', pairwise: ['wpa2-ccmp'] }
const wlan = { id: GUEST, ssid: 'Guest', enabled: true, vlan_id: 10, auth }
const psk = env('GUEST_PSK', 'the-new-passphrase')

interface Circumstances {
  readonly fields?: ValueObject
  /** The edit of another user before the rollback. */
  readonly edit?: JsonObject
  /** The number of reads of the rollback that show the record before the change, as a replica does. */
  readonly lag?: number | 'always'
  /** The record that these reads show, if it is another one. */
  readonly shown?: JsonObject
  /** Faults during the rollback. */
  readonly faults?: readonly FailRule[]
  readonly switches?: Partial<Switches>
  readonly options?: (stage: Stage) => Partial<ApplyOptions>
}

/** Applies a change, and rolls it back because its check fails. */
async function rollBack({
  fields = { vlan_id: 11 },
  edit = {},
  lag = 0,
  shown = wlan,
  faults = [],
  switches = {},
  options = () => ({})
}: Circumstances) {
  const stage = await setStage({ sites: [{ id: HQ, name: 'hq', wlans: [wlan] }], switches })
  const { simulator } = stage
  const guards = {
    revertOnFailure: 'wave' as const,
    onPutBack: () => {
      simulator.edit(HQ, GUEST, edit)
      const answer = { status: 200, body: JSON.stringify(shown) }
      const lagging = { method: 'GET', path: GUEST, answer, times: lag } as const
      simulator.set({ fail: lag === 0 ? faults : [lagging, ...faults] })
    },
    abortSignal: new AbortController().signal
  }
  const outcomes = await stage.apply(await stage.plan(hq({ guest: fields })), {
    check: async () => 'an alarm',
    guards,
    ...options(stage)
  })
  const record = simulator.record(HQ, GUEST)
  return { outcome: only(outcomes), updates: sent(simulator).length, record }
}

describe('a rollback', () => {
  it.each([1, 2, 'always'] as const)(
    'sends the former values even if reads show them already (%s)',
    async lag => {
      const { outcome, updates, record } = await rollBack({ lag })
      expect(outcome).toMatchObject({ status: 'reverted', reason: 'an alarm' })
      expect({ updates, vlan: record['vlan_id'] }).toEqual({ updates: 2, vlan: 10 })
    }
  )

  it.each(['503', '504', 'reset'] as const)(
    'repeats an update that failed, although reads show the former values (%s)',
    async kind => {
      const faults = [{ method: 'PUT', kind, times: 1 }] as const
      const options = () => ({ maxAttempts: 3 })
      const { outcome, updates, record } = await rollBack({ lag: 'always', faults, options })
      expect(outcome.status).toBe('reverted')
      expect({ updates, vlan: record['vlan_id'] }).toEqual({ updates: 3, vlan: 10 })
    }
  )

  it.each([
    [0, '503', 'applied', '503: Service unavailable; the read-back shows the old values'],
    [0, '504', 'unknown', 'the read-back shows the old values'],
    [1, '504', 'unknown', 'the read-back shows the old values'],
    ['always', '503', 'applied', 'the read-back cannot show whether it arrived'],
    ['always', '504', 'unknown', 'the read-back cannot show whether it arrived']
  ] as const)(
    'is not reported if each update failed (lag: %s, %s)',
    async (lag, kind, status, reason) => {
      const faults = [{ method: 'PUT', kind, times: 'always' }] as const
      const { outcome, record } = await rollBack({ lag, faults })
      expect(outcome).toMatchObject({ status, reason: expect.stringContaining(reason) })
      expect(record['vlan_id']).toBe(11)
    }
  )

  it('keeps an edit of a sibling that the first read does not show', async () => {
    const fields = { auth: { pairwise: ['wpa3'] } }
    const edit = { auth: { ...auth, pairwise: ['wpa3'], owe: 'required' } }
    const { outcome, record } = await rollBack({ fields, edit, lag: 1 })
    expect(outcome.status).toBe('reverted')
    expect(record['auth']).toEqual({ ...auth, owe: 'required' })
  })

  it('restores the secrets that a read shows with the former values', async () => {
    const { outcome, record } = await rollBack({ fields: { auth: { psk } }, lag: 'always' })
    expect(outcome.status).toBe('reverted')
    expect(outcome).not.toHaveProperty('notRestored')
    expect(record['auth']).toEqual(auth)
  })

  it('does not send the masks of a read with the former values', async () => {
    const { outcome, updates, record } = await rollBack({
      fields: { auth: { psk, pairwise: ['wpa3'] } },
      switches: { hiddenSecrets: 'masked' },
      lag: 'always',
      shown: { ...wlan, auth: { ...auth, psk: '********' } }
    })
    expect(outcome).toMatchObject({
      status: 'applied',
      reason: expect.stringMatching(/^not put back: .*\/auth\/psk/),
      notRestored: ['/auth/psk']
    })
    expect(updates).toBe(1)
    expect(record['auth']).toMatchObject({ pairwise: ['wpa3'] })
  })

  it.each(['504-landed', undefined] as const)(
    'names a secret that it cannot restore (after %s)',
    async kind => {
      const noReads = { method: 'GET', path: GUEST, kind: '503', times: 2 } as const
      const fail = kind === undefined ? [] : [{ method: 'PUT', kind, times: 1 } as const, noReads]
      const { outcome, updates } = await rollBack({ fields: { auth: { psk } }, switches: { fail } })
      expect(outcome).toMatchObject({
        status: kind === undefined ? 'applied' : 'unknown',
        reason: expect.stringContaining('not put back: a record does not hold the former secrets'),
        notRestored: ['/auth/psk']
      })
      expect(updates).toBe(1)
    }
  )

  it('leaves a WLAN alone that someone else put back', async () => {
    const { outcome, updates } = await rollBack({ edit: { vlan_id: 10, isolation: true } })
    expect(outcome).toMatchObject({
      status: 'unchanged',
      reason: 'an alarm; put back by someone else'
    })
    expect(updates).toBe(1)
  })

  it.each([
    ['504', {}],
    ['504-landed', {}],
    ['504', { isolation: true }]
  ] as const)('includes a change with an unknown outcome (%s, %o)', async (kind, edit) => {
    const noReads = { method: 'GET', path: GUEST, kind: '503', times: 2 } as const
    const fail = [{ method: 'PUT', kind, times: 1 } as const, noReads]
    const { outcome, updates, record } = await rollBack({ edit, switches: { fail } })
    expect(outcome).toMatchObject({ status: 'reverted', reason: 'hq/guest is unknown' })
    expect({ updates, record }).toMatchObject({ updates: 2, record: { vlan_id: 10, ...edit } })
  })

  it('ends if each read is too old when the values could be sent', async () => {
    const { outcome, updates } = await rollBack({
      lag: 'always',
      options: ({ clock }) => ({
        recorder: { ...noRecorder, starting: async () => clock.advance(LONG) },
        maxAttempts: 3
      })
    })
    expect(outcome).toMatchObject({
      status: 'applied',
      reason: 'not put back: each read was too old or showed other values'
    })
    expect(updates).toBe(1)
  })
})
