import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DesiredWlan } from '../../src/core/model/desired.ts'
import type { Finding } from '../../src/core/model/finding.ts'
import { loadTexts } from '../../src/fleet/load.ts'
import { runs } from '../support/properties.ts'

const id = (n: number) => `4ac1dcf4-9d8b-4211-95c4-${String(n).padStart(12, '0')}`

it('equal blocks with other ids share their fields, and each has its id', async () => {
  const file = (at: number): [string, string] => [
    `s${at}.yaml`,
    `site: { id: ${id(at)} }\nwlans:\n  a:\n    ssid: A\n    id: ${id(9 - at)}\n    dtim: 2\n`
  ]
  const { desired } = await loadTexts(new Map([file(0), file(1)]))
  const [first, second] = desired?.sites.flatMap(({ wlans }) => wlans) ?? []
  expect([first?.id, second?.id]).toEqual([id(9), id(8)])
  expect(second?.fields).toBe(first?.fields)
})

it('a variable can exceed the limits of one site alone', async () => {
  const list = (size: number) => `[${'a.example, '.repeat(size)}]`
  const file = (at: number, size: number): [string, string] => [
    `s${at}.yaml`,
    `site: { id: ${id(at)}, vars: { hosts: ${list(size)} } }
wlans:
  a: { ssid: A, portal_allowed_hostnames: { $var: hosts }, portal_denied_hostnames: ${list(2500)} }
`
  ]
  const { findings } = await loadTexts(new Map([file(0, 10), file(1, 2400), file(2, 2600)]))
  expect(findings.map(({ code, place }) => [place?.file, code])).toEqual([
    ['s2.yaml', 'WLAN_TOO_LARGE']
  ])
})

const profiles = `policy:
  plaintext_secrets: allow
  rules: [{ name: r, message: m, require: { properties: { vlan_id: { maximum: 2 } } } }]
profiles:
  base: { dtim: 2, portal: { enabled: true, expire: 60 }, auth: { type: psk } }
  odd: { dtim: { $var: v }, auth: { psk: { $env: "WLAN_SECRET_{v}" } } }
`

/** Members of a block, most of them valid; members with the same name exclude each other. */
const member = fc.constantFrom(
  ...[
    '$extends: base',
    '$extends: base',
    '$extends: odd',
    '$extends: [base, odd]',
    '$match: { ssid: { $var: v } }'
  ],
  ...['vlan_id: { $var: v }', 'vlan_id: 3', 'vlan_id: { $var: w }', 'dtim: { $var: v }', 'dtim: x'],
  ...['portal: { expire: { $var: v } }', 'portal: { enabled: false, forward: { $var: w } }'],
  ...['auth: { type: psk, psk: { $format: "long-key-{v}" } }', 'auth: { psk: { $var: v } }'],
  ...['auth: { psk: { $env: "WLAN_SECRET_{v}" } }', 'auth: { psk: { $file: "a/{w}" } }'],
  ...[
    'bands: { $var: w }',
    'max_idletime: { $var: v }',
    'hide_ssid: true',
    'id: { $var: v }',
    'Id: 1'
  ],
  ...['auth_servers: [{ host: { $format: "10.0.{v}.1" } }, { host: a.example.com }]']
)
const ssid = fc.constantFrom(
  'ssid: A',
  'ssid: A',
  'ssid: { $format: "S {v}" }',
  'ssid: { $var: w }'
)
const block = fc
  .tuple(
    ssid,
    fc.uniqueArray(member, { selector: text => text.split(':')[0], maxLength: 3 }),
    fc.boolean()
  )
  .map(([first, members, isLast]) => (isLast ? [...members, first] : [first, ...members]))
const right = { weight: 6, arbitrary: fc.constantFrom('1', '2', '3') }
const odd = fc.constantFrom('5000', 'x', '[a]', "['24', '5']", 'true', 'null', '{ a: b }', '""')
const vars = fc
  .tuple(fc.oneof(right, odd), fc.oneof(right, odd), fc.nat(20))
  .map(([v, w, less]) => (less === 0 ? `v: ${v}` : `v: ${v}, w: ${w}`))

const said = (findings: readonly Finding[]) =>
  findings
    .filter(({ place }) => place?.file.startsWith('s'))
    .map(({ code, path, message, place }) => [place, code, path, message])
const declarationsOf = (wlans: readonly DesiredWlan[] = []) =>
  wlans.map(({ address, fields, place, file, id, matchSsid }) =>
    JSON.stringify({ address, place, file, id, matchSsid, fields })
  )

it('each site has the declarations and findings that it has in a fleet of its own', async () => {
  let tried = 0
  let declared = 0
  const sites = fc.array(vars, { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { minLength: 1, maxLength: 2 }),
      sites,
      fc.boolean(),
      async (blocks, all, haveIds) => {
        tried += 1
        const hasId = (members: readonly string[]) => members.some(text => text.startsWith('id:'))
        const wlansOf = (site: number) =>
          blocks.map((members, at) => {
            const own = haveIds && !hasId(members) ? [`id: ${id(100 * site + at)}`] : []
            return `  w${at}:\n    ${[...own, ...members].join('\n    ')}\n`
          })
        const files = all.map((some, at): [string, string] => [
          `s${at}.yaml`,
          `site: { id: ${id(at)}, vars: { ${some} } }\nwlans:\n${wlansOf(at).join('')}`
        ])
        const shared = ['z.yaml', profiles] as const
        const together = await loadTexts(new Map([...files, shared]))
        const alone = await Promise.all(files.map(file => loadTexts(new Map([file, shared]))))
        expect(said(together.findings)).toEqual(alone.flatMap(({ findings }) => said(findings)))
        if (together.desired === undefined) return
        declared += 1
        expect(together.desired.sites.flatMap(site => declarationsOf(site.wlans))).toEqual(
          alone.flatMap(
            ({ desired }) => desired?.sites.flatMap(site => declarationsOf(site.wlans)) ?? []
          )
        )
      }
    ),
    runs(90)
  )
  expect(declared).toBeGreaterThan(tried / 15)
})
