import { describe, expect, it } from 'vitest'
import { documentedCoupling, type SecretMasking } from '../../../src/simulator/switches.ts'
import { CORP, GUEST, HQ } from '../../simulator/simulate.ts'
import { env } from '../../support/desired.ts'
import { asked, hq, only, sent, setStage } from './support.ts'

const psk = env('GUEST_PSK', 'a-new-passphrase')

describe('verification', () => {
  it('reads again, with growing delays, while reads are stale', async () => {
    const { simulator, clock, plan, apply } = await setStage({ switches: { staleFor: 3_000 } })
    expect(only(await apply(await plan(hq({ guest: { vlan_id: 40 } })))).status).toBe('applied')
    expect(clock.pauses).toEqual([250, 500, 1000, 2000])
    expect(simulator.history).toHaveLength(1)
  })

  it('ends at the verify timeout', async () => {
    const { simulator, clock, plan, apply } = await setStage({ switches: { staleFor: 60_000 } })
    const changes = await plan(hq({ guest: { vlan_id: 40 } }))
    const outcome = only(await apply(changes, { verifyTimeout: 30_000 }))
    expect(outcome).toMatchObject({ status: 'diverged', fields: [{ pointer: '/vlan_id' }] })
    const pauses = [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000, 2_250]
    expect(clock.pauses).toEqual(pauses)
    expect(simulator.history).toHaveLength(1)
  })

  it('reads again after a slow response that was requested before the timeout', async () => {
    const { simulator, writer, clock, plan, apply } = await setStage({
      switches: { staleFor: 2_000 }
    })
    const changes = await plan(hq({ guest: { vlan_id: 40 } }))
    const slow: typeof writer = {
      ...writer,
      async readWlan(site, wlanId) {
        const found = await writer.readWlan(site, wlanId)
        clock.advance(5_000)
        return found
      }
    }
    const outcome = only(await apply(changes, { writer: slow, verifyTimeout: 4_000 }))
    expect(outcome.status).toBe('applied')
    expect(asked(simulator, 1)).toEqual(['PUT guest', 'GET guest', 'GET guest'])
  })

  it('reads once with a timeout of 0', async () => {
    const { simulator, plan, apply } = await setStage({ switches: { staleFor: 60_000 } })
    const changes = await plan(hq({ guest: { vlan_id: 40 } }))
    expect(only(await apply(changes, { verifyTimeout: 0 })).status).toBe('diverged')
    expect(asked(simulator, 1)).toEqual(['PUT guest', 'GET guest'])
  })

  it('claims nothing if the run is aborted, as reads may have been stale', async () => {
    const { clock, plan, apply } = await setStage({ switches: { staleFor: 60_000 } })
    const changes = await plan(hq({ guest: { vlan_id: 40 } }))
    const abortedClock = { ...clock, sleep: async () => false }
    expect(only(await apply(changes, { clock: abortedClock }))).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('the run was cut short')
    })
  })

  it('continues after a failed read', async () => {
    const fail = [{ method: 'GET', kind: '503', skip: 1, times: 3 } as const]
    const { simulator, plan, apply } = await setStage({ switches: { fail } })
    expect(only(await apply(await plan(hq({ guest: { vlan_id: 40 } })))).status).toBe('applied')
    expect(asked(simulator).filter(request => request === 'GET guest')).toHaveLength(4)
  })
})

describe('diverged', () => {
  it('names each field that differs from its declaration, with its three values', async () => {
    const dropFields = ['/vlan_id', '/portal/expire']
    const { simulator, plan, apply } = await setStage({ switches: { dropFields } })
    const changes = await plan(
      hq({ guest: { vlan_id: 40, hide_ssid: true, portal: { expire: 60, password: psk } } })
    )
    expect(only(await apply(changes))).toMatchObject({
      status: 'diverged',
      fields: [
        { pointer: '/portal/expire', before: 480, wanted: 60, found: 480 },
        { pointer: '/vlan_id', wanted: 40 }
      ]
    })
    expect(simulator.record(HQ, GUEST)).toMatchObject({ hide_ssid: true })
  })

  it('is a change that was overwritten at once: the edit stays', async () => {
    const editBetween = { vlan_id: 99 }
    const { simulator, plan, apply } = await setStage({ switches: { editBetween } })
    expect(only(await apply(await plan(hq({ corp: { vlan_id: 21 } }))))).toMatchObject({
      status: 'diverged',
      fields: [{ pointer: '/vlan_id', before: 20, wanted: 21, found: 99 }]
    })
    expect(simulator.history).toHaveLength(1)
  })

  it('includes a declared field that changed although it was not sent', async () => {
    const editBetween = { enabled: false }
    const { plan, apply } = await setStage({ switches: { editBetween } })
    const changes = await plan(hq({ corp: { vlan_id: 21, enabled: true } }))
    expect(only(await apply(changes))).toMatchObject({
      status: 'diverged',
      fields: [{ pointer: '/enabled', before: true, wanted: true, found: false }]
    })
  })
})

