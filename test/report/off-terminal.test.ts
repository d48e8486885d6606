import { describe, expect, it } from 'vitest'
import { inFile } from '../../src/cli/output.ts'
import { formats } from '../../src/report/formats.ts'
import { formatMessage, truncateValues } from '../../src/report/wording/message.ts'
import { changeOf, ended, planOf } from './plans.ts'

const words = 'the service answered 400 to this update: vlan_id out of range, must be 1 to 4094'
const certificate = 'MIIC'.repeat(1000)

describe('text output without a terminal', () => {
  it.each(['text', 'github'] as const)('%s keeps the messages of a service on one line', format => {
    const outcomes = [ended('hq/guest', 'failed', { reason: `${words} (${words})` })]
    const output = formats[format]({ kind: 'outcomes', plan: planOf([]), outcomes }, inFile)
    expect(output.split('\n').some(line => line.includes(`${words} (${words})`))).toBe(true)
  })
})

describe('a long value in a message', () => {
  it.each([
    [`sso_idp_cert "${certificate}" is no certificate`, ' is no certificate'],
    [`sso_idp_cert: ${certificate} is no certificate`, ' is no certificate'],
    [
      `"a \\" ${'b '.repeat(500)}" is no name, says "the service"`,
      ' is no name, says "the service"'
    ]
  ])('is truncated without the words around it: %#', (message, end) => {
    const cut = truncateValues(message)
    expect(cut.length).toBeLessThan(260)
    expect(cut.slice(0, 20)).toBe(message.slice(0, 20))
    expect(cut.slice(-end.length)).toBe(end)
    expect(cut).toContain('…')
  })

  it('is the only truncated part: long messages of a service stay complete', () => {
    const long = `"vlan_id" ${`${words}, `.repeat(20)}"dtim"`
    expect(formatMessage(long)).toBe(long)
  })

  it.each(['text', 'github'] as const)('does not fill the screen in %s', format => {
    const message = `sso_idp_cert "${certificate}" is no certificate`
    const plan = planOf([changeOf('hq/guest', undefined, { sso_idp_cert: ['', certificate] })])
    const outcomes = [
      ended('hq/guest', 'failed', {
        reason: message,
        fields: [{ pointer: '/sso_idp_cert', before: '', wanted: certificate, found: '' }]
      })
    ]
    const findings = [{ level: 'error', code: 'BAD_VALUE', message, hint: message }] as never
    for (const report of [
      { kind: 'plan', plan },
      { kind: 'outcomes', plan, outcomes },
      { kind: 'findings', findings }
    ] as const) {
      const output = formats[format](report, inFile)
      expect(output.length).toBeLessThan(2000)
    }
  })
})
