import { describe, expect, it } from 'vitest'
import { CORP, corp, GUEST, HQ } from '../../simulator/simulate.ts'
import { env } from '../../support/desired.ts'
import { asked, hq, LONG, only, sent, setStage } from './support.ts'

const psk = env('GUEST_PSK', 'a-new-passphrase')

describe('applied', () => {
  it('sends the changed top-level fields, each complete, and no other', async () => {
    const { simulator, plan, apply } = await setStage()
    const changes = await plan(
      hq({ guest: { ssid: 'Guest', hide_ssid: true, vlan_id: 40, auth: { psk } } })
    )
    const outcome = only(await apply(changes))
    expect(outcome).toEqual({ address: 'hq/guest', status: 'applied' })
    const auth = { type: 'psk', psk: 'a-new-passphrase' }
    expect(sent(simulator)).toEqual([{ hide_ssid: true, vlan_id: 40, auth }])
    expect(simulator.record(HQ, GUEST)).toMatchObject({ ssid: 'Guest', vlan_id: 40, auth })
  })

  it('verifies the WLAN with one read while the list is fresh', async () => {
    const { simulator, plan, apply } = await setStage()
    await apply(await plan(hq({ guest: { vlan_id: 40 } })))
    expect(asked(simulator)).toEqual(['GET wlans', 'PUT guest', 'GET guest'])
    expect(simulator.history).toHaveLength(1)
  })

  it('refreshes a WLAN before the update if the list is old', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40 } }))
    clock.advance(LONG)
    await apply(changes)
    const forOne = (name: string) => [`GET ${name}`, `PUT ${name}`, `GET ${name}`]
    expect(asked(simulator, 1)).toEqual([...forOne('corp'), ...forOne('guest')])
  })

  it('builds the body from the refreshed record', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { auth: { eap_reauth: true } } }))
    simulator.edit(HQ, CORP, { auth: { type: 'eap', pairwise: ['wpa3'] } })
    clock.advance(LONG)
    expect(only(await apply(changes)).status).toBe('applied')
    expect(sent(simulator)).toEqual([
      { auth: { type: 'eap', pairwise: ['wpa3'], eap_reauth: true } }
    ])
  })

  it('keeps undeclared members in the elements of a list', async () => {
    const { simulator, plan, apply } = await setStage()
    const auth_servers = [{ host: '10.0.0.2' }, { host: '10.0.0.9', secret: env('R', 'radius-9') }]
    expect(only(await apply(await plan(hq({ corp: { auth_servers } })))).status).toBe('applied')
    expect(sent(simulator)).toEqual([
      {
        auth_servers: [
          { host: '10.0.0.2', port: '1812', secret: 'radius-two' },
          { host: '10.0.0.9', secret: 'radius-9' }
        ]
      }
    ])
  })
})

describe('unchanged', () => {
  it('is a WLAN that reached the declared state in the meantime', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ guest: { vlan_id: 40, auth: { psk } } }))
    simulator.edit(HQ, GUEST, { vlan_id: '40', auth: { type: 'psk', psk: 'a-new-passphrase' } })
    clock.advance(LONG)
    expect(only(await apply(changes))).toEqual({ address: 'hq/guest', status: 'unchanged' })
    expect(simulator.history).toEqual([])
  })
})