describe('side effects', () => {
  it('are undeclared fields that changed with the update', async () => {
    const { simulator, plan, apply } = await setStage({ switches: { coupled: documentedCoupling } })
    simulator.edit(HQ, CORP, { allow_mdns: true })
    const changes = await plan(hq({ corp: { bonjour: { enabled: true } } }))
    expect(only(await apply(changes))).toMatchObject({
      status: 'applied',
      side_effects: ['/allow_mdns', '/limit_bcast']
    })
  })

  it('are found below the fields that were sent', async () => {
    const editBetween = { auth: { type: 'psk', psk: 'a-new-passphrase', owe: 'enabled' } }
    const { plan, apply } = await setStage({ switches: { editBetween } })
    const outcome = only(await apply(await plan(hq({ guest: { auth: { psk } } }))))
    expect(outcome).toMatchObject({ status: 'applied', side_effects: ['/auth/owe'] })
  })

  it('exclude the fields that the service maintains', async () => {
    const editBetween = { modified_time: 9_999_999_999, created_time: 5, portal_image: 'https://x' }
    const { plan, apply } = await setStage({ switches: { editBetween } })
    const outcome = only(await apply(await plan(hq({ corp: { vlan_id: 21 } }))))
    expect(outcome).toEqual({ address: 'hq/corp', status: 'applied' })
  })

  it('exclude equivalent values in another form', async () => {
    const { simulator, plan, apply } = await setStage({ switches: { normalise: true } })
    const before = simulator.record(HQ, CORP)
    const changes = await plan(
      hq({
        corp: {
          vlan_id: 21,
          roam_mode: 'okc',
          vlan_ids: ['10', '20'],
          ap_ids: null,
          auth_servers_nas_id: null,
          auth_servers: [{ host: '10.0.0.1', port: 1645, secret: env('R', 'radius-one') }]
        }
      })
    )
    const outcome = only(await apply(changes))
    expect(outcome.status).toBe('applied')
    expect(outcome).not.toHaveProperty('not_verifiable')
    expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: '21', roam_mode: 'OKC' })
    // Objects that the console adds are new; existing fields are side effects.
    const known = outcome.side_effects?.filter(pointer => Object.hasOwn(before, pointer.slice(1)))
    expect(known ?? []).toEqual([])
  })
})

describe('a hidden secret', () => {
  const hidings: readonly SecretMasking[] = ['masked', 'partly', 'empty', 'absent']

  it.each(hidings)('that is sent cannot be verified (%s)', async hiddenSecrets => {
    const { simulator, plan, apply } = await setStage({ switches: { hiddenSecrets } })
    const changes = await plan(hq({ guest: { auth: { owe: 'enabled', psk } } }))
    expect(only(await apply(changes))).toEqual({
      address: 'hq/guest',
      status: 'applied',
      not_verifiable: ['/auth/psk']
    })
    const auth = { type: 'psk', owe: 'enabled', psk: 'a-new-passphrase' }
    expect(sent(simulator)).toEqual([{ auth }])
  })

  it.each(hidings)('that is not sent is no side effect (%s)', async hiddenSecrets => {
    const { simulator, plan, apply } = await setStage({ switches: { hiddenSecrets } })
    const changes = await plan(hq({ guest: { vlan_id: 40, auth: { psk } } }))
    expect(only(await apply(changes))).toEqual({ address: 'hq/guest', status: 'applied' })
    expect(sent(simulator)).toEqual([{ vlan_id: 40 }])
    expect(simulator.record(HQ, GUEST)['auth']).toMatchObject({ psk: 'test-psk-123' })
  })
})
