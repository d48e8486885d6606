import { describe, expect, it } from 'vitest'
import { explainRule } from '../../src/core/lint/catalogue.ts'
import type { Audit, BrokenRule, NetworkVariant } from '../../src/core/model/audit.ts'
import { auditFormats } from '../../src/report/audit.ts'
import { auditOverview } from '../../src/report/overview/audit.ts'
import { textOf } from '../../src/report/render/document.ts'
import { plain } from './plans.ts'

function broken(id: string, sites: readonly string[], more: Partial<BrokenRule> = {}): BrokenRule {
  const rule = explainRule(id)
  if (rule === undefined) throw new Error(`no rule ${id}`)
  const level = rule.severity
  const about = { level, wlan: 'Guest', message: `${rule.title}: x`, detail: 'x' }
  const findings = sites.map(site => ({ ...about, site }))
  const count = findings.length
  return { rule, level, count, fromSecret: false, sites: sites.length, findings, ...more }
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

/** The networks of `count` sites with this SSID, of which the first ones are switched off. */
function switchedOff(ssid: string, off: number, count: number) {
  const sites = Array.from({ length: count }, (_, nth) => `site-${nth}`)
  const alike = { ...variant, security: 'wpa3' }
  return {
    sites,
    wlans: count,
    networks: [
      {
        ssid,
        wlans: count,
        variants: [
          { ...alike, sites: sites.slice(off) },
          { ...alike, enabled: false, odd: ['enabled'] as const, sites: sites.slice(0, off) }
        ]
      }
    ],
    outliers:
      off === 0
        ? []
        : [
            {
              ssid,
              sites: sites.slice(0, off),
              differences: [{ ...isOff, usualCount: count - off }]
            }
          ]
  }
}

const isOff = { kind: 'value', field: '/enabled', value: false, usual: true } as const

describe('the overview of an audit', () => {
  it('begins with a network that is off where most sites have it', () => {
    const overview = auditOverview(auditWith(switchedOff('Corp', 3, 297)))
    expect(textOf(overview.headline)).toBe('Corp is off at 3 sites')
    expect(overview.states.map(({ state, count }) => [state, count])).toEqual([
      ['off', 3],
      ['as-declared', 294]
    ])
    expect(overview.sites.slice(0, 3).map(({ state }) => state)).toEqual(['off', 'off', 'off'])
  })

  it('compares sites, of which one may have two networks of the name', () => {
    const { networks, ...rest } = switchedOff('Corp', 3, 5)
    const twice = { ...variant, security: 'wpa3', sites: ['site-4'] }
    const both = networks.map(each => ({ ...each, variants: [...each.variants, twice] }))
    expect(textOf(auditOverview(auditWith({ ...rest, networks: both })).headline)).toBe(
      'Corp is off at 3 sites'
    )
  })

  it('gives a broken rule the state of its networks, and lists what differs worst first', () => {
    const { networks, ...rest } = switchedOff('Guest', 0, 9)
    const value = (field: '/vlan_id' | '/isolation' | '/enabled', is: number | boolean) => ({
      ssid: 'Guest',
      sites: ['site-1'],
      differences: [{ kind: 'value', field, value: is, usual: true, usualCount: 8 } as const]
    })
    const outliers = [value('/vlan_id', 7), value('/isolation', false), value('/enabled', false)]
    const shown = (rules: Audit['rules'], all: Audit['outliers']) =>
      auditOverview(auditWith({ ...rest, networks, rules, outliers: all }))
    const stateOf = (rule: string, outlier: number) =>
      shown([broken(rule, ['site-1'])], outliers.slice(outlier, outlier + 1)).first[0]?.state
    expect(stateOf('weak-key', 1)).toBe('less-secure')
    expect(stateOf('weak-key', 0)).toBe('differs')
    expect(stateOf('open-without-isolation', 0)).toBe('less-secure')
    expect(stateOf('guest-in-staff-vlan', 0)).toBe('less-secure')
    const text = auditFormats.text(auditWith({ ...rest, networks, outliers }), plain)
    const order = ['off (on at 8', 'isolation false', 'vlan_id 7'].map(each => text.indexOf(each))
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order[0]).toBeGreaterThan(0)
  })

  it('counts a network that is missing as off', () => {
    const { sites, ...rest } = switchedOff('Corp', 0, 9)
    const missing = { kind: 'missing', usualCount: 9 } as const
    const outliers = [{ ssid: 'Corp', sites: ['site-9'], differences: [missing] }]
    const overview = auditOverview(auditWith({ ...rest, sites: [...sites, 'site-9'], outliers }))
    expect(overview.states[0]).toMatchObject({ state: 'off', count: 1 })
    expect(textOf(overview.first[0]?.text ?? [])).toBe('Corp is missing at site-9')
    expect(overview.totals).toBe('9 networks at 10 sites, 1 missing, 1 request')
    expect(overview.states.reduce((sum, { count }) => sum + count, 0)).toBe(10)
  })

  it('distinguishes off and missing', () => {
    const { sites, outliers: off, ...rest } = switchedOff('Corp', 1, 9)
    const missing = { kind: 'missing', usualCount: 9 } as const
    const outliers = [...off, { ssid: 'Corp', sites: ['site-9'], differences: [missing] }]
    const overview = auditOverview(auditWith({ ...rest, sites: [...sites, 'site-9'], outliers }))
    expect(textOf(overview.headline)).toBe('Corp is off or missing at 2 sites')
  })

  it('says when and where the networks were read', () => {
    const origin = (about: Partial<Audit>) => textOf(auditOverview(auditWith(about)).origin ?? [])
    expect(origin({ created: '2026-11-20T10:00:00.000Z' })).toBe(
      'Read 2026-11-20 10:00:00 UTC from https://api.example.com'
    )
    expect(origin({ snapshot: '2026-11-19T10:00:00Z' })).toBe(
      'Snapshot of 2026-11-19 10:00:00 UTC from https://api.example.com'
    )
  })

  it('names the worst rule, and what explains it', () => {
    const overview = auditOverview(auditWith({ rules: [untagged, weak], sites: ['hq', 'lab'] }))
    expect(textOf(overview.verdict)).toBe('Audit: 2 warnings at 2 of 2 sites')
    expect(overview.first[0]).toMatchObject({
      command: 'wlanctl explain guest-traffic-untagged',
      count: 1
    })
    expect(overview.first[1]?.sites).toEqual([])
  })

  it('says of an open network that it is open, and nothing else', () => {
    const { networks, ...rest } = switchedOff('Guest', 0, 9)
    const problems = (...others: readonly string[]) => {
      const open = broken('open-without-login', ['site-1'])
      const rules = [open, broken('same-ssid-other-security', ['site-1', ...others])]
      const { first } = auditOverview(auditWith({ ...rest, networks, rules }))
      return first.map(({ text }) => textOf(text))
    }
    expect(problems()).toEqual(['Guest is open at site-1'])
    expect(problems('site-2')).toEqual([
      'Guest is open at site-1',
      'This SSID is secured differently at most other places at 1 site'
    ])
  })

  it('names the network that differs where no rule is broken, and its rule in a sentence', () => {
    const expire = { kind: 'value', field: '/portal/expire', usualCount: 9 } as const
    const outlier = (ssid: string, sites: readonly string[]) => ({
      ssid,
      sites,
      differences: [{ ...expire, value: 480, usual: 660 }]
    })
    const { networks, ...rest } = switchedOff('Guest', 0, 9)
    const shown = (outliers: Audit['outliers']) => {
      const overview = auditOverview(auditWith({ ...rest, networks, outliers }))
      return [overview.headline, ...overview.first.map(({ text }) => text)].map(textOf)
    }
    const one = 'Guest differs from most sites at site-1'
    expect(shown([outlier('Guest', ['site-1'])])).toEqual([one, one])
    expect(shown([outlier('Guest', ['site-1', 'site-2']), outlier('Lab', ['site-3'])])[0]).toBe(
      'Guest differs from most sites at 2 sites'
    )
    const rule = auditOverview(auditWith({ rules: [untagged] }))
    expect(textOf(rule.headline)).toMatch(/^[A-Z]/)
    expect(textOf(rule.first[0]?.text ?? [])).toMatch(/^[A-Z]/)
  })

  it('has a command for each of a few sites that compares it with its files, and none that declares a fault', () => {
    const audit = auditWith(switchedOff('Corp', 2, 9))
    const command = (about: Audit, options = {}) =>
      auditOverview(about, false, options).first[0]?.command
    expect(command(audit)).toBe(undefined)
    expect(command(audit, { fleet: 'retail' })).toBe(
      'wlanctl drift retail --site site-0 --site site-1'
    )
    expect(command(auditWith(switchedOff('Corp', 6, 20)), { fleet: '.' })).toBe(undefined)
  })

  it('is good without an error or a warning, unless a site is missing', () => {
    expect(auditOverview(auditWith({}))).toMatchObject({ tone: 'good' })
    const unread = [{ site: 'a', reason: 'HTTP 500' }]
    expect(auditOverview(auditWith({ unread }))).toMatchObject({
      tone: 'bad',
      incomplete: '1 site not read'
    })
  })

  it('is no good news if no site could be read', () => {
    const { headline } = auditOverview(
      auditWith({ sites: [], unread: [{ site: 'a', reason: 'HTTP 500' }] })
    )
    expect(textOf(headline)).toBe('None of 1 site could be read, so nothing was checked')
  })
})