describe('stale', () => {
  it('is a change with an edited field: nothing is sent', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { vlan_id: 21, enabled: false } }))
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    clock.advance(LONG)
    expect(only(await apply(changes))).toMatchObject({
      status: 'stale',
      fields: [{ pointer: '/vlan_id', before: 20, wanted: 21, found: 99 }]
    })
    expect(simulator.history).toEqual([])
  })

  it('is a change that would have grown: fields outside of the plan are not sent', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { vlan_id: 21, enabled: true } }))
    simulator.edit(HQ, CORP, { enabled: false })
    clock.advance(LONG)
    expect(only(await apply(changes))).toMatchObject({
      status: 'stale',
      fields: [{ pointer: '/enabled', before: true, wanted: true, found: false }]
    })
    expect(simulator.history).toEqual([])
  })

  it('is a change that would now do more, because another field was edited', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    simulator.edit(HQ, CORP, { enabled: false, vlan_enabled: true })
    const changes = await plan(hq({ corp: { vlan_id: 21 } }))
    simulator.edit(HQ, CORP, { enabled: true })
    clock.advance(LONG)
    expect(only(await apply(changes))).toMatchObject({
      status: 'stale',
      reason: expect.stringContaining('the impact reconnect instead of none (enabled was false, ')
    })
    expect(simulator.history).toEqual([])
  })

  it('is a change with an edited secret; neither value is printed', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ guest: { auth: { psk } } }))
    simulator.edit(HQ, GUEST, { auth: { type: 'psk', psk: 'somebody-elses' } })
    clock.advance(LONG)
    const outcome = only(await apply(changes))
    expect(outcome).toMatchObject({ status: 'stale', fields: [{ pointer: '/auth/psk' }] })
    expect(JSON.stringify(outcome)).not.toMatch(/somebody|passphrase|test-psk/)
  })

  it('is a change with a secret that the service now hides', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ guest: { auth: { psk } } }))
    simulator.set({ hiddenSecrets: 'masked' })
    clock.advance(LONG)
    expect(only(await apply(changes)).status).toBe('stale')
    expect(simulator.history).toEqual([])
  })

  it.each([
    ['a default', { dtim: 5 }, { dtim: 2 }],
    ['a block that is off', { schedule: { enabled: true } }, { schedule: { enabled: false } }],
    ['an empty block', { schedule: { enabled: true } }, { schedule: { enabled: null, hours: {} } }],
    ['a member with its default', { portal: { expire: 60 } }, { portal: { expire: 1440 } }]
  ])('is not a change of an absent field that is now %s', async (_, declared, edit) => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: declared }))
    simulator.edit(HQ, CORP, edit)
    clock.advance(LONG)
    expect(only(await apply(changes))).toEqual({ address: 'hq/corp', status: 'applied' })
    expect(simulator.record(HQ, CORP)).toMatchObject(declared)
  })

  const unrelated = [
    ['another field', { hide_ssid: true }],
    ['a read-only field', { created_time: 9 }],
    ['another member of the same object', { auth: { type: 'eap', pairwise: ['wpa3'] } }],
    ['the same value in another form', { vlan_id: '20' }]
  ] as const
  it.each(unrelated)('is not a change if %s was edited', async (_, edit) => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { vlan_id: 21, auth: { eap_reauth: true } } }))
    simulator.edit(HQ, CORP, edit)
    clock.advance(LONG)
    expect(only(await apply(changes))).toEqual({ address: 'hq/corp', status: 'applied' })
    expect(simulator.record(HQ, CORP)).toMatchObject({ ...edit, vlan_id: 21, auth: {} })
  })
})

describe('skipped before the update', () => {
  it('is a change that must contain a secret that is hidden now', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ guest: { auth: { owe: 'enabled' } } }))
    simulator.set({ hiddenSecrets: 'partly' })
    clock.advance(LONG)
    expect(only(await apply(changes))).toMatchObject({
      status: 'skipped',
      reason: expect.stringMatching(/^SECRET_HIDDEN: .*auth\.psk/)
    })
    expect(simulator.history).toEqual([])
  })
})

describe('failed before the update', () => {
  it('is a change of a deleted WLAN', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40 } }))
    simulator.remove(HQ, CORP)
    clock.advance(LONG)
    expect(await apply(changes)).toMatchObject([
      { address: 'hq/corp', status: 'failed', reason: expect.stringContaining('404') },
      { address: 'hq/guest', status: 'applied' }
    ])
  })

  it('is a change of a WLAN that now belongs to a template', async () => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(hq({ corp: { vlan_id: 21 } }))
    simulator.edit(HQ, CORP, { template_id: corp.id })
    clock.advance(LONG)
    expect(only(await apply(changes)).status).toBe('failed')
    expect(simulator.history).toEqual([])
  })
})
