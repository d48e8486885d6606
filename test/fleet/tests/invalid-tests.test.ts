import { describe, expect, it } from 'vitest'
import { isError } from '../../../src/core/model/finding.ts'
import { runTests } from '../../../src/fleet/tests/expectations.ts'
import { load } from '../fleet.ts'
import { SITES } from './stores.ts'

/** The findings of a fleet of three sites with these tests in YAML, one on each line from line 2. */
async function findingsOf(...tests: readonly string[]) {
  const lines = tests.map(test => `  - { name: ${JSON.stringify(test)}, ${test} }\n`)
  const files = { 'sites.yaml': SITES, 'tests.yaml': `tests:\n${lines.join('')}` }
  const { desired, tests: read, findings } = await load(files, { readsTests: true })
  const results = desired && read ? await runTests(read, desired) : []
  return [...findings, ...results.flatMap(result => result.findings)].filter(isError)
}

describe('an invalid test, or one that can never fail', () => {
  it.each([
    ['wlans: { key: guest }', 'it has no expectation'],
    ['count: { min: 0 }', '`count` accepts every number'],
    ['total: {}', '`total` accepts every number'],
    ['count: { min: 3, max: 2 }', '`min` is more than `max`'],
    ['require: {}', '`require` accepts every WLAN'],
    ['require: { type: object }', '`require` accepts every WLAN'],
    ['require: { properties: { vlan_id: true } }', '`require` accepts every WLAN'],
    ['require: { anyOf: [{ required: [ssid] }, {}] }', '`require` accepts every WLAN'],
    ['sites: lab-1, wlans: { key: corp }, same: [ssid]', 'it selects only 1 WLAN'],
    ['wlans: { where: [ssid=Corporate] }, same: [ssid]', 'it selects no WLAN'],
    ['wlans: { where: [ssid=Corporate] }, require: { required: [ssid] }', 'it selects no WLAN'],
    ['wlans: { key: gest }, total: 0', 'no WLAN has the key "gest"', 'did you mean "guest"?'],
    ['sites: lab-1, except: [{ sites: "lab*", reason: x }], count: 2', 'it is about no site'],
    ['sites: { groups: [empty] }, count: 2', 'it is about no site'],
    ['sites: store-c, count: 2', 'no site matches "store-c"', 'did you mean "store-a"?'],
    ['sites: { groups: [store] }, count: 2', 'unknown group "store"', 'did you mean "stores"?'],
    ['except: [{ sites: lab-1 }], count: 2', 'the exception has no `reason`'],
    [
      'wlans: { where: [isolaton] }, count: 1',
      'unknown field "isolaton"',
      'did you mean isolation?'
    ],
    ['wlans: { where: ["ssid=\\"x"] }, count: 1', 'the quote " is not closed'],
    ['wlans: { where: [vlan_id>many] }, count: 1', 'expected a number after `>`'],
    ['wlans: { where: [auth.psk=x] }, count: 1', 'a secret is never compared'],
    ['same: [isolaton]', 'unknown field "isolaton"', 'did you mean isolation?'],
    ['require: [isolaton]', 'unknown field "isolaton"', 'did you mean isolation?'],
    ['require: [vlan_id>5000]', 'to be as `require` says'],
    ['require: { properties: { isolaton: {} } }', 'unknown field "isolaton"'],
    ['require: { required: [psk] }', 'unknown field "psk"', '"psk" belongs under "auth"'],
    ['same: [vid]', 'unknown field "vid"', 'did you mean vlan_id?'],
    ['require: { requird: [ssid] }', 'rules have no keyword "requird"'],
    [`sites: "${'a'.repeat(201)}", total: 6`, 'a text has more than 200 characters'],
    [`sites: [${'"*", '.repeat(101)}], total: 6`, 'the list has more than 100 items'],
    ['sites: [], total: 6', 'the list is empty'],
    ['totl: 6, total: 6', 'unknown key "totl"', 'did you mean "total"?']
  ])('%s: %s', async (test, message, hint = '') => {
    const findings = await findingsOf(test)
    const found = findings.find(each => each.message.includes(message))
    expect(found?.place).toMatchObject({ file: expect.stringContaining('tests.yaml'), line: 2 })
    expect(found?.hint ?? '').toContain(hint)
  })

  it('is one too many after 500', async () => {
    const [found] = await findingsOf(...Array.from({ length: 501 }, (_, n) => `total: ${n}`))
    expect(found).toMatchObject({
      message: expect.stringContaining('the fleet has more than 500 tests'),
      place: { line: 502, column: 5 }
    })
  })

  it('has a name of its own', async () => {
    const [found] = await findingsOf('total: 6', 'total: 6')
    expect(found?.message).toContain('another test has this name')
  })
})
