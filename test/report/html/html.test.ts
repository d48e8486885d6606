import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Finding } from '../../../src/core/model/finding.ts'
import { auditFormats } from '../../../src/report/audit.ts'
import { listFormats } from '../../../src/report/commands/list.ts'
import { diffFormats } from '../../../src/report/estate-diff.ts'
import { formats } from '../../../src/report/formats.ts'
import { networkStates } from '../../../src/report/overview/network-states.ts'
import { overviewOf } from '../../../src/report/overview/overview-of.ts'
import { textOf } from '../../../src/report/render/document.ts'
import type { Report } from '../../../src/report/report.ts'
import { HQ } from '../../support/ids.ts'
import { ROOT } from '../../support/program.ts'
import { estate, outcomesReport } from '../overview/estates.ts'
import { changeOf, ended, guestsOf, plain, planOf } from '../plans.ts'
import { richAudit, richDiff, richReports } from '../rich.ts'
import { shapes } from '../shapes.ts'

const findings = Array.from(
  { length: 20_000 },
  (_, n): Finding => ({
    level: 'error',
    code: 'WLAN_NOT_FOUND',
    message: `no WLAN ${n}`,
    address: `hq/w${n}`
  })
)

it.each<[what: string, report: Report, bytes: number]>([
  ['20,000 findings on one site', { kind: 'plan', plan: planOf([], { findings }) }, 12e6],
  ['5,000 WLANs of one site', shapes['WLANs of one site'](5000), 10e6]
])('%s make a page of bounded size', (_, report, bytes) => {
  const text = formats.html(report, {})
  expect(text).toMatch(/<\/html>\n$/)
  expect(Buffer.byteLength(text)).toBeLessThan(bytes)
})

/** The text of the parts of a page that a pattern finds, without their markup. */
const partsIn = (page: string, pattern: RegExp) =>
  [...page.matchAll(pattern)].map(([, part = '']) => part.replaceAll(/<[^>]+>/g, ''))
const partsOf = (report: Report, pattern: RegExp) => partsIn(formats.html(report, {}), pattern)
const plan = estate(40, 'plan')

it('begins with the headline, the coverage, and the first problem with its command', () => {
  const drift = estate(300)
  const { headline, coverage, unread = [], first } = overviewOf(drift, {})
  expect(partsOf(drift, /<title>(.*?)<\/title>/g)).toEqual([`Drift: ${textOf(headline)} – wlanctl`])
  expect(partsOf(drift, /<h1>(.*?)<\/h1>/g)).toEqual([textOf(headline)])
  expect(partsOf(drift, /<p class="coverage">(.*?)<\/p>/g)).toEqual(
    [unread, ...coverage].map(textOf)
  )
  const [problem] = partsOf(drift, /<ol class="first"><li>(.*?)<\/li>/g)
  expect(problem).toContain(textOf(first[0]?.text ?? []))
  expect(problem).toContain(first[0]?.command)
})

it('calls sites all only where it has all', () => {
  const title = (report: Report) => partsOf(report, /<h2 id="sites-title">(.*?)<\/h2>/g).join()
  expect(title(plan)).toBe('All sites')
  expect(title({ kind: 'plan', plan: plan.plan })).toBe('Sites to change or check')
  const { planned: _, ...merged } = outcomesReport(9)
  expect(title(merged)).toBe('Changed sites')
})

it('names the state of the networks of a site once', () => {
  const changes = ['corp', 'guest', 'iot', 'lab'].map(key =>
    changeOf(`hq/${key}`, undefined, { dtim: [1, 2] })
  )
  const [line] = partsOf(
    { kind: 'plan', plan: planOf(changes) },
    /<summary class="row">(.*?)<\/summary>/g
  )
  expect(line).toContain('corp, guest, iot to change · 1 more')
})

it('has what apply would refuse before what the files no longer declare', () => {
  const refusals = [{ level: 'error', code: 'OVER_MAX_CHANGES', message: 'too many' }] as const
  const findings = [{ level: 'warning', code: 'NO_LONGER_DECLARED', message: 'hq/lab' }] as const
  const ids = partsOf(
    { kind: 'plan', plan: planOf([], { refusals, findings }) },
    /<section id="(.*?)"/g
  )
  expect(ids).toEqual(['refused', 'removed'])
})

