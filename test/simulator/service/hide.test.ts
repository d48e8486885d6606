import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/simulator/json.ts'
import { hidings } from '../../../src/simulator/switches.ts'
import { CORP_PATH, corp, GUEST, GUEST_PATH, guest, HQ, simulate, WLANS } from '../simulate.ts'

const shown = {
  no: { psk: 'test-psk-123', password: 'seesam', secrets: ['radius-one', 'radius-two'] },
  masked: { psk: '********', password: '********', secrets: ['********', '********'] },
  partly: { psk: 'te*****23', password: '*****', secrets: ['ra*****ne', 'ra*****wo'] },
  empty: { psk: '', password: '', secrets: ['', ''] },
  absent: { psk: undefined, password: undefined, secrets: [undefined, undefined] }
}

function secretsOf(corp: JsonObject, guest: JsonObject) {
  const servers = corp['auth_servers'] as readonly JsonObject[]
  const auth = guest['auth'] as JsonObject
  const portal = guest['portal'] as JsonObject
  return {
    psk: auth['psk'],
    password: portal['password'],
    secrets: servers.map(server => server['secret'])
  }
}

describe('hiddenSecrets', () => {
  it.each(hidings)('%s: in lists, reads and the answer to a PUT alike', async hiddenSecrets => {
    const { simulator, get, put } = await simulate({ switches: { hiddenSecrets } })
    const list = (await get(WLANS)).body as JsonObject[]
    expect(secretsOf(list[0] ?? {}, list[1] ?? {})).toEqual(shown[hiddenSecrets])
    const read = (await get(GUEST_PATH)).body as JsonObject
    const answer = (await put(CORP_PATH, { ssid: 'New' })).body as JsonObject
    expect(secretsOf(answer, read)).toEqual(shown[hiddenSecrets])
    expect(secretsOf(corp, simulator.record(HQ, GUEST))).toEqual(shown.no)
  })

  it('leaves everything else, an empty secret too', async () => {
    const { simulator, get } = await simulate({ switches: { hiddenSecrets: 'masked' } })
    simulator.edit(HQ, GUEST, { auth: { type: 'open', psk: '' }, portal: { enabled: true } })
    const expected = simulator.record(HQ, GUEST)
    expect((await get(GUEST_PATH)).body).toEqual(expected)
    expect(expected).toMatchObject({ ssid: guest.ssid })
  })

  it('hides secrets in lists of secrets', async () => {
    const { simulator, get } = await simulate({ switches: { hiddenSecrets: 'masked' } })
    simulator.edit(HQ, GUEST, { auth: { type: 'wep', keys: ['0123456789', ''] } })
    expect((await get(GUEST_PATH)).body).toMatchObject({ auth: { keys: ['********', ''] } })
  })

  it('stores what is written back, asterisks too: that destroys the secret', async () => {
    const { simulator, get, put } = await simulate({ switches: { hiddenSecrets: 'masked' } })
    const { auth } = (await get(GUEST_PATH)).body as { auth: JsonObject }
    await put(GUEST_PATH, { auth })
    expect(simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: '********' } })
  })
})
