import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findings } from '#findings'
import { exit } from '../../src/core/model/failure.ts'
import { messages } from '../../src/core/model/finding.ts'
import { statuses } from '../../src/core/model/outcome.ts'
import { networkStates } from '../../src/report/overview/network-states.ts'
import { stateLabel } from '../../src/report/overview/states.ts'
import { severities } from '../../src/report/wording/effects.ts'
import { nth } from '../support/ids.ts'
import { folder, wlanctl } from '../support/program.ts'

const explained = (...words: string[]) => wlanctl(['explain', ...words], { cwd: folder() })

describe('explain', () => {
  it('does not claim that nothing was sent for a fleet with errors', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'sites.yaml'), 'sites: [\n')
    const { code, stderr } = await wlanctl(['explain', 'hq/guest'], { cwd })
    expect(code).toBe(3)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('wlanctl: 1 error')
  })

  it('prints the code of a finding, in any case, with a message and its fix', async () => {
    const { code, stdout, stderr } = await explained('site_not_read')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^SITE_NOT_READ {2}error\n\n {2}the site could not be read: .+\n\n {2}fix {2}Run `wlanctl doctor`/
    )
    // A hint is the fix of a finding without another.
    expect((await explained('ALIAS_UNKNOWN')).stdout).toBe(
      'ALIAS_UNKNOWN  error\n\n  the alias names no anchor above it\n  quote a string that starts with `*`\n'
    )
    const { stdout: json } = await explained('SITE_NOT_READ', '--format', 'json')
    expect(JSON.parse(json)).toMatchObject({
      format: 'wlanctl-explanation/1',
      finding: { code: 'SITE_NOT_READ', level: 'error', fix: expect.any(String) }
    })
  })

  it('prints a rule with its source', async () => {
    const { code, stdout } = await explained('weak-key')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}source +WPA2-Personal \(knowledge\)$/m)
  })

  it('has each code of a finding', () => {
    expect(Object.keys(findings).sort()).toEqual(Object.keys(messages).sort())
  })

  it('names an existing rule in its help', async () => {
    const { stdout } = await wlanctl(['help', 'explain'], { cwd: folder() })
    const [, rule = ''] = /a lint rule such as ([\w-]+),/.exec(stdout.replace(/\s+/g, ' ')) ?? []
    expect((await explained(rule)).code).toBe(0)
  })

  it('names the origin of each member of a list that a variable holds whole', async () => {
    const cwd = folder()
    writeFileSync(
      join(cwd, 'sites.yaml'),
      `groups:
  north:
    vars:
      servers:
        - { host: 10.0.0.1, secret: { $env: WLAN_SECRET_R } }
        - { host: 10.0.0.2, port: 1900, secret: { $env: WLAN_SECRET_R } }
sites: [{ id: "${nth(1)}", name: hq, groups: [north] }]
profiles: { eap: { auth_servers: [{ host: 10.9.9.9, secret: { $env: WLAN_SECRET_R } }] } }
wlans:
  corp: { $extends: eap, ssid: Corp, auth: { type: eap }, auth_servers: { $var: servers } }
`
    )
    const words = ['explain', 'hq/corp', 'auth_servers.1.port']
    const rows = (await wlanctl(words, { cwd })).stdout.split('\n').map(row => row.trim())
    expect(rows.slice(2, -1).map(row => row.split(/ {2,}/))).toEqual([
      ['auth_servers.1.port', '1900'],
      ['value', 'sites.yaml:6:35', '1900', 'variable "servers" of the group "north"'],
      ['reference', 'sites.yaml:10:73', '{ $var: "servers" }', 'WLAN'],
      [
        'hidden',
        'sites.yaml:8:34',
        '[{ host: "10.9.9.9", secret: (secret from WLAN_SECRET_R) }]',
        'profile "eap"'
      ]
    ])
  })

  it('prints each effect of a field on a line, with conditions that it explains', async () => {
    const { stdout } = await explained('auth_servers')
    expect(stdout).toContain(
      `  impact             outage, if emptied with radius-required
                     guest-login interruption, if emptied with radius-for-guests
                     partial outage with authentication risk, if changed
`
    )
    const condition = await explained('radius-required')
    expect(condition.stdout).toMatch(/^radius-required\n\n {2}a condition on .*auth\.type eap/s)
    expect((await explained('portal.enabled')).stdout.match(/set to true/g)).toHaveLength(2)
  })

  it('explains each word of results, and each exit code', async () => {
    const words = [
      ...statuses,
      ...networkStates.map(state => stateLabel('drift', state)),
      ...severities.filter(each => each !== 'none'),
      ...Object.values(exit).map(String),
      'review this field yourself',
      'authentication risk',
      'Partial Outage',
      'exit code 5'
    ]
    for (const word of words) {
      const { code, stdout } = await explained(word)
      expect([word, code]).toEqual([word, 0])
      expect(stdout).toMatch(/^\S.*\n\n {2}\S/)
    }
    const { stdout } = await explained('radio', 'reset', '--format', 'json')
    expect(JSON.parse(stdout)).toEqual({
      format: 'wlanctl-explanation/1',
      term: {
        names: ['radio reset', 'resets the radio'],
        meaning: expect.stringMatching(/^the other/)
      }
    })
  })

  it('lists the rules if no topic is named', async () => {
    const { stdout } = await explained()
    expect(stdout).toMatch(/^ {2}eap-without-servers +error {4}802\.1X has no RADIUS server$/m)
    expect(stdout).toMatch(/\n\n\d+ rules; explain one with `wlanctl explain RULE`\n$/)
  })

  it.each([
    [
      'weak-key',
      { rule: { id: 'weak-key', severity: 'warning', false_alarms: expect.any(String) } }
    ],
    ['vlan_id', { field: { name: 'vlan_id', guard: true, secret: false } }]
  ])('prints %s as JSON', async (topic, expected) => {
    const { code, stdout } = await explained(topic, '--format', 'json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ format: 'wlanctl-explanation/1', ...expected })
  })

  it('escapes the control characters of an unknown topic', async () => {
    const { stderr } = await explained('\u001b[31m::error::')
    expect(stderr).not.toContain('\u001b')
  })
})