it('has the waves in their order, then the sites in none', () => {
  const [first = '', second = '', third = ''] = plan.plan.changes.map(({ site: { name } }) => name)
  const rollout = [
    { name: 'canary', sites: [third] },
    { name: 'half', sites: [second] },
    { sites: [first] }
  ]
  const outcomes = plan.plan.changes.map(({ address }) => ended(address, 'applied'))
  const applied = { ...plan, kind: 'outcomes', plan: { ...plan.plan, rollout }, outcomes } as const
  for (const report of [{ ...plan, plan: { ...plan.plan, rollout } }, applied])
    expect(partsOf(report, /<div class="group"><div><b>(.*?)<\/b>/g)).toEqual([
      'canary',
      'half',
      'rest',
      'Other sites'
    ])
})

it('has the sites in the groups of the fleet, with the others last', () => {
  const names = plan.planned?.map(({ site }) => site.name) ?? []
  const title = /<div class="group"><div><b>(.*?)<\/b>/g
  const groupsOf = (groups: ReadonlyMap<string, string>) => partsOf({ ...plan, groups }, title)
  const stores = names.filter(site => site.startsWith('Store'))
  const groups = new Map(stores.map(site => [site, 'stores']))
  expect(groupsOf(groups)).toEqual(['stores', 'Other sites'])
  const applied = { ...plan, kind: 'outcomes', outcomes: [], groups } as const
  expect(partsOf(applied, title)).toEqual(['stores', 'Other sites'])
  const audit = { ...richAudit, groups: new Map([['hq', 'offices']]) }
  expect(partsIn(auditFormats.html(audit, plain), title)).toEqual(['offices', 'Other sites'])
  expect(groupsOf(new Map(names.map(site => [site, site])))).toEqual(['Sites'])
})

