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

  it.each([
    ['a changed', FLEET.replace('ssid: Guest', 'ssid: Guest\n    dtim: 3')],
    ['an unchanged', FLEET]
  ])('blocks %s live WLAN that needs it, and applies the others', async (_, fleet) => {
    const made = await stage()
    made.write('fleet/hq.yaml', fleet)
    const { code, stdout } = await made.run('apply fleet --yes --format json', NONE)
    expect(code).toBe(5)
    const { planned, outcomes, findings } = JSON.parse(stdout)
    expect(planned).toMatchObject({ wlans: 2, changed: 1, unchanged: 0, blocked: 1 })
    expect(outcomes).toEqual([{ address: 'hq/corp', status: 'applied' }])
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'SECRET_UNAVAILABLE',
        level: 'error',
        address: 'hq/guest',
        message: 'the WLAN is not changed, because a declared secret is not available: /auth/psk'
      })
    )
    expect(made.methods().filter(method => method === 'PUT')).toHaveLength(1)
  })

  it('fails the wave of the WLAN', async () => {
    const made = await stage()
    const policy = 'policy: { rollout: [{ canary: hq }] }\n'
    made.write('fleet/hq.yaml', FLEET + policy)
    const { code, stdout } = await made.run('apply fleet --yes', NONE)
    expect({ code, stdout }).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('hq/guest is blocked')
    })
  })

  it('keeps what a plan approves, and says why the blocked WLAN is skipped', async () => {
    const made = await stage()
    await made.run('plan fleet --out plan.json')
    const line = 'apply fleet --yes --plan plan.json --format json'
    const { code, stdout } = await made.run(line, NONE)
    expect({ code, outcomes: JSON.parse(stdout).outcomes }).toEqual({
      code: 5,
      outcomes: [
        { address: 'hq/corp', status: 'applied' },
        {
          address: 'hq/guest',
          status: 'skipped',
          reason: 'the WLAN is not changed, because a declared secret is not available: /auth/psk'
        }
      ]
    })
  })

  it('is refused with the digest of a plan, which covers all WLANs', async () => {
    const made = await stage()
    const { digest } = JSON.parse((await made.run('plan fleet --format json', NONE)).stdout)
    const { code } = await made.run(`apply fleet --yes --expect ${digest}`, NONE)
    expect(code).toBe(4)
    expect(made.methods()).not.toContain('PUT')
  })

  it('counts a secret of several WLANs once in each format', async () => {
    const made = await stage()
    const more = '  corp-2: { ssid: Two, auth: { psk: { $env: WLAN_SECRET_GUEST } } }\n'
    made.write('fleet/hq.yaml', FLEET + more)
    const text = await made.run('plan fleet', NONE)
    expect(text.stdout).toMatch(/Needed by apply \(1\)\n.*1 secret is not available/)
    expect(text.stdout).not.toContain('Refused')
    const { stdout } = await made.run('plan fleet --format markdown', NONE)
    expect(stdout).toContain('**1 secret unavailable**')
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
