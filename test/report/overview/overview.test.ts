import { describe, expect, it } from 'vitest'
import { type Finding, finding } from '../../../src/core/model/finding.ts'
import type { Change, Plan } from '../../../src/core/model/plan.ts'
import { ssidOf } from '../../../src/report/fields/change-key.ts'
import { formats } from '../../../src/report/formats.ts'
import { networkStates } from '../../../src/report/overview/network-states.ts'
import type { Overview } from '../../../src/report/overview/overview.ts'
import { overviewOf } from '../../../src/report/overview/overview-of.ts'
import { Networks, whereOf } from '../../../src/report/overview/where.ts'
import { textOf } from '../../../src/report/render/document.ts'
import type { Report } from '../../../src/report/report.ts'
import { renderText } from '../../../src/report/text/text.ts'
import { commonText, messageText } from '../../../src/report/wording/message.ts'
import { pageText } from '../../support/page-text.ts'
import { changeOf, dangerous, ended, env, live, plain, planOf, tagged } from '../plans.ts'
import { estate, sizes } from './estates.ts'

const sum = (overview: Overview) => overview.states.reduce((all, { count }) => all + count, 0)

describe.each(['drift', 'plan'] as const)('the overview of a %s', kind => {
  it.each(sizes)('at %d sites has each network in exactly one state', size => {
    const report = estate(size, kind)
    const overview = overviewOf(report, {})
    expect(sum(overview)).toBe(report.plan.summary.wlans)
    const listed = new Map<string, number>()
    for (const { networks, clean = 0 } of overview.sites) {
      for (const { state } of networks) listed.set(state, (listed.get(state) ?? 0) + 1)
      listed.set('as-declared', (listed.get('as-declared') ?? 0) + clean)
    }
    // A site that was not read says so once, for all of its networks.
    const read = overview.states.filter(({ state }) => state !== 'not-read')
    const counted = read.map(({ state, count }) => [state, count])
    expect([...listed].sort(byRank)).toEqual(counted)
    expect(overview.sites).toHaveLength(size)
    const changed = overview.changes.flatMap(({ networks }) => networks.map(each => each.address))
    expect(new Set(changed).size).toBe(changed.length)
    expect(changed).toHaveLength(report.plan.summary.changed)
  })

  it.each(sizes)('at %d sites lists the worst first', size => {
    const { states, first, changes, sites } = overviewOf(estate(size, kind), {})
    for (const list of [states, changes, sites, first]) {
      const ranks = list.map(({ state }) => networkStates.indexOf(state))
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
    }
    expect(first.length).toBeLessThanOrEqual(4)
  })
})

function byRank([a]: readonly [string, number], [b]: readonly [string, number]): number {
  const rank = (state: string) => networkStates.map(String).indexOf(state)
  return rank(a) - rank(b)
}

it.each([
  [3, 'drift', 'Store 0002 Lakeside has an open Iot network, and 2 sites have no Corp Wi-Fi'],
  [300, 'drift', '4 sites have an open Iot network, and 4 have no Corp Wi-Fi'],
  [300, 'plan', 'The changes open Guest at 2 sites']
] as const)('the headline of %d sites of a %s names the subject', (size, kind, headline) => {
  expect(textOf(overviewOf(estate(size, kind), {}).headline)).toBe(headline)
})

it.each<[headline: string, tone: Overview['tone'], report: Report]>([
  ['All 8 networks at 3 sites are as declared', 'good', { kind: 'plan', plan: planOf([]) }],
  ['All 8 networks at 3 sites are as declared', 'good', { kind: 'drift', plan: planOf([]) }],
  [
    '1 network could not be compared',
    'bad',
    { kind: 'plan', plan: planOf([], { summary: { blocked: 1, unchanged: 7 } }) }
  ],
  [
    'No changes: all 8 WLANs are as declared',
    'good',
    { kind: 'outcomes', plan: planOf([]), outcomes: [] }
  ],
  [
    'Valid: 8 WLANs on 3 sites',
    'good',
    { kind: 'findings', findings: [], declared: { sites: 3, wlans: 8 } }
  ]
])('the headline %s is %s', (headline, tone, report) => {
  const overview = overviewOf(report, {})
  expect([textOf(overview.headline), overview.tone]).toEqual([headline, tone])
})