describe.each(Object.entries(auditFormats))('an audit as %s', (name, render) => {
  it('names the locations of each problem, except of one about the value of a secret', () => {
    const text = render(auditWith({ rules: [untagged, weak] }), plain)
    expect(text).toMatch(name === 'json' ? /"site": "hq"/ : /Guest`? at `?hq/)
    expect(/at `?lab|"lab"/.test(text)).toBe(name === 'text')
  })

  it('does not count the sites that it does not name', () => {
    const many = broken('weak-key', ['lab', 'hq'], { fromSecret: true })
    expect(render(auditWith({ rules: [many] }), plain)).not.toContain(' and 2 more')
  })
})

it('an audit of 1,000 sites is one page of bounded size', () => {
  const sites = Array.from({ length: 1000 }, (_, nth) => `site-${nth}`)
  const networks = Array.from({ length: 10 }, (_, nth) => ({
    ssid: `net-${nth}`,
    wlans: 1000,
    variants: sites.map((site, vlan) => ({ ...variant, vlan: String(vlan), sites: [site] }))
  }))
  const audit = auditWith({ sites, networks, wlans: 10_000, rules: [broken('psk-missing', sites)] })
  const html = auditFormats.html(audit, plain)
  expect(html.length).toBeLessThan(2_000_000)
  for (const site of sites) expect(html).toContain(`>${site}<`)
  expect(auditFormats.markdown(audit, plain).length).toBeLessThan(65_536)
  const text = auditFormats.text(audit, plain)
  expect(text).toContain('1,000 different')
  expect(text.split('\n').length).toBeLessThan(60)
})
