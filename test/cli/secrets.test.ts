import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { FLEET, hqFile, stage } from '../support/stage.ts'

describe('a secrets directory that does not exist', () => {
  const warning = 'wlanctl: warning: the secrets directory "nowhere" does not exist\n'

  it.each(['plan fleet', 'adopt fleet --dry-run'])('is a warning, once: %s', async line => {
    const made = await stage()
    const { code, stderr } = await made.run(`${line} --secrets-dir nowhere`)
    expect(code).not.toBe(3)
    expect(stderr.split(warning)).toHaveLength(2)
  })

  it('is one from the environment, too, and none with --quiet', async () => {
    const made = await stage()
    const nowhere = { WLANCTL_SECRETS_DIR: 'nowhere' }
    expect((await made.run('plan fleet', nowhere)).stderr).toContain(warning)
    expect((await made.run('plan fleet --quiet', nowhere)).stderr).not.toContain('warning')
    made.write('a-file', '')
    const { stderr } = await made.run('plan fleet --secrets-dir a-file')
    expect(stderr).toContain('the secrets directory "a-file" is not a directory\n')
  })

  it('is wrong for doctor', async () => {
    const made = await stage()
    const { code, stdout } = await made.run('doctor fleet --secrets-dir nowhere')
    expect(code).toBe(1)
    expect(stdout).toContain('the secrets directory "nowhere" does not exist')
    expect(stdout).not.toContain('only you can read the secret files')
  })
})

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

async function withSecret(value: string, fields: object) {
  const live = { id: CORP, ssid: 'Corp', site_id: HQ, auth: { type: 'psk', psk: 'the-live-key-1' } }
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [live] }] })
  const wlan = JSON.stringify({ ssid: 'Corp', ...fields })
  made.write('fleet/hq.yaml', hqFile(`\n  corp: ${wlan}`))
  const run = (line: string) => made.run(line, { WLAN_SECRET_A: value })
  return { run, methods: made.methods }
}

const A = { $env: 'WLAN_SECRET_A' }
const psk = { auth: { type: 'psk', psk: A } }
const servers = { auth_servers: [{ host: '10.0.0.1', secret: A }] }

describe('a secret that plainly is none', () => {
  it.each<[value: string, looksLike: string, fields: object]>([
    ['op://net/radius/secret', 'a reference of a vault', servers],
    ['te*****23', 'a mask', psk]
  ])('is wrong input: %s', async (value, looksLike, fields) => {
    const { run, methods } = await withSecret(value, fields)
    const plan = await run('plan fleet')
    const apply = await run('apply fleet --yes')
    for (const { code, stdout, stderr } of [plan, apply]) {
      expect(code).toBe(3)
      expect(stdout + stderr).toContain(`is ${looksLike}, not the secret`)
      expect(stdout + stderr).not.toContain(value)
    }
    expect(methods()).not.toContain('PUT')
  })
})

describe('a switch in a field with the name of a secret', () => {
  it.each([{ multi_psk: { enabled: false } }, { auth: { mpsk: { on: [true, false] } } }])(
    'is no plaintext secret: %j',
    async fields => {
      const { run } = await withSecret('-', fields)
      const { code, stdout, stderr } = await run('validate fleet')
      expect(code).toBe(3)
      expect(stdout + stderr).toContain('unknown field')
      expect(stdout + stderr).not.toContain('plaintext')
    }
  )

  it('is one as a text', async () => {
    const { run } = await withSecret('-', { mpsk: { key: 'in the clear' } })
    const { stdout, stderr } = await run('validate fleet')
    expect(stdout + stderr).toContain('plaintext')
  })
})
