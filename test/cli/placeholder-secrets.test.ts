import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, stage } from '../support/stage.ts'

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
const portal = { portal: { enabled: true, auth: 'password', password: A } }

describe('a secret that plainly is none', () => {
  it.each<[value: string, looksLike: string, fields: object]>([
    ['op://net/radius/secret', 'a reference of a vault', servers],
    ['\x24{{ secrets.PORTAL }}', 'an expression of a workflow', portal],
    ['"first-secret"', 'wrapped in quotes', servers]
  ])('blocks the WLAN: %s', async (value, looksLike, fields) => {
    const { run, methods } = await withSecret(value, fields)
    const plan = await run('plan fleet')
    const apply = await run('apply fleet --yes')
    for (const { code, stdout, stderr } of [plan, apply]) {
      expect(code).toBe(5)
      expect(stdout + stderr).toContain(`is ${looksLike}, not the secret`)
      expect(stdout + stderr).not.toContain(value)
    }
    expect(methods()).not.toContain('PUT')
  })

  it('is reported where its length is wrong, too', async () => {
    const { run } = await withSecret('null', psk)
    const { code, stdout, stderr } = await run('plan fleet')
    expect(code).toBe(3)
    expect(stdout + stderr).toContain('got a value that is the empty value of a program')
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