it('has the outcomes of each run of a record, of which the bar names the latest', () => {
  const record = richReports.find(({ kind }) => kind === 'record')
  if (record === undefined) throw new Error('no record')
  const runs = partsOf(record, /<section id="run-(.*?)<\/section>/g)
  expect(runs).toHaveLength(2)
  for (const run of runs) expect(run).toContain('the read-back differs')
  const [bar = ''] = partsOf(record, /<nav(.*?)<\/nav>/g)
  expect(bar.match(/Revert|Apply/g)).toEqual(['Revert'])
})

it('has each site of an audit with its networks, and those of a diff that disappeared', () => {
  const audit = auditFormats.html(richAudit, plain)
  expect(partsIn(audit, /(<a class="s [^>]*>)/g)).toHaveLength(3)
  expect(partsIn(audit, /<article id="at\/hq\/[^>]*>(.*?)<\/article>/g).join()).toMatch(/^Guest /)
  expect(partsIn(audit, /<section id="networks".*?<tbody>(.*?)<\/tbody>/g).join()).toContain('open')
  const diff = diffFormats.html(richDiff, plain)
  expect(partsIn(diff, /<section id="disappeared".*?<tbody>(.*?)<\/tbody>/g)).toEqual([
    'hqGuestpsk, VLAN 20'
  ])
  expect(diff).toContain('disappeared: psk, VLAN 20')
})

it('links to lines of files whose address is known', () => {
  const plan = planOf([changeOf('hq/guest', undefined, { dtim: [1, 2] })])
  const report = { kind: 'plan', plan } as const
  const link = '<a href="https://github.com/acme/wifi/blob/abc/sites/hq.yaml#L12">'
  expect(formats.html(report, { source: 'https://github.com/acme/wifi/blob/abc' })).toContain(link)
  expect(formats.html(report, {})).not.toContain('href="https:')
})

it.each(networkStates.filter(state => state !== 'differs'))('%s has a colour', state => {
  const style = readFileSync(join(ROOT, 'src/report/html/page/style.css'), 'utf8')
  expect(style).toMatch(new RegExp(`\\.s[^{]*\\.${state}\\b[^{]*\\{\\s*--c: light-dark`))
})

it('says of 2,000 sites that could not be read in less than 1 MB that they were not', () => {
  const sites = Array.from({ length: 2000 }, (_, nth) => `Store ${nth}`)
  const findings = sites.map(
    (address): Finding => ({
      ...{ level: 'error', code: 'SITE_NOT_READ', address },
      message: 'the site could not be read: GET /api/v1/sites/…/wlans: 503: Service unavailable.'
    })
  )
  const planned = sites.map(name => ({
    site: { id: HQ, name },
    unchanged: 0,
    declared: [],
    wlanPlans: ['corp', 'guest', 'iot', 'tills', 'voice'].map(key => ({
      address: `${name}/${key}`,
      status: 'unread' as const
    }))
  }))
  const summary = { sites: 2000, sites_failed: 2000, wlans: 10_000 }
  const plan = planOf([], { findings, summary })
  const page = formats.html({ kind: 'drift', plan, planned }, {})
  expect(page).toContain('<h1>2,000 sites could not be read</h1>')
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000)
})

it('shows one change of 2,000 sites once, with each site, in less than 1 MB', () => {
  const page = formats.html({ kind: 'plan', plan: guestsOf(2000) }, {})
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000)
  expect(page.match(/<table/g)).toHaveLength(2)
  for (const id of ['at/Store%200000/guest', 'at/Store%201999/guest']) {
    expect(page.split(`id="${id}"`)).toHaveLength(2)
    expect(page.split(`href="#${id}"`)).toHaveLength(3)
  }
})

it('folds the seventh finding of a plan, and none of a validation', () => {
  const some = findings.slice(0, 9)
  const foldsOf = (report: Report) => partsOf(report, /<summary>(\d+ more findings)<\/summary>/g)
  expect(foldsOf({ kind: 'plan', plan: planOf([], { findings: some }) })).toEqual([
    '3 more findings'
  ])
  expect(foldsOf({ kind: 'findings', findings: some })).toEqual([])
})

const one = findings.slice(0, 1)
const lost = {
  level: 'warning',
  code: 'SECRET_NOT_RESTORED',
  message: 'psk',
  address: 'a/b'
} as const
const back = planOf([changeOf('hq/guest', 'reconnect', { dtim: [2, 1] })], { findings: [lost] })
const outcomes = [ended('hq/guest', 'applied')]

it.each<[what: string, report: Report]>([
  ['a validation', { kind: 'findings', findings: [], declared: { sites: 3, wlans: 8 } }],
  ['tests', { kind: 'findings', findings: one, tests: [{ name: 'one network', findings: one }] }],
  ['a revert without secrets', { kind: 'outcomes', command: 'revert', plan: back, outcomes }]
])('the head of %s says nothing twice', (_, report) => {
  const [title = ''] = partsOf(report, /<h1>(.*?)<\/h1>/g)
  const summary = /<main.*?<p class="(?:less|faint small)">(.*?)<\/p>(?:<section|<\/main>)/g
  const [rest = ''] = partsOf(report, summary)
  expect(title.split(/[.,:] /).filter(part => rest.includes(part))).toEqual([])
  expect(formats.markdown(report, plain).split(title)).toHaveLength(2)
})

it('calls the networks of a revert to change, as those of a plan', () => {
  const revert = formats.html({ ...plan, command: 'revert' }, {})
  expect(revert).toMatch(/<b>\d+<\/b> to change<.* to change or check/)
  expect(revert).not.toContain('attention')
})

it('of a list says what it lists, which sites it lacks, and keeps the names of its columns', () => {
  const rows = [[{ value: 'hq' }, { value: 'Guest' }]]
  const about = '1 of 8 WLANs at 3 sites'
  const made = listFormats.html({ columns: ['site', 'ssid'], rows, about, unread: ['lab'] }, {})
  expect(partsIn(made, /<h1>(.*?)<\/h1>/g)).toEqual([about])
  expect(partsIn(made, /<p class="coverage">(.*?)<\/p>/g)).toEqual(['1 site not read: lab'])
  expect(made).not.toContain('class="cards"')
})