it.each([
  ['drift', 'differ from the files', ['not-read']],
  ['plan', 'change', ['not-read', 'blocked']]
] as const)('a %s counts the sites that %s, and the unread ones', (kind, verb, other) => {
  const { sites, coverage, unread = [] } = overviewOf(estate(300, kind), {})
  const differing = sites.filter(({ networks }) =>
    networks.some(({ state }) => !other.some(each => each === state))
  )
  expect([...coverage, unread].map(textOf)).toEqual([
    `${differing.length} of 300 sites ${verb}`,
    '3 sites could not be read, so 15 networks are unchecked. See why'
  ])
})

describe('what could not be read', () => {
  const finding: Finding = { level: 'error', code: 'SITE_NOT_READ', message: '503', address: 'a' }
  const about = { sites: 4, sites_failed: 1, wlans: 8, unchanged: 5 }
  const edit = changeOf('hq/iot', undefined, { dtim: [1, 2] })
  const shown = (changes: readonly Change[], more: Partial<Plan>, summary: object) => {
    const plan = planOf(changes, {
      findings: [finding],
      ...more,
      summary: { ...about, ...summary }
    })
    const { headline, coverage, unread = [] } = overviewOf({ kind: 'plan', plan }, {})
    return [headline, ...coverage, unread].map(textOf)
  }

  it('is said once, with the networks that it leaves unchecked', () => {
    expect(shown([], {}, {})).toEqual([
      '1 site could not be read',
      '3 networks are unchecked. See why'
    ])
    expect(shown([edit], {}, {})).toEqual([
      '1 network at 1 of 4 sites changes',
      '1 site could not be read, so 2 networks are unchecked. See why'
    ])
    expect(shown([edit], { refusals: [{ ...finding, code: 'OVER_MAX_CHANGES' }] }, {})).toEqual([
      'Refused: too many changes',
      '1 of 4 sites changes',
      '1 site could not be read, so 2 networks are unchecked. See why'
    ])
    expect(shown([], {}, { wlans: 5 })).toEqual(['1 site could not be read', 'See why'])
  })

  it('is said of a run, too', () => {
    const plan = planOf([edit], { findings: [finding], summary: about })
    const run = (...ends: readonly ('applied' | 'failed' | 'unknown')[]) => {
      const outcomes = ends.map(status => ended(edit.address, status))
      const { headline, unread = [] } = overviewOf({ kind: 'outcomes', plan, outcomes }, {})
      return [headline, unread].map(textOf)
    }
    expect(run('applied')).toEqual([
      'Incomplete: 1 site not read. 1 change applied and verified',
      '2 networks are unchecked. See why'
    ])
    expect(run('failed')).toEqual([
      '1 of 1 change was not applied, at hq',
      '1 site could not be read, so 2 networks are unchecked. See why'
    ])
    expect(run()[1]).toBe('1 site could not be read, so 2 networks are unchecked. See why')
    // It may have been applied.
    expect(run('unknown')[0]).toBe('1 of 1 change was not verified, at hq')
  })
})

