import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

const OPEN = `policy: { unwatched: drift }
site: { id: ${HQ}, name: hq }
wlans:
  corp:
    ssid: Corp
    vlan_id: 20
    auth: { type: eap }
    schedule: { enabled: true, hours: { mon: "09:00-17:00" } }
`

describe('adopt --undeclared', () => {
  it('declares the guard fields that no file declares, and the fields that are not at their default', async () => {
    const { run, simulator, write, read, methods } = await stage()
    write('open/hq.yaml', OPEN)
    const hours = { mon: '09:00-17:00', tue: '01:00-02:00', sun: '' }
    simulator.edit(HQ, CORP, { max_num_clients: 1, schedule: { enabled: true, hours } })
    const drift = await run('drift open')
    expect(drift.code).toBe(2)
    for (const field of ['max_num_clients', 'schedule/hours/tue', 'schedule/hours/sun']) {
      expect(drift.stdout).toContain(`/${field} is not declared, and not at its default`)
    }
    const { code, stdout } = await run('adopt open --undeclared --yes')
    // The secrets of its RADIUS servers are never adopted.
    expect(code).toBe(5)
    expect(stdout).toMatch(/hq\/corp {2}\/auth_servers\n {4}secrets are never adopted/)
    const text = read('open/hq.yaml')
    for (const line of [
      'max_num_clients: 1',
      'tue: "01:00-02:00"',
      'sun: ""',
      'isolation: false'
    ]) {
      expect(text).toContain(line)
    }
    expect(methods()).not.toContain('PUT')
    const again = await run('drift open')
    expect(again.stdout.match(/\S+ is not declared/g)).toEqual(['/auth_servers is not declared'])
    expect(again.stdout).toContain('Drift: 1 undeclared field changed')
  })

  it('writes only the requested fields', async () => {
    const { run, simulator, write, read } = await stage()
    write('open/hq.yaml', OPEN)
    simulator.edit(HQ, CORP, { max_num_clients: 1 })
    const { code } = await run('adopt open --undeclared --field /max_num_clients --yes')
    expect({ code, text: read('open/hq.yaml') }).toEqual({
      code: 0,
      text: `${OPEN}    max_num_clients: 1\n`
    })
  })
})
