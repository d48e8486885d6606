import { describe, expect, it } from 'vitest'
import { withRedactedSecrets } from '../../src/files/redacted-secrets.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, corp, guest, HQ, UNKNOWN_ID } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

const NIL = '00000000-0000-0000-0000-000000000000'
const LOBBY = '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b03'

/** A site with two WLANs of its own and one with these members. */
async function withLobby(members: Readonly<Record<string, unknown>>): Promise<Stage> {
  const { site_id: _, ...common } = corp
  const owner = 'site_id' in members ? {} : { site_id: HQ }
  const lobby = { ...common, ...owner, org_id: UNKNOWN_ID, id: LOBBY, ssid: 'Lobby', ...members }
  const wlans = [corp, guest, lobby].map(each => JSON.parse(JSON.stringify(each)))
  return stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
}

const DECLARED = `site: { id: ${HQ}, name: hq }
wlans:
  lobby: { ssid: Lobby, vlan_id: 77 }
`

it.each<[what: string, members: Readonly<Record<string, unknown>>]>([
  ['a nil site', { site_id: NIL }],
  ['a null site', { site_id: null }],
  ['no site', { site_id: undefined }],
  ['for_site off', { for_site: false }],
  ['a template', { template_id: UNKNOWN_ID }]
])('a WLAN with %s is listed as inherited, and its site is read', async (_, members) => {
  const { run } = await withLobby(members)
  const { code, stdout } = await run('plan fleet --format json')
  const plan = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(plan.summary).toMatchObject({ sites_failed: 0, wlans: 2, unmanaged: 0 })
  expect(plan.unmanaged).toEqual([])
  const template = 'template_id' in members ? { template: UNKNOWN_ID } : {}
  expect(plan.inherited).toEqual([
    { site: 'hq', id: LOBBY, ssid: 'Lobby', network: 'eap', ...template }
  ])
})

describe('a WLAN with a template and a nil site', () => {
  const inherited = () => withLobby({ template_id: UNKNOWN_ID, site_id: NIL, for_site: false })

  it('is listed in every format, also with unmanaged WLANs as errors', async () => {
    const { run, read, write } = await inherited()
    write('fleet/policy.yaml', 'policy: { unmanaged: error }\n')
    const formats = ['markdown', 'github', 'html', 'json']
    const reports = formats.map(format => `--report ${format}=${format}`).join(' ')
    const { code, stdout } = await run(`plan fleet ${reports}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /\nInherited from the organization: a site cannot change them \(1\)\n {2}hq +"Lobby" +eap.* +7d6f1c5e/
    )
    for (const format of formats) expect(read(format)).toMatch(/inherited/i)
  })

  it('blocks its own change alone, is not adopted, and is in sync if it equals its declaration', async () => {
    const { run, read, write, methods, simulator } = await inherited()
    write('fleet/lobby.yaml', DECLARED)
    const blocked = { code: 5, stderr: expect.stringContaining('WLAN_INHERITED') }
    expect(await run('apply fleet --yes')).toMatchObject(blocked)
    expect(methods().filter(method => method === 'PUT')).toHaveLength(2)
    expect(simulator.record(HQ, LOBBY)['vlan_id']).toBe(corp['vlan_id'])
    expect(await run('adopt fleet --yes')).toMatchObject(blocked)
    expect(read('fleet/lobby.yaml')).toBe(DECLARED)
    write('fleet/lobby.yaml', DECLARED.replace('77', String(corp['vlan_id'])))
    expect(await run('drift fleet')).toMatchObject({ code: 0 })
  })

  it('is excluded by import, and counted in one line', async () => {
    const { run, read, write } = await inherited()
    write('names.txt', `${HQ} hq\n`)
    const { code, stdout } = await run('import --from names.txt')
    expect(code).toBe(0)
    expect(stdout).toContain('1 live WLAN is inherited from the organization and not declared')
    expect(stdout.match(/IMPORT_INHERITED/g)).toHaveLength(1)
    expect(read('sites/hq.yaml')).not.toMatch(/^ {2}lobby:/m)
  })
})

it('a field that wlanctl does not know is named in one line for all sites of an import', async () => {
  const fields: readonly JsonObject[] = [
    { x_new: true, auth: { type: 'open', y_new: 1 } },
    {
      auth: { type: 'eap' },
      auth_servers: ['10.0.0.1', '10.0.0.2'].map(host => ({ host, y_new: 1 }))
    },
    { limit_bcast: true }
  ]
  const sites = ['1', '2'].map(n => ({
    id: HQ.replace(/.$/, n),
    name: `s${n}`,
    wlans: fields.map((each, at) => ({
      ...each,
      id: LOBBY.replace(/..$/, `${n}${at}`),
      ssid: `Lobby ${at}`
    }))
  }))
  const { run } = await stage({ sites })
  for (const [ids, options] of [
    [sites, '--out some'],
    [sites, '--all-fields --out all'],
    [sites.slice(1), '--out one']
  ] as const) {
    const { code, stdout } = await run(`import ${ids.map(({ id }) => id).join(' ')} ${options}`)
    expect(code).toBe(0)
    const networks = `on ${2 * ids.length} networks: auth.y_new, auth_servers.y_new, x_new`
    expect(stdout).toContain(`3 fields not known to wlanctl are not declared, ${networks}`)
    expect(stdout.match(/IMPORT_UNKNOWN/g)).toHaveLength(1)
  }
})

describe('a signed, short-lived URL', () => {
  const signed = (n: number) => ({
    portal_template_url: `https://cdn.example.net/portal?Signature=sig-${n}&Expires=${n}`,
    thumbnail: `https://cdn.example.net/thumb?Signature=sig-${n}`,
    portal_image: `https://cdn.example.net/image?Signature=sig-${n}`
  })
  const wlans = [corp, guest].map((wlan, at) => ({ ...wlan, ...signed(at + 1) }))
  const sites = [{ id: HQ, name: 'hq', wlans }]

  it('is removed from the snapshot of an older version', () => {
    const stored = { id: CORP, ssid: 'Corp', ...signed(1) }
    expect(withRedactedSecrets(stored)).toEqual({ id: CORP, ssid: 'Corp' })
  })

  it('cannot be declared, and its query is redacted', async () => {
    const made = await stage({ sites })
    const lines = Object.entries(signed(4)).map(([name, url]) => `    ${name}: "${url}"\n`)
    made.write(
      'fleet/hq.yaml',
      `site: { id: ${HQ}, name: hq }\nwlans:\n  corp:\n    ssid: Corp\n${lines.join('')}`
    )
    const { code, stderr, stdout } = await made.run('validate fleet')
    expect(code).toBe(3)
    expect((stdout + stderr).match(/FIELD_READ_ONLY/g)).toHaveLength(3)
    expect(stdout + stderr).not.toContain('Signature')
  })
})