it.each<[what: string, edits: Parameters<typeof changeOf>[2], effect: string]>([
  [
    'a network that gets a key',
    { 'auth.type': ['open', 'psk'], 'auth.psk': [undefined, env('IOT')] },
    'clients stay out until they have the new key'
  ],
  [
    'a network that needs no key any more',
    { 'auth.type': ['psk', 'eap'], 'auth.psk': [live(), env('IOT')] },
    'clients stay out until they are reconfigured'
  ],
  [
    'another key and another name',
    { 'auth.psk': [live(), env('IOT')], ssid: ['Old', 'New'] },
    'clients stay out until they have the new key and join the new name'
  ]
])('%s has one sentence about what clients need', (_, edits, effect) => {
  const plan = planOf([changeOf('hq/iot', 'outage', edits)])
  const [group] = overviewOf({ kind: 'plan', plan }, {}).changes
  expect([group?.effect, group?.notes]).toEqual([effect, []])
})

describe('a drift report of 300 sites', () => {
  const report = estate(300)
  const overview = overviewOf(report, {})
  const terminal = (width: number) => renderText(report, { colour: false, width })
  const comment = formats.markdown(report, plain)

  it('ranks and counts by the state of networks now, and shows the effect of a fix in grey', () => {
    const [first] = overview.changes
    expect(first).toMatchObject({ state: 'open', networks: { length: 4 } })
    expect(terminal(80)).toMatch(/\nOff: no access point sends the network; live → declared \(4\)/)
    expect(overview.changes.find(({ state }) => state === 'open')?.effect).toBe(
      'fixing it: clients stay out until they are reconfigured'
    )
    const coloured = tagged(renderText(report, { colour: true, width: 80 }))
    expect(coloured).toContain('<dim>fixing it: clients stay out until they are reconfigured</b>')
  })

  it('has the counts of its states on the page and the terminal, and none in the comment', () => {
    expect(pageText(formats.html(report, plain))).toContain('\n4 open\n')
    expect(comment).not.toContain('4 open')
    for (const { count } of overview.states.filter(each => each.state === 'open'))
      expect(terminal(80)).toContain(`live → declared (${count})`)
    const ofOff = overview.sites
      .flatMap(({ networks }) => networks)
      .filter(each => each.state === 'off')
    expect(ofOff).toHaveLength(overview.states[0]?.count ?? 0)
  })

  it('is one change where only the names of secrets and the files differ', () => {
    const keys = overview.changes.filter(({ key }) => key === 'tills')
    expect(keys).toHaveLength(1)
    expect(textOf(keys[0]?.fields[0]?.value ?? [])).toBe(
      '(secret) changed, from a reference of each site'
    )
  })

  it('has one finding of a rule that is broken at each site, only counted at first', () => {
    const notes = overview.findings.filter(({ status }) => status === 'note')
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ count: 297, places: { length: 297 } })
    expect(notes[0]?.message).toBe('the rates of 2 WLANs differ from those of …')
    expect(comment).not.toContain('rates')
  })

  it('shows the worst first in a comment, and both values of a field in line', () => {
    const rows = comment.split('\n').filter(line => line.startsWith('| **'))
    expect(rows[0]).toMatch(/`auth\.type`: `"open"` → `"psk"` \|$/)
    expect(rows[1]).toContain('**`Corp` is switched off**')
    expect(rows.length).toBeLessThanOrEqual(12)
    expect(comment.match(/^#{1,3} /gm)).toHaveLength(1)
    expect(comment.match(/^> \[!/gm)).toHaveLength(1)
  })

  it.each([80, 50])('breaks no word at %d columns', width => {
    const words = new Set(terminal(Number.POSITIVE_INFINITY).split(/\s+/))
    expect(
      terminal(width)
        .split(/\s+/)
        .filter(word => !words.has(word))
    ).toEqual([])
    const long = terminal(width)
      .split('\n')
      .filter(line => line.length > width)
    // A digest is one word.
    expect(long.filter(line => !line.startsWith('digest sha256:'))).toEqual([])
  })

  it('ends with its meaning and the verdict', () => {
    expect(terminal(Number.POSITIVE_INFINITY).trimEnd().split('\n').slice(-2)).toEqual([
      '4 sites have an open Iot network, and 4 have no Corp Wi-Fi',
      'Incomplete: 1 WLAN blocked, 3 sites not read. Drift: 95 of 1,500 WLANs differ from the declaration (fixing causes 2 downgrades with outage, 36 outages, 26 reconnects)'
    ])
  })

  it('has a command for each problem', () => {
    expect(overview.first.map(({ command }) => command?.split(' ').slice(0, 4).join(' '))).toEqual([
      'wlanctl apply --wlan iot',
      'wlanctl apply --wlan corp',
      'wlanctl plan --wlan corp',
      'wlanctl apply --wlan tills'
    ])
  })
})

it('a network with another name is called as it should be', () => {
  const edited = changeOf('hq/staff', 'outage', { ssid: ['Staff-test', 'Staff'] })
  const plan = planOf([dangerous(edited, 'renamed', '/ssid')])
  const { headline, first, changes } = overviewOf({ kind: 'drift', plan }, {})
  expect(textOf(headline)).toBe('hq has Staff with another name')
  expect(textOf(first[0]?.text ?? [])).toBe('Staff has another name at hq')
  expect(textOf(changes[0]?.title ?? [])).toBe('Staff has another name')
})

it('a network that was renamed is called in a diff as it was before', () => {
  const change = changeOf('hq/Staff-test', 'outage', { ssid: ['Staff', 'Staff-test'] })
  expect(ssidOf(change, 'diff')).toBe('Staff')
})

it.each([
  ['live ["wpa2", "a, \\"b\\""] stays', ['live ', ['["wpa2", "a, \\"b\\""]'], ' stays']],
  ['`isolation` of "Guest"', [['isolation'], ' of ', ['"Guest"']]],
  ['waves[1] of [a]', ['waves[1] of [a]']]
])('the names in the message %s are code', (message, parts) => {
  const shown = parts.map(part =>
    typeof part === 'string' ? part : { kind: 'code', text: part[0] }
  )
  expect(messageText(message)).toEqual(shown)
})

it('a plan that would be refused says so first', () => {
  const refusals: Finding[] = [
    { level: 'error', code: 'OVER_MAX_CHANGES', message: 'too many changes', hint: 'fewer' }
  ]
  const change = changeOf('hq/iot', undefined, { dtim: [1, 2] })
  const { headline, tone } = overviewOf({ kind: 'plan', plan: planOf([change], { refusals }) }, {})
  expect([textOf(headline), tone]).toEqual(['Refused: too many changes', 'bad'])
})

it('a dangerous field that no file declares decides the state of its network', () => {
  const danger = finding(
    'UNDECLARED_CHANGED',
    { address: 'hq/guest', danger: 'not-isolated' },
    '/isolation',
    'true',
    'false'
  )
  const plan = planOf([], { findings: [danger], summary: { wlans: 2, unchanged: 2 } })
  const { headline, states, first } = overviewOf({ kind: 'drift', plan }, {})
  expect(textOf(headline)).toBe('hq lets clients of guest reach each other')
  expect(states.map(({ state, count }) => [state, count])).toEqual([
    ['less-secure', 1],
    ['as-declared', 1]
  ])
  expect(first[0]?.command).toBe('wlanctl adopt --wlan guest --site hq --undeclared --dry-run')
  const since = overviewOf({ kind: 'drift', plan, since: 'before.json' }, {})
  expect(since.first[0]?.command).toBe('wlanctl revert --wlan guest --site hq --to before.json')
})

it('each site with a field that no file declares differs, with a danger or without', () => {
  const moved = (address: string, danger?: 'no-login') =>
    finding('UNDECLARED_CHANGED', { address, ...(danger && { danger }) }, '/dtim', '2', '3')
  const findings = [
    moved('a/guest', 'no-login'),
    moved('b/guest'),
    moved('b/corp'),
    moved('c/corp')
  ]
  const plan = planOf([], { findings, summary: { sites: 6, wlans: 12, unchanged: 12 } })
  const { states, coverage } = overviewOf({ kind: 'drift', plan }, {})
  expect(coverage.map(textOf).join()).toContain('3 of 6 sites differ from the files')
  expect(states.map(({ state, count }) => [state, count])).toEqual([
    ['open', 1],
    ['differs', 3],
    ['as-declared', 8]
  ])
})

it.each([
  ['Guest at hq', 'hq/guest', ['hq']],
  ['corp at hq', 'hq/corp', ['hq']],
  ['tills at 2 sites', 'hq/tills lab/tills', ['hq', 'lab']],
  ['Guest at 2 sites', 'hq/guest lab/visitors', ['hq', 'lab']],
  ['Guest at hq, corp at hq', 'hq/guest hq/corp', ['Guest at hq', 'corp at hq']],
  ['4 networks', 'hq/guest hq/a hq/b hq/c', ['Guest at hq', 'a at hq', 'b at hq', 'c at hq']],
  ['2 sites', 'hq lab', ['hq', 'lab']],
  [
    'one at lab, Guest at hq, two at lab',
    'lab/one hq/guest lab/two',
    ['one at lab', 'Guest at hq', 'two at lab']
  ],
  ['Guest at north/hq', 'north/hq/guest', ['north/hq']],
  ['north/hq', 'north/hq', ['north/hq']]
])('people say %s', (text, addresses, places) => {
  const ssids = {
    ...{ 'hq/guest': 'Guest', 'lab/visitors': 'Guest', 'north/hq/guest': 'Guest' },
    ...{ 'hq/tills': 'A', 'lab/tills': 'B', 'lab/one': 'IoT', 'lab/two': 'IoT' }
  }
  const declared = Object.entries(ssids).map(([address, ssid]) => ({ address, fields: { ssid } }))
  const planned = [{ site: { id: '', name: 'north/hq' }, declared, wlanPlans: [], unchanged: 0 }]
  const networks = new Networks({ changes: [], findings: [] }, planned)
  const where = whereOf(addresses.split(' ').map(address => networks.at(address)))
  expect([textOf(where.text), where.places]).toEqual([text, places])
  expect(where.isWhole).toBe(!/\d/.test(text))
})

it.each(
  (['html', 'markdown'] as const).flatMap(format =>
    (['plan', 'drift', 'outcomes'] as const).map(kind => [kind, format] as const)
  )
)('%s as %s has addresses of networks in commands only', (kind, format) => {
  const address = (nth: number) => `store-${nth}/wlan-7`
  const weak: Finding = { level: 'warning', code: 'LINT', rule: 'r', message: 'm' }
  const about = { wlan: { id: 'x', ssid: 'Corp' }, not_compared: ['/auth/psk'] }
  const plan = planOf([changeOf(address(4), undefined, { dtim: [1, 2] }, about)], {
    findings: [
      { ...weak, addresses: [1, 2, 3].map(address) },
      { ...weak, rule: 's', addresses: [1, 4].map(address) }
    ],
    refusals: [finding('PROTECTED', { address: address(4) }, 1, 1)],
    not_compared: [{ address: address(2), pointers: ['/auth/psk'] }]
  })
  const declared = [1, 2, 3, 4].map(nth => ({ address: address(nth), fields: { ssid: 'Corp' } }))
  const planned = [{ site: { id: '', name: 'x' }, declared, wlanPlans: [], unchanged: 3 }]
  const outcomes = [ended(address(4), 'failed', { reason: 'HTTP 500' })]
  const text = pageText(formats[format]({ kind, plan, planned, outcomes }, plain))
  expect(text).toContain('Corp')
  expect(text.replaceAll(/wlanctl [^\n`]*/g, '')).not.toContain('wlan-7')
})

it('counts each network of a run once, and others that were approved and left the fleet', () => {
  const siteOf = (name: string, keys: readonly string[], unread = false) => {
    const address = (key: string) => `${name}/${key}`
    const declared = keys.map(key => ({
      address: address(key),
      fields: { ssid: key.toUpperCase() },
      ...(key === 'lobby' && { excluded: true as const })
    }))
    const status = unread ? ('unread' as const) : ('changed' as const)
    const wlanPlans = (unread ? keys : ['corp']).map(key => ({ address: address(key), status }))
    return { site: { id: '', name }, declared, wlanPlans, unchanged: unread ? 0 : 2 }
  }
  const planned = [siteOf('hq', ['corp', 'guest', 'iot', 'lobby']), siteOf('lab', ['a', 'b'], true)]
  const outcomes = [
    ...['hq/corp', 'hq/gone', 'hq/lobby', 'lab/a'].map(address => ended(address, 'skipped')),
    ended('hq/iot', 'unchanged')
  ]
  const findings = [finding('SITE_NOT_READ', { address: 'lab' }, 'HTTP 500')]
  const summary = { sites: 2, sites_failed: 1, wlans: 5, unchanged: 2 }
  const plan = planOf([changeOf('hq/corp', undefined, { dtim: [1, 2] })], { findings, summary })
  const { sites, states, changes } = overviewOf({ kind: 'outcomes', plan, planned, outcomes }, {})
  expect(sites.map(({ name, clean }) => [name, clean])).toEqual([
    ['hq', 1],
    ['lab', 0]
  ])
  expect(states.map(({ state, count }) => [state, count])).toEqual([
    ['skipped', 4],
    ['not-read', 1],
    ['as-declared', 2]
  ])
  expect(textOf(changes.at(-1)?.title ?? [])).toBe('IOT')
})

it('names two networks of one SSID at a site by their keys in outcomes', () => {
  const about = { wlan: { id: 'x', ssid: 'Corp' } }
  const keys = ['hq/one', 'hq/two', 'lab/one']
  const changes = keys.map(address => changeOf(address, undefined, { dtim: [1, 2] }, about))
  const outcomes = keys.map((address, at) => ended(address, at === 0 ? 'failed' : 'applied'))
  const text = renderText({ kind: 'outcomes', plan: planOf(changes), outcomes }, plain)
  expect(text).toMatch(/^failed +one at hq\napplied +two at hq\napplied +Corp at lab\n/)
})

it('finds the site of a network, whatever is in its name', () => {
  const site = { id: '', name: 'north/hq' }
  const address = (key: string) => `${site.name}/${key}`
  const declared = ['corp', 'guest'].map(key => ({ address: address(key), fields: {} }))
  const wlanPlans = [
    { address: address('corp'), status: 'changed' as const },
    { address: address('guest'), status: 'blocked' as const }
  ]
  const change = { ...changeOf(address('corp'), undefined, { dtim: [1, 2] }), site }
  const plan = planOf([change], {
    findings: [{ level: 'error', code: 'WLAN_NOT_FOUND', message: 'm', address: address('guest') }]
  })
  const planned = [{ site, declared, wlanPlans, unchanged: 0 }]
  for (const kind of ['plan', 'drift'] as const) {
    const [first, ...others] = overviewOf({ kind, plan, planned }, {}).sites
    expect([first?.name, others]).toEqual(['north/hq', []])
    const corp = first?.networks.find(({ key }) => key === 'corp')
    expect(corp?.commands[0]?.[0]).toBe('wlanctl apply --site north/hq --wlan corp')
  }
})

it.each([
  [['6 networks', '10 networks', '5 networks'], '5, 6 or 10 networks'],
  [['4 "a-b"', '4 "c"'], '4 "a-b" or "c"'],
  [['at 10.0.1.2', 'at 10.0.3.2'], 'at 10.0.….2'],
  [['1', '2', '3', '4'], '…']
])('the messages %j are one: %s', (messages, text) => {
  expect(commonText(messages)).toBe(text)
})
