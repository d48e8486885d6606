import { describe, expect, it, test } from 'vitest'
import { explainRule } from '../../src/core/lint/catalogue.ts'
import type { Audit, BrokenRule, NetworkVariant } from '../../src/core/model/audit.ts'
import { auditFormats } from '../../src/report/audit/audit.ts'
import { auditVerdict } from '../../src/report/audit/verdict.ts'
import blns from '../support/blns/blns.json' with { type: 'json' }
import { plain } from './plans.ts'

function broken(id: string, sites: readonly string[], more: Partial<BrokenRule> = {}): BrokenRule {
  const rule = explainRule(id)
  if (rule === undefined) throw new Error(`no rule ${id}`)
  const level = rule.severity
  const findings = sites.map(site => ({ level, site, wlan: 'Guest', message: `${rule.title}: x` }))
  return { rule, level, fromSecret: false, sites: sites.length, findings, ...more }
}

const variant: NetworkVariant = {
  security: 'open',
  vlan: '40',
  bands: '24, 5',
  enabled: true,
  odd: [],
  sites: ['hq']
}

function auditWith(more: Partial<Audit>): Audit {
  const { rules = [] } = more
  const of = (level: string) =>
    rules.flatMap(({ findings }) => findings).filter(found => found.level === level).length
  return {
    baseUrl: 'https://api.example.com',
    sites: ['hq'],
    unread: [],
    wlans: 1,
    requests: 1,
    counts: { error: of('error'), warning: of('warning'), info: of('info') },
    rules,
    networks: [],
    outliers: [],
    lookAlikes: [],
    ...more
  }
}

const untagged = broken('guest-traffic-untagged', ['hq'])
const weak = broken('weak-key', ['lab'], { fromSecret: true })

describe('the verdict of an audit', () => {
  it('counts, and names the worst problem with its advice', () => {
    expect(
      auditVerdict(auditWith({ rules: [untagged, weak], sites: ['hq', 'lab'] }))
    ).toMatchObject({
      tone: 'warn',
      text: '2 warnings at 2 of 2 sites',
      advice: expect.stringMatching(/^First: guests share .* \(1 WLAN at 1 site\)\. Turn on /)
    })
  })

  it('counts a WLAN with several findings of a rule once', () => {
    const finding = { level: 'warning', site: 'hq', wlan: 'corp', message: 'same' } as const
    const twice = { ...broken('ssid-lookalike', ['hq']), findings: [finding, finding] }
    const { advice } = auditVerdict(auditWith({ rules: [twice], sites: ['hq'] }))
    expect(advice).toContain('(1 WLAN at 1 site)')
  })

  it('is good without an error or a warning, unless a site is missing', () => {
    expect(auditVerdict(auditWith({}))).toMatchObject({ tone: 'good' })
    const unread = [{ site: 'a', reason: 'HTTP 500' }]
    expect(auditVerdict(auditWith({ unread }))).toMatchObject({
      tone: 'warn',
      text: 'Incomplete: 1 site not read. No error and no warning at 1 site'
    })
  })
})

describe.each(Object.entries(auditFormats))('an audit as %s', (name, render) => {
  it('names the locations of each problem, except of one about the value of a secret', () => {
    const text = render(auditWith({ rules: [untagged, weak] }), plain)
    expect(text).toMatch(name === 'json' ? /"site": "hq"/ : /hq\/Guest/)
    expect(/lab\/Guest|"lab"/.test(text)).toBe(name === 'text')
  })

  test.each(blns.filter(each => each.trim() !== ''))('escapes %j', hostile => {
    const finding = { level: 'error', site: hostile, wlan: hostile, message: hostile } as const
    const audit = auditWith({
      sites: [hostile],
      unread: [{ site: hostile, reason: hostile }],
      rules: [{ ...untagged, findings: [finding] }],
      networks: [
        { ssid: hostile, wlans: 1, variants: [{ ...variant, vlan: hostile, sites: [hostile] }] }
      ],
      outliers: [
        {
          ssid: hostile,
          peers: hostile,
          sites: [hostile],
          differences: [
            { kind: 'value', field: '/vlan_id', usual: hostile, value: hostile, usualCount: 3 },
            { kind: 'missing', similar: hostile, usualCount: 3 },
            { kind: 'extra', usualCount: 3 }
          ]
        }
      ],
      lookAlikes: [[{ ssid: hostile, wlans: 1 }]]
    })
    const text = render(audit, plain)
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/u)
    expect(text).not.toMatch(/^(?:::|##\[)/m)
    if (name === 'json') expect(JSON.parse(text).networks[0].ssid).toBe(hostile)
    if (name === 'html') expect(text.match(/<(?:script|img|svg|iframe)\b/g)).toBeNull()
  })
})

it('an audit of 1,000 sites is one page of bounded size with folds that are laid out when opened', () => {
  const sites = Array.from({ length: 1000 }, (_, nth) => `site-${nth}`)
  const networks = Array.from({ length: 10 }, (_, nth) => ({
    ssid: `net-${nth}`,
    wlans: 1000,
    variants: sites.map((site, vlan) => ({ ...variant, vlan: String(vlan), sites: [site] }))
  }))
  const audit = auditWith({ sites, networks, wlans: 10_000, rules: [broken('psk-missing', sites)] })
  const html = auditFormats.html(audit, plain)
  expect(html.length).toBeLessThan(2_000_000)
  expect(html.match(/<details class="fold" open="">/g)).toHaveLength(1)
  expect(html.match(/<details class="fold">/g)).toHaveLength(9)
  for (const site of sites) expect(html).toContain(`>${site}<`)
  expect(auditFormats.markdown(audit, plain).length).toBeLessThan(65_536)
  const text = auditFormats.text(audit, plain)
  expect(text).toContain('1,000 different')
  expect(text.split('\n').length).toBeLessThan(60)
})
