import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { stage } from '../support/stage.ts'

const CORP = { id: nth(1), ssid: 'Corp', auth: { type: 'psk', psk: 'a-long-enough-key' } }

/** A service with `Corp`, which a fleet declares, and these other WLANs. */
async function withOthers(wlans: readonly object[], policy = '{}') {
  const all = [CORP, ...wlans.map((wlan, at) => ({ id: nth(at + 2), ...wlan }))]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: all as never }] })
  made.write(
    'open/hq.yaml',
    `policy: ${policy}\nsite: { id: ${HQ}, name: hq }\nwlans:\n  corp: { ssid: Corp }\n`
  )
  return made
}

const PRINTER = { ssid: 'Printer-Setup', vlan_enabled: true, vlan_id: 30, isolation: true }
const OPEN = 'anybody can join the live WLAN "Printer-Setup"'

describe('an unmanaged WLAN', () => {
  it('that anybody can join is drift, with its security and VLAN, in every format', async () => {
    const { run, read } = await withOthers([PRINTER])
    const formats = ['markdown', 'html', 'github', 'json']
    const reports = formats.map(format => `--report ${format}=${format}`).join(' ')
    const { code, stdout } = await run(`drift open ${reports}`)
    expect(code).toBe(2)
    for (const format of formats) expect(read(format)).toContain('open, VLAN 30')
    expect(stdout).toContain(OPEN)
    expect(stdout).toMatch(/\nDrift: 1 error in the live state\n$/)
    expect(stdout).toMatch(/ {2}hq {2}"Printer-Setup" {2}open, VLAN 30 {2}\w/)
  })

  it.each<[what: string, wlan: object, network: string]>([
    ['off', { ...PRINTER, enabled: false }, 'open, VLAN 30, off'],
    ['encrypted', { ...PRINTER, auth: { type: 'psk', psk: 'another-long-key' } }, 'psk, VLAN 30'],
    ['behind a login', { ...PRINTER, portal: { enabled: true, auth: 'none' } }, 'open, VLAN 30']
  ])('that is %s is listed, and no drift', async (_, wlan, network) => {
    const { run } = await withOthers([wlan])
    const { code, stdout } = await run('drift open')
    expect(stdout).toContain(network)
    expect(stdout).not.toContain('anybody')
    expect(code).toBe(0)
  })

  it('is silent if the policy ignores unmanaged WLANs', async () => {
    const { run } = await withOthers([PRINTER], '{ unmanaged: ignore }')
    const { code, stdout } = await run('drift open')
    expect(stdout).not.toContain('Printer-Setup"')
    expect(code).toBe(0)
  })

  it.each([
    ['report', 2],
    ['ignore', 0]
  ])('that breaks an error rule of the linter is drift: %s', async (unmanaged, expected) => {
    const wlan = { ...PRINTER, vlan_pooling: true, portal: { enabled: true, auth: 'none' } }
    const policy = `{ unmanaged: ${unmanaged} }`
    const { run } = await withOthers([wlan], policy)
    const { code, stdout } = await run('drift open --verbose')
    expect(stdout).toContain('"Printer-Setup": ')
    expect({ code, stdout }).toMatchObject({ code: expected })
    expect(await run('plan open --detailed-exitcode')).toMatchObject({ code: 0 })
  })

  it('that breaks an error rule of the policy over all WLANs is drift', async () => {
    const rule =
      '{ name: hidden, over: all, message: hide it, require: { properties: { hide_ssid: { const: true } } } }'
    const wlan = { ...PRINTER, hide_ssid: false, auth: CORP.auth }
    const { run } = await withOthers([wlan], `{ rules: [${rule}] }`)
    const { code, stdout } = await run('drift open')
    expect(stdout).toContain('error: "Printer-Setup": existing: ')
    expect(code).toBe(2)
    expect(await run('plan open --detailed-exitcode')).toMatchObject({ code: 0 })
  })
})
