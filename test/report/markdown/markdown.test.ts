import { describe, expect, it } from 'vitest'
import { finding } from '../../../src/core/model/finding.ts'
import { formats } from '../../../src/report/formats.ts'
import { codeSpan, prose } from '../../../src/report/render/markdown.ts'
import type { Report } from '../../../src/report/report.ts'
import { changeOf, dangerous, ended, plain, planOf } from '../plans.ts'
import { allAlike, allDifferent, cases } from './cases.ts'
import { bytes, tableRows, unbalanced } from './skeleton.ts'

const retail = { ...plain, fleet: 'fleets/retail' }

/** Caches the rendered comments, which several tests use. */
const comments = new Map<Report, string>()

function comment(report: Report): string {
  const known = comments.get(report)
  const text = known ?? formats.markdown(report, retail)
  comments.set(report, text)
  return text
}

const named = Object.entries<Report>(cases)

describe('equals the rendered example', () => {
  it.each(named)('%s', async (name, report) => {
    const file = `./comments/${name.replace(/\W+/g, '-')}.md`
    await expect(comment(report)).toMatchFileSnapshot(file)
  })
})

const large = [
  ['2,000 different changes', allDifferent],
  ['3,000 equal changes', allAlike]
] as const

describe.each([...named, ...large])('%s', (_, report) => {
  it('starts with its marker, and has the verdict in its first line', () => {
    const [first = '', second = ''] = comment(report).split('\n')
    expect(first).toMatch(/^<!-- wlanctl:(?:plan|drift|apply|record):fleets\/retail -->$/)
    expect(second).toMatch(/^### \S+ \S/)
  })

  it('is complete within the limits of a comment', () => {
    const text = comment(report)
    expect(bytes(text)).toBeLessThan(65_536)
    expect(unbalanced(text)).toEqual([])
    for (const { line } of tableRows(text)) expect(unbalanced(line)).toEqual([])
    expect(text).toMatch(/[^\n]\n$/)
  })

  it('has tables with equally many cells in each row', () => {
    const widths = comment(report)
      .split(/\n\n/)
      .map(block => new Set(tableRows(block).map(({ cells }) => cells)))
    for (const width of widths) expect(width.size).toBeLessThan(2)
  })
})

describe('2,000 different changes', () => {
  const text = comment(allDifferent)

  it('are truncated to the worst ones, with the number of the rest', () => {
    const shown = text.split('\n').filter(line => line.startsWith('| **`guest` changes**')).length
    const [, left = ''] = /and ([\d,]+) more changes/.exec(text) ?? []
    expect(shown).toBeGreaterThan(150)
    expect(shown + Number(left.replace(',', ''))).toBe(2000)
    expect(text.match(/<sub>clients stay out[^|]* \| `store/g)).toHaveLength(40)
  })

  it('have a dozen rows outside of folds, and their context', () => {
    const [visible = ''] = text.split('more rows</b>')
    expect(visible.split('\n').filter(line => line.startsWith('| **'))).toHaveLength(12)
    for (const part of ['<b>Findings', '<b>Unmanaged', 'sha256:', 'wlanctl show plan.json'])
      expect(text).toContain(part)
  })
})

it('counts the changes that wait, not the rows, if some are omitted', () => {
  const keys = Array.from({ length: 1000 }, (_, n) => String(n).padStart(40, 'x'))
  const deferred = keys.flatMap(key =>
    ['hq', 'lab'].map(site => ({
      address: `${site}/${key}`,
      windows: ['nights'],
      until: '2026-11-20T22:00:00.000Z',
      local: '22:00'
    }))
  )
  const text = comment({ kind: 'plan', plan: planOf([], { deferred }) })
  const shown = text.match(/\| `x+\d+`/g)?.length ?? 0
  expect(shown).toBeGreaterThan(10)
  const left = (2000 - 2 * shown).toLocaleString('en')
  expect(text).toContain(`**… and ${left} more changes**`)
})

it('a long list of any kind leaves space for the others', () => {
  const { plan } = allDifferent
  const many = Array.from({ length: 1000 }, (_, n) => String(n).padStart(60, 'x'))
  const text = comment({
    kind: 'plan',
    plan: {
      ...plan,
      findings: many.map(message => ({ level: 'warning', code: 'UNMANAGED', message })),
      unmanaged: many.map(ssid => ({ site: ssid, id: ssid, ssid })),
      not_compared: many.map(name => ({ address: `${name}/guest`, pointers: [`/${name}`] }))
    }
  })
  expect(bytes(text)).toBeLessThan(65_536)
  for (const noun of ['changes', 'findings', 'networks']) {
    expect(text).toMatch(new RegExp(`and [\\d,]+ more ${noun}`))
  }
})

it.each(['漢', '\u{e0041}', '`', '|', '\\|', '😀'])(
  'names that consist of %j fit, too',
  character => {
    const wide = character.repeat(500)
    const changes = Array.from({ length: 20 }, (_, n) => {
      const edits = Object.fromEntries(
        Array.from({ length: 9 }, (_, m) => [wide + m, [wide, n]] as const)
      )
      const site = { id: wide, name: wide + n }
      const downgrades = [`/${wide}1`, `/${wide}2`, `/${wide}3`]
      return changeOf(`${wide}${n}/${wide}`, 'outage', edits, { site, downgrades })
    })
    const plan = planOf(changes, { digest: wide, base_url: wide, tool: wide, created: wide })
    for (const report of [
      { kind: 'plan', plan },
      { kind: 'outcomes', plan, outcomes: changes.map(({ address }) => ended(address, 'failed')) }
    ] as const) {
      const text = comment(report)
      expect(bytes(text)).toBeLessThan(65_536)
      expect(unbalanced(text)).toEqual([])
    }
  }
)

it('a drift comment names the full report only if it is truncated', () => {
  const plan = { ...allDifferent.plan, changes: allDifferent.plan.changes.slice(0, 500) }
  expect(comment({ kind: 'drift', plan })).toContain('`wlanctl drift --report json=drift.json`')
  const short = comment({ kind: 'drift', plan: { ...plan, changes: plan.changes.slice(0, 1) } })
  expect(short).not.toContain('Full report')
})

it('the name of a fleet is in the marker, and cannot end it', () => {
  const none = { kind: 'plan', plan: planOf([]) } as const
  const marked = (fleet: string) => formats.markdown(none, { ...plain, fleet }).split('\n')[0]
  expect(marked('a b')).toBe('<!-- wlanctl:plan:a%20b -->')
  expect(marked('x--><b>')).toBe('<!-- wlanctl:plan:x-%2D%3E%3Cb%3E -->')
  expect(marked('a\n---')).toMatch(/^<!-- wlanctl:plan:[\w.~/%-]+ -->$/)
  expect(marked('\ud800')).toMatch(/^<!-- wlanctl:plan:[\w.~/%-]+ -->$/)
  expect(formats.markdown(none, plain)).toMatch(/^<!-- wlanctl:plan:\. -->\n/)
})

describe('a comment says each thing once', () => {
  const site = { id: 'x', name: 'a|b' }
  const downgrade = changeOf(
    'a|b/iot',
    'outage',
    { 'auth.type': ['psk', 'open'] },
    { site, downgrades: ['/auth/type'] }
  )
  const refusals = [finding('DOWNGRADE_REFUSED', {}, ['a|b/iot (/auth/type)'])]
  const findings = [finding('DOWNGRADE', { address: 'a|b/iot' }, ['/auth/type'])]
  const { summary } = planOf([])
  const text = comment({
    kind: 'plan',
    plan: planOf([downgrade, changeOf('hq/guest', undefined, { dtim: [1, 2] })], {
      ...{ refusals, findings },
      summary: { ...summary, wlans: 7, changed: 2, unchanged: 4, sites_failed: 1 }
    })
  })
  const callout = text.split('\n').filter(line => line.startsWith('> '))

  it('the reasons against the run, and the worst change, in the only callout', () => {
    expect(callout).toEqual([
      '> [!CAUTION]',
      '> **`iot` becomes open to anybody at `a|b`**; clients stay out until they are reconfigured<br>**Incomplete: 1 site not read.** **Refused: security downgrade.**'
    ])
    for (const said of ['Refused:', 'Incomplete:', '1 site not read'])
      expect(text.split(said), said).toHaveLength(2)
  })

  it('all dangers before the gaps of the run, and a command for several of them once', () => {
    const at = (site: string) => finding('UNMANAGED_OPEN', { address: site }, 'tmp', 'id', 'open')
    const open = ['a', 'b', 'c', 'd'].map(name => {
      const change = changeOf(`${name}/iot`, 'outage', { 'auth.type': ['open', 'psk'] })
      return dangerous(change, 'open', '/auth/type')
    })
    const plan = planOf(open, { findings: [at('d')], summary: { ...summary, sites_failed: 1 } })
    const [, said = ''] = /^> (\*\*.*)$/m.exec(comment({ kind: 'drift', plan })) ?? []
    expect(said.split('<br>').map(line => line.replace(/; fixing.*/, ''))).toEqual([
      '**`iot` is open to anybody at 4 sites** (`a`, `b`, `c` and 1 more)',
      '→ `wlanctl apply fleets/retail --wlan iot --site a --site b --site c --site d`',
      '**1 open network that no file declares at `d`**',
      '**Incomplete: 1 site not read.**'
    ])
  })

  it('the command that explains two open networks', () => {
    const lint = { level: 'error', code: 'LINT', danger: 'open', message: 'open' } as const
    const findings = ['corp', 'lab'].map(ssid => ({ ...lint, ssid, address: `hq/${ssid}` }))
    const said = comment({ kind: 'drift', plan: planOf([], { findings }) })
    expect(said).toContain('**`lab` is open to anybody at `hq`**')
    expect(said.split('→ `wlanctl explain open-without-login`')).toHaveLength(2)
  })

  it('a downgrade among the changes and the refusals, not among the findings', () => {
    expect(text).not.toContain('less secure than the live WLAN')
    expect(text).not.toContain('#### Findings')
    expect(text).toContain('#### Refused by apply (1)\n\n- 🔴&nbsp;error: the plan weakens')
  })

  it('with a pipe as it is, except in a table', () => {
    expect(text.split('\n')[1]).toContain('at `a|b`')
    expect(text).toMatch(/^\| \*\*`iot` becomes open.*\| `a\\\|b`/m)
  })
})

describe('the place of a value', () => {
  const placed = (second: string) => {
    const at = (file: string, line: number) => ({ file, line, column: 3 })
    const edits = { vlan_id: [1, 2], dtim: [1, 2] } as const
    const places = { '/vlan_id': at('profiles.yaml', 8), '/dtim': at(second, 9) }
    return comment({
      kind: 'plan',
      plan: planOf([changeOf('hq/guest', undefined, edits, { places })])
    })
  }

  it('is only a line if one file has the values of all fields', () => {
    const text = placed('profiles.yaml')
    expect(text).toContain('<sub>declared in `profiles.yaml:8`</sub>')
    expect(text).toContain('`vlan_id`: `1` → `2` <sub>`line 8`</sub>')
    expect(text).toContain('`dtim`: `1` → `2` <sub>`line 9`</sub>')
  })

  it('has its file if there are several', () => {
    expect(placed('sites/hq.yaml')).toContain('`1` → `2` <sub>`profiles.yaml:8`</sub>')
  })
})

it.each([
  ['Guest', '`Guest`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['a ``` b', '````a ``` b````'],
  [' a ', '`  a  `'],
  ['  ', '`  `'],
  ['a|b', '`a|b`'],
  ['a\\|b', '`a\\\\u{7c}b`'],
  ['<!-- a', '`\\u{3c}!-- a`'],
  ['a\nb', '`a\\nb`'],
  ['', '_empty_']
])('%j is %s', (text, span) => {
  expect(codeSpan(text)).toBe(span)
})

it.each([
  [
    'the site could not be read: 503: Service unavailable.',
    'the site could not be read: 503: Service unavailable.'
  ],
  ['GET /api/v1/sites/…/wlans failed', 'GET /api/v1/sites/…/wlans failed'],
  ['37 of 161 WLANs (23 %), at most 20', '37 of 161 WLANs (23 %), at most 20'],
  ['the field vlan_id of *all*', 'the field `vlan_id` of `*all*`'],
  ['ask @everyone in #1', 'ask `@everyone` in `#1`'],
  [
    'see https://evil.example or www.evil.example',
    'see `https://evil.example` or `www.evil.example`'
  ],
  ['<b>bold</b> & more', '`<b>bold</b> &` more'],
  ['commit 0123456789abcdef', 'commit `0123456789abcdef`'],
  ['see GH-26, (gh-7) and high-5', 'see `GH-26, (gh-7)` and high-5'],
  [
    'it stopped (policy.a_b), see --max_c: f(x_y)',
    'it stopped (`policy.a_b`), see `--max_c: f(x_y)`'
  ],
  [':boom: ![x](y)', '`:boom: ![x](y)`'],
  ['a\nb | c', '`a\\nb |` c']
])('the harmless words of %j stay: %s', (text, shown) => {
  expect(prose(text)).toBe(shown)
})

it('a text is truncated between characters', () => {
  expect(codeSpan(`${'a'.repeat(199)}😀`)).toBe(`\`${'a'.repeat(199)}…\``)
})
