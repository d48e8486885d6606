import { describe, expect, it } from 'vitest'
import { corp, guest, HQ } from '../simulator/simulate.ts'
import { nth, UNKNOWN_ID } from '../support/ids.ts'
import { Screen } from '../support/screen.ts'
import { type Stage, stage } from '../support/stage.ts'

const LAB = nth(1)

function live(id: number, ssid: string, fields: object = {}) {
  return { id: nth(100 + id), site_id: LAB, ssid, ...fields }
}

const open = live(1, 'Guest', { enabled: false, vlan_enabled: true, vlan_id: '30' })

/** Two sites, of which the fleet declares both. */
async function staged(wlans: readonly object[] = [open]): Promise<Stage> {
  const sites = [
    { id: HQ, name: 'hq', wlans: [corp, guest] },
    { id: LAB, name: 'lab', wlans }
  ]
  const made = await stage({ sites: sites as never })
  made.write(
    'fleet/lab.yaml',
    `site: { id: ${LAB}, name: lab }\nwlans: { guest: { ssid: Guest } }\n`
  )
  made.write('sites.txt', `${HQ} hq\n${LAB} lab\n`)
  return made
}

async function listed(line: string, made?: Stage) {
  const { run } = made ?? (await staged())
  return run(`list ${line}`)
}

