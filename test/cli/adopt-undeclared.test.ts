import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, stage } from '../support/stage.ts'

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
    for (const field of ['max_num_clients', 'schedule.hours.tue', 'schedule.hours.sun']) {
      expect(drift.stdout).toContain(`${field} is not declared, and not at its default`)
    }
    const { code, stdout } = await run('adopt open --undeclared --yes')
    // The secrets of its RADIUS servers are never adopted.
    expect(code).toBe(5)
    expect(stdout).toMatch(/hq\/corp {2}auth_servers +secrets are never adopted/)
    const text = read('open/hq.yaml')
    const declared = ['max_num_clients: 1', 'tue: "01:00-02:00"', 'sun: ""', 'isolation: false']
    for (const line of declared) expect(text).toContain(line)
    expect(methods()).not.toContain('PUT')
    const again = await run('drift open')
    const undeclared = new Set(again.stdout.match(/\S+ is not declared/g))
    expect([...undeclared]).toEqual(['auth_servers is not declared'])
    expect(again.stdout).toContain('Drift: 1 undeclared field changed')
  })

  it('names values that are less secure than the default, like adopt', async () => {
    const { run, write, simulator } = await stage()
    const portal = { enabled: true, auth: 'password' }
    simulator.edit(HQ, CORP, { portal, portal_allowed_subnets: ['0.0.0.0/0'] })
    write('open/hq.yaml', hqFile('{ corp: { ssid: Corp } }'))
    const { stdout } = await run('adopt open --undeclared --dry-run')
    expect(stdout).toMatch(
      /\nLess secure than the default \(1\)\n {2}hq\/corp {2}portal_allowed_subnets {2}in /
    )
  })

  describe('of WLANs that extend one profile', () => {
    const portal = { enabled: true, auth: 'none' }
    const auth = { type: 'open' }
    const LIVE = { ssid: 'Guest', enabled: true, auth, portal, max_num_clients: 50 }
    const SITES = ['1', '2', '3'].map(n => ({
      id: `${n}ac1dcf4-9d8b-4211-95c4-057819f0862b`,
      name: `s${n}`,
      wlans: [{ id: `${n}d6f1c5e-0c1f-4a3e-9a86-1f0f6d1e2a77`, ...LIVE }]
    }))

    /** A file a site; `own` is the block of the third. */
    async function stores(own = '{ $extends: guest }') {
      const made = await stage({ sites: SITES })
      made.write('open/wlanctl.yaml', 'policy: { unwatched: drift }\n')
      made.write(
        'open/profiles.yaml',
        'profiles:\n  guest:\n    ssid: Guest\n    # the login page\n    portal: { enabled: true }\n'
      )
      for (const [at, { id, name }] of SITES.entries()) {
        const block = at === 2 ? own : '{ $extends: guest }'
        made.write(
          `open/${name}.yaml`,
          `site: { id: ${id}, name: ${name} }\nwlans:\n  guest: ${block}\n`
        )
      }
      return made
    }
    const lines = (text: string, name: string) => text.match(new RegExp(`${name}:`, 'g'))?.length

    it('are declared once, in the profile, and the next run is empty', async () => {
      const { run, read } = await stores()
      expect(await run('adopt open --undeclared --yes')).toMatchObject({ code: 0 })
      const profile = read('open/profiles.yaml')
      for (const name of ['max_num_clients', 'isolation']) expect(lines(profile, name)).toBe(1)
      expect(profile).toContain('# the login page')
      expect(profile).toMatch(/portal: \{ enabled: true, auth: "?none"?/)
      for (const { name } of SITES) expect(read(`open/${name}.yaml`)).not.toContain('isolation')
      expect(await run('drift open')).toMatchObject({ code: 0 })
      expect(await run('plan open --detailed-exitcode')).toMatchObject({ code: 0 })
      const again = await run('adopt open --undeclared --yes')
      expect(again).toMatchObject({ code: 0 })
      expect(again.stdout).not.toContain('Written')
      expect(read('open/profiles.yaml')).toBe(profile)
    })

    it.each([
      [
        'a WLAN has another live value',
        '{ $extends: guest }',
        { max_num_clients: 60 },
        '/max_num_clients'
      ],
      ['a WLAN is not read', '{ $extends: guest }', {}, '/isolation'],
      ['a site unsets the field', '{ $extends: guest }', { isolation: false }, '/isolation']
    ])('stay at the sites if %s', async (why, own, edit, field) => {
      const { run, read, write, simulator } = await stores(own)
      simulator.edit(SITES[2]?.id ?? '', SITES[2]?.wlans[0]?.id ?? '', edit)
      if (why.includes('unsets')) {
        write(
          'open/s3.yaml',
          `site: { id: ${SITES[2]?.id}, name: s3, wlans: { guest: { $unset: [isolation] } } }\nwlans:\n  guest: ${own}\n`
        )
      }
      const selection = why.includes('not read') ? ' --site s1 --site s2' : ''
      const { code } = await run(`adopt open --undeclared --field ${field}${selection} --yes`)
      expect(read('open/profiles.yaml')).not.toContain(field.slice(1))
      expect(read('open/s1.yaml')).toContain(field.slice(1))
      if (!why.includes('unsets')) expect(code).toBe(0)
    })

    it('go to the profile if the exception declares the field itself', async () => {
      const { run, read } = await stores('{ $extends: guest, isolation: true }')
      const { code } = await run('adopt open --undeclared --field /isolation --yes')
      expect(code).toBe(0)
      expect(read('open/profiles.yaml')).toContain('isolation: false')
      expect(read('open/s3.yaml')).toContain('isolation: true')
      expect(read('open/s1.yaml')).not.toContain('isolation')
    })
  })
})
