import { describe, expect, it } from 'vitest'
import { HQ } from '../../simulator/simulate.ts'
import { nth } from '../../support/ids.ts'
import { stage } from '../../support/stage.ts'

const suites = ['wpa2-ccmp', 'wpa3'] as const

/** A network with WPA2 that the files change to these ciphers. */
async function withCiphers(pairwise: readonly string[], policy = '') {
  const auth = { type: 'psk', psk: 'key-of-corp', pairwise: ['wpa2-ccmp'] }
  const wlans = [{ id: nth(1), ssid: 'Corp', enabled: true, auth }]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: wlans as never }] })
  made.write(
    'fleet/hq.yaml',
    `site: { id: ${HQ}, name: hq }
policy: { lint: { level: off }, ${policy} }
wlans: { corp: { ssid: Corp, auth: { pairwise: [${pairwise}] } } }
`
  )
  return made
}

describe('a change with several classes', () => {
  it('shows them all in JSON, and the worst alone as its impact', async () => {
    const { run } = await withCiphers(['wpa3'])
    const { stdout } = await run('plan fleet --format json')
    expect(JSON.parse(stdout).changes).toMatchObject([
      { impact: 'some', impacts: ['reconnect', 'some'] }
    ])
  })

  it.each([
    [['wpa3'], 'reconnect', 4],
    [['wpa3'], 'some', 0],
    [suites, 'guest-login', 4],
    [suites, 'reconnect', 0]
  ] as const)('to %j with --max-impact %s ends with %i', async (pairwise, most, expected) => {
    const { run, methods } = await withCiphers(pairwise)
    const { code } = await run(`apply fleet --yes --max-impact ${most}`)
    expect(code).toBe(expected)
    expect(methods().includes('PUT')).toBe(expected === 0)
  })

  it.each([
    ['[some]', false],
    ['[reconnect]', false],
    ['[reconnect, some]', true]
  ])('is sent in a freeze except %s: %s', async (except, isSent) => {
    const freeze = '{ from: "2020-01-01T00:00Z", until: "2099-01-01T00:00Z", reason: year'
    const { run, methods } = await withCiphers(
      ['wpa3'],
      `freezes: [${freeze}, except: ${except} }]`
    )
    expect(await run('apply fleet --yes')).toMatchObject({ code: 0 })
    expect(methods().includes('PUT')).toBe(isSent)
  })
})
