import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { pageText } from '../support/page-text.ts'
import { stage } from '../support/stage.ts'

const OPEN = `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, vlan_id: 20 }
`

/** A fleet that declares a VLAN and little else. */
async function open(unwatched = 'report') {
  const made = await stage()
  made.write('open/hq.yaml', OPEN)
  made.write('open/wlanctl.yaml', `policy: { unmanaged: ignore, unwatched: ${unwatched} }\n`)
  return made
}

const NOTE = [
  'Not watched: auth.type on 1 WLAN, auth.pairwise on 1 WLAN, not at the default;',
  'and 12 more, at the default: wlanctl adopt'
]

/** The note, whose command names the fleet, unless that is unknown. */
function expectNote(text: string, fleet = 'open '): void {
  const [first = '', second = ''] = NOTE
  for (const part of [first, `${second} ${fleet}--undeclared`])
    expect(pageText(text).replaceAll('`', '')).toContain(part)
}

describe('undeclared fields', () => {
  it('are one line of drift, by field and with the next step, and listed with --verbose', async () => {
    const { run } = await open()
    const { code, stdout } = await run('drift open')
    expect(code).toBe(0)
    expectNote(stdout)
    expect(stdout).toContain('; auth_servers on 1 WLAN, which adopt does not declare\n')
    expect(stdout).not.toContain('bonjour')
    const verbose = await run('drift open --verbose')
    expect(verbose.stdout).toContain('  Corp at hq  auth.type, auth.pairwise, ')
  })

  it('are not reported by apply', async () => {
    const { run } = await open('error')
    const { code, stdout, stderr } = await run('apply open --yes')
    expect(code).toBe(0)
    expect(stdout + stderr).not.toMatch(/watched/i)
  })

  it('are a line of drift in every format, and listed in JSON, HTML and verbose Markdown', async () => {
    const { run, read } = await open()
    const formats = ['markdown', 'github', 'html', 'json']
    await run(`drift open ${formats.map(format => `--report ${format}=${format}`).join(' ')}`)
    for (const format of ['markdown', 'github', 'html']) expectNote(read(format))
    expect(JSON.parse(read('json')).unwatched[0]).toMatchObject({
      address: 'hq/corp',
      pointers: expect.arrayContaining(['/isolation', '/auth/type']),
      not_default: expect.arrayContaining(['/auth/type'])
    })
    expect(pageText(read('html'))).toContain('Corp at hq\nauth.type')
    expect(read('markdown')).not.toContain('Fields that')
    const verbose = await run('drift open --format markdown --verbose')
    expect(verbose.stdout).toContain('Not watched: fields that can change unnoticed (1)')
    expectNote((await run('show json')).stdout, '')
  })

  it('are an error of drift, which refuses nothing, if the policy says so', async () => {
    const { run } = await open('error')
    const { code, stdout } = await run('drift open')
    expect(code).toBe(2)
    expect(stdout).toContain('hq/corp (auth.type, auth.pairwise, ')
  })
})

describe('drift --since a snapshot', () => {
  it('reports each field that changed, in every format', async () => {
    const { run, read, simulator } = await open()
    expect((await run('snapshot open --out before.json')).code).toBe(0)
    const before = await run('drift open --since before.json')
    expect(before).toMatchObject({ code: 0 })
    expect(before.stdout).toContain('No drift')
    simulator.edit(HQ, CORP, { isolation: true })
    const reports = '--report markdown=m --report html=h --report github=g --report json=j'
    const { code, stdout } = await run(`drift open --since before.json ${reports}`)
    expect(code).toBe(2)
    for (const text of [stdout, read('m'), read('h'), read('g')])
      expect(text).toMatch(/isolation.*false → true/)
    expect(read('j')).toContain('"UNDECLARED_CHANGED"')
    expect(stdout).toMatch(/\nDrift: 1 undeclared field changed\n$/)
  })
})

describe('undeclared fields in validate', () => {
  /** Two WLANs that lack guard fields, of which one declares some. */
  async function files(unwatched: string) {
    const made = await open(unwatched)
    made.write(
      'open/hq.yaml',
      `${OPEN}  guest: { ssid: Guest, isolation: true, auth: { type: psk, pairwise: [wpa2-ccmp] } }\n`
    )
    return made
  }

  const LINE =
    'Not watched: auth.enable_mac_auth on 2 WLANs, bands on 2 WLANs, block_blacklist_clients on 2 WLANs and 14 more: wlanctl adopt open --undeclared, or set policy.unwatched'

  it('are one line, by field and with the next step, in every format', async () => {
    const { run, read } = await files('report')
    const reports = '--report markdown=m --report html=h --report github=g'
    const { code, stdout } = await run(`validate open ${reports}`)
    for (const text of [stdout, read('m'), read('h'), read('g')])
      expect(pageText(text).replaceAll('`', '')).toContain(LINE)
    expect(stdout).not.toContain('hq/guest ')
    expect(code).toBe(0)
  })

  it('are listed in JSON and with --verbose', async () => {
    const { run } = await files('report')
    const { unwatched } = JSON.parse((await run('validate open --format json')).stdout)
    expect(unwatched.map(({ address }: { address: string }) => address)).toEqual([
      'hq/corp',
      'hq/guest'
    ])
    expect(unwatched[0].pointers).toContain('/isolation')
    expect(unwatched[1].pointers).not.toContain('/isolation')
    expect(unwatched[1]).not.toHaveProperty('not_default')
    expect((await run('validate open --verbose')).stdout).toMatch(/ {2}corp at hq {2,}auth\.type, /)
  })

  it('are refused if the policy is error', async () => {
    const { run } = await files('error')
    const { code, stdout } = await run('validate open')
    expect(stdout).toContain('hq/guest (auth.multi_psk_only, ')
    expect(stdout).toContain('[UNWATCHED]')
    expect(code).toBe(4)
  })
})