describe('list', () => {
  it('prints the declared WLANs, and defaults in parentheses; sends nothing', async () => {
    const made = await staged()
    const { code, stdout, stderr } = await listed('fleet', made)
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'wlanctl: 3 WLANs at 2 sites\n' })
    expect(stdout).toBe(
      [
        'site  wlan   ssid   enabled  security  vlan',
        'hq    corp   Corp   false    (open)    21',
        'hq    guest  Guest  (true)   (open)    (untagged)',
        'lab   guest  Guest  (true)   (open)    (untagged)\n'
      ].join('\n')
    )
    expect(made.methods()).toEqual([])
  })

  it('prints live WLANs with the keys of the fleet, and only reads', async () => {
    const made = await staged([open, live(2, 'Attic')])
    const { code, stdout } = await listed('fleet --live', made)
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        'site  wlan   ssid   enabled  security               vlan',
        'hq    corp   Corp   true     eap (wpa2-ccmp, wpa3)  untagged',
        'hq    guest  Guest  true     psk (wpa2-ccmp)        untagged',
        'lab   -      Attic  true     open                   untagged',
        'lab   guest  Guest  false    open                   30\n'
      ].join('\n')
    )
    expect(new Set(made.methods())).toEqual(new Set(['GET']))
  })

  it('prints the same of a snapshot, of its folder, and of a list of sites', async () => {
    const made = await staged()
    await made.run('snapshot fleet --out live.json')
    await made.run('snapshot fleet --into estate')
    const requests = made.methods().length
    const [one, folder, ofFleet] = await Promise.all(
      ['--against live.json', '--against estate', 'fleet --against live.json'].map(line =>
        listed(`${line} --columns site,ssid,vlan`, made)
      )
    )
    expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('lab   Guest  30\n') })
    expect(folder).toEqual(one)
    expect(ofFleet).toEqual(one)
    expect(made.methods()).toHaveLength(requests)
    const from = await listed('--from sites.txt --columns site,ssid,vlan', made)
    expect(from.stdout).toBe(one?.stdout)
  })

  it.each([
    ['--where auth.type=open', 'hq/corp hq/guest lab/guest'],
    ['--where auth.type=open --live', 'lab/Guest'],
    ['--where !enabled', 'hq/corp'],
    ['--where auth.psk', 'hq/guest'],
    ['--site l*', 'lab/guest'],
    ['--shard 3/3 --live', 'lab/Guest'],
    ['--shard 1/3', 'hq/corp hq/guest'],
    ['--exclude-site l* --wlan g*', 'hq/guest'],
    ['--wlan corp --live', 'hq/Corp'],
    ['--wlan hq/* --live', 'hq/Corp hq/Guest'],
    ['--sort -site,ssid', 'lab/guest hq/corp hq/guest'],
    ['--sort -vlan_id --live', 'lab/Guest hq/Corp hq/Guest']
  ])('fleet %s: %s', async (line, expected) => {
    const name = line.includes('--live') ? 'ssid' : 'wlan'
    const { code, stdout } = await listed(`fleet ${line} --format csv --columns site,${name}`)
    const [, ...rows] = stdout.trim().split('\r\n')
    expect({ code, rows: rows.map(row => row.replace(',', '/')).join(' ') }).toEqual({
      code: 0,
      rows: expected
    })
  })

  it('counts the WLANs and sites of each value', async () => {
    const { stdout } = await listed('fleet --live --count-by ssid')
    expect(stdout).toBe('ssid   WLANs  sites\nGuest  2      2\nCorp   1      1\n')
  })

  it('prints a matrix of sites, with the number of WLANs or a field', async () => {
    const { stdout } = await listed('fleet --live --by ssid')
    expect(stdout).toBe('site  Guest  Corp\nhq    1      1\nlab   1      -\n')
    const twice = await staged([open, live(2, 'Guest', { vlan_enabled: true, vlan_id: 40 })])
    expect((await listed('fleet --live --by ssid --columns vlan', twice)).stdout).toBe(
      'site  Guest     Corp\nhq    untagged  untagged\nlab   30, 40    -\n'
    )
    const json = await listed('fleet --live --by ssid --columns enabled --format json')
    expect(JSON.parse(json.stdout)).toEqual({
      format: 'wlanctl-list/1',
      rows: [
        { site: 'hq', values: { Guest: true, Corp: true } },
        { site: 'lab', values: { Guest: false, Corp: null } }
      ]
    })
  })

  it('has values as JSON, and null for a field that is not declared', async () => {
    const { stdout } = await listed(
      'fleet --format json --where wlan=corp --columns wlan,vlan_id,enabled,dtim,auth.pairwise'
    )
    expect(JSON.parse(stdout).rows).toEqual([
      { wlan: 'corp', vlan_id: 21, enabled: false, dtim: null, 'auth.pairwise': null }
    ])
  })

  it('says so if no WLAN matches', async () => {
    expect(await listed('fleet --where vlan>4000')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'wlanctl: no match in 3 WLANs at 2 sites\n'
    })
    expect((await listed('fleet --where vlan>4000 --format csv')).stdout).toBe(
      'site,wlan,ssid,enabled,security,vlan\r\n'
    )
  })

  it('lists the sites that it read, and exits with 5 for another', async () => {
    const made = await staged()
    const other = UNKNOWN_ID.replace(/^./, '1')
    made.write(
      'fleet/gone.yaml',
      `sites:
  - { id: ${UNKNOWN_ID}, name: gone }
  - { id: ${other}, name: moved }
wlans: { x: { ssid: X } }
`
    )
    const { code, stdout, stderr } = await listed('fleet --live --format json', made)
    expect(code).toBe(5)
    expect(stderr).toMatch(/^error: the site could not be read: .*\/sites\/…\/wlans: 404/m)
    expect(stderr).toContain('  2 sites: gone, moved\n')
    expect(JSON.parse(stdout)).toMatchObject({ unread: ['gone', 'moved'], rows: { length: 3 } })
  })

  it('knows nothing of a secret that the service may hide', async () => {
    const made = await staged()
    made.simulator.set({ hiddenSecrets: 'absent' })
    const column = async (line: string) =>
      (await listed(`fleet --live --format csv --columns site,ssid,auth.psk${line}`, made)).stdout
    expect(await column('')).toContain('hq,Guest,(unknown)\r\n')
    expect(await column(' --where auth.psk')).toBe('site,ssid,auth.psk\r\n')
    expect(await column(' --where !auth.psk')).toBe('site,ssid,auth.psk\r\n')
  })

  it.each(['csv', 'text', 'markdown'])(
    'starts no line of %s with a workflow command, and escapes other hostile names',
    async format => {
      const names = [
        '::stop-commands::x',
        ' ::add-mask::y',
        '\u001b[31mred',
        '=cmd|calc!A1',
        'two\nlines'
      ]
      const made = await staged(names.map((ssid, at) => live(at, ssid)))
      for (const line of [
        '--columns ssid',
        '--by ssid',
        '--count-by ssid',
        '--columns ssid,site'
      ]) {
        const { stdout } = await listed(`--from sites.txt --format ${format} ${line}`, made)
        expect(stdout).toContain('stop-commands')
        expect(stdout).not.toMatch(/^\s*::/m)
        expect(stdout).not.toContain('\u001b')
        expect(stdout).toContain('two\\nlines')
        if (format === 'csv') expect(stdout).toContain("'=cmd")
      }
    }
  )

  it('aligns wide characters, and has the fields below each other on a narrow terminal', async () => {
    const made = await staged([live(1, '無線'), live(2, 'A Wi-Fi with a very long name')])
    const shown = async (columns: number) => {
      const stdout = new Screen(columns)
      await made.run(
        'list --from sites.txt --site lab --columns site,ssid,security,vlan',
        {},
        { stdout }
      )
      return stdout.written
        .join('')
        .replaceAll('\r\n', '\n')
        .replaceAll(/\u001b\[\d+m/g, '')
    }
    expect(await shown(80)).toContain('lab   無線                           open')
    const lines = (await shown(30)).split('\n')
    expect(lines).toContain('  security  open')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(30)
  })

  it.each([
    ['fleet --wlan gest', 'no WLAN matches "gest"'],
    ['fleet --live --wlan gest', 'no WLAN matches "gest"\n  did you mean "Guest"?\n']
  ])('%s ends with 3: %s', async (line, message) => {
    const { code, stdout, stderr } = await listed(line)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('knows fields that only the live WLANs have', async () => {
    const made = await staged([live(1, 'New', { new_mode: 'fast' })])
    const { code, stdout } = await listed(
      'fleet --live --where new_mode=fast --columns ssid,new_mode',
      made
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ssid  new_mode\nNew   fast\n' })
  })
})
