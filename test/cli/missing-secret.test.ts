import { describe, expect, it } from 'vitest'
import { FLEET, stage } from '../support/stage.ts'

/** A fleet that declares one WLAN more: one that is not live, with a secret that is not available. */
const WITH_NEW = `${FLEET}  new:
    ssid: New
    auth: { type: psk, psk: { $env: WLAN_SECRET_NEW } }
`
const NONE = { WLAN_SECRET_GUEST: undefined }

describe('apply without a secret', () => {
  it('blocks a WLAN that is not live, and applies the others', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', WITH_NEW)
    const { code, stdout, stderr } = await made.run('apply fleet --yes')
    expect(code).toBe(5)
    expect(stdout).toContain('Apply: 2 applied; not planned: 1 WLAN blocked')
    expect(stderr).toContain('no live WLAN has the SSID "New"')
    expect(made.methods().filter(method => method === 'PUT')).toHaveLength(2)
  })

  it('sends nothing if a live WLAN needs it, whatever else is missing', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', WITH_NEW)
    const { code, stderr } = await made.run('apply fleet --yes', NONE)
    expect(code).toBe(3)
    expect(stderr).toContain('missing secret of hq/guest; nothing was sent')
    expect(made.methods()).not.toContain('PUT')
  })

  it('names a secret of several WLANs once', async () => {
    const made = await stage()
    made.write(
      'fleet/hq.yaml',
      FLEET.replace('enabled: false', 'auth: { psk: { $env: WLAN_SECRET_GUEST } }')
    )
    const { stderr } = await made.run('apply fleet --yes', NONE)
    expect(stderr.match(/WLAN_SECRET_GUEST/g)).toHaveLength(1)
    expect(stderr).toContain('missing secret of hq/corp and 1 other; nothing was sent')
  })

  it('counts a secret of several WLANs once in each format', async () => {
    const made = await stage()
    const more = '  corp-2: { ssid: Two, auth: { psk: { $env: WLAN_SECRET_GUEST } } }\n'
    made.write('fleet/hq.yaml', FLEET + more)
    const text = await made.run('plan fleet', NONE)
    expect(text.stdout).toMatch(/Needed by apply \(1\)\n.*1 secret is not available/)
    expect(text.stdout).not.toContain('Refused')
    const { stdout } = await made.run('plan fleet --format markdown', NONE)
    expect(stdout).toContain('1 secret unavailable to this plan')
  })

  it.each([
    ['with changes', FLEET, 'Plan: 1 WLAN to change (1 outage)'],
    [
      'without a change',
      FLEET.replace(/ {4}vlan_id.*\n.*\n/, ''),
      'No changes: all 2 WLANs are as declared, apart from 1 secret that was not compared'
    ]
  ])('is in the verdict of a plan %s', async (_, fleet, verdict) => {
    const made = await stage()
    made.write('fleet/hq.yaml', fleet)
    const { stdout } = await made.run('plan fleet', NONE)
    expect(stdout).toContain(`\n${verdict}; 1 secret is not available, and apply needs it\n`)
  })
})
