import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { findingGroups } from '../../src/report/overview/findings.ts'
import { Terminal } from '../../src/report/render/terminal.ts'
import type { RenderOptions } from '../../src/report/report.ts'
import { findingLines } from '../../src/report/text/findings.ts'
import { renderText } from '../../src/report/text/text.ts'
import { notFound, plain, unread } from './plans.ts'

const blocksWith = (findings: readonly Finding[], options: RenderOptions) =>
  findingGroups(findings, { lintLevel: 'info' }).map(group =>
    findingLines([group], new Terminal(options), options).join('\n')
  )
const blocks = (findings: readonly Finding[], width = 80) =>
  blocksWith(findings, { colour: false, width })

const warning: Finding = {
  level: 'warning',
  code: 'FILE_EMPTY',
  message: 'the file is empty',
  place: { file: 'fleet/empty.yaml', line: 1, column: 1 }
}

/** One finding for three WLANs, which the line of the linter counts as three. */
const linted: Finding = {
  level: 'warning',
  code: 'LINT',
  rule: 'r',
  message: 'm',
  addresses: ['hq/a', 'hq/b', 'hq/c']
}

const keyTwice: Finding = {
  level: 'error',
  code: 'DUPLICATE_KEY',
  message: 'duplicate key "ssid"',
  hint: 'keep one of them',
  place: { file: 'fleet/hq.yaml', line: 9, column: 5 },
  path: 'wlans.guest.ssid'
}

describe('a finding of the linter about many WLANs', () => {
  const addresses = Array.from({ length: 1012 }, (_, nth) => `s${nth}/guest`)
  const found: Finding = { level: 'warning', code: 'LINT', rule: 'r', message: 'm', addresses }

  it('lists the first three of them', () => {
    expect(blocks([found]).join('\n')).toMatchInlineSnapshot(`
      "warning: m [LINT r]
        guest at 1,012 sites: s0, s1, s2, and 1,009 more (\`--verbose\` lists all)"
    `)
  })

  it('lists all of them with --verbose', () => {
    const [block = ''] = blocksWith([found], { colour: false, width: 80, verbose: true })
    expect(block.match(/s\d+,/g)).toHaveLength(1011)
  })
})

describe('an excerpt of the file', () => {
  const at = (address: string, line: number): Finding => {
    const place = { file: 'hq.yaml', line, column: 12 }
    return { ...linted, addresses: [address], address, place }
  }
  const options = { ...plain, lineAt: () => 'isolation: false' }

  it('stands between the message and the rest', () => {
    expect(blocksWith([at('hq/a', 7)], options)).toEqual([
      'hq.yaml:7:12: warning: m [LINT r]\n  7 | isolation: false\n    |            ^^^^^\n  hq/a'
    ])
  })

  it('is not of the first of several places', () => {
    const [block] = blocksWith([at('hq/a', 7), at('lab/a', 70)], options)
    expect(block).toContain('2 places: hq.yaml:7:12, hq.yaml:70:12')
    expect(block).not.toContain('isolation')
  })
})

describe('the findings of the files', () => {
  it('show the location, the problem and the fix', () => {
    const report = { kind: 'findings', findings: [warning, keyTwice] } as const
    expect(renderText(report, plain)).toMatchInlineSnapshot(`
      "fleet/hq.yaml:9:5: error: duplicate key "ssid" [DUPLICATE_KEY]
        wlans.guest.ssid
        keep one of them
      fleet/empty.yaml:1:1: warning: the file is empty [FILE_EMPTY]
      1 error, 1 warning
      "
    `)
  })

  it.each([
    [[], 'Valid: 1 WLAN on 2 sites'],
    [[warning], 'Valid: 1 WLAN on 2 sites, 1 warning'],
    [[warning, warning], 'Valid: 1 WLAN on 2 sites, 2 warnings'],
    [[warning, linted], 'Valid: 1 WLAN on 2 sites, 4 warnings']
  ])('end with the declared WLANs (%#)', (findings, last) => {
    const declared = { sites: 2, wlans: 1 }
    const report = { kind: 'findings', findings, declared } as const
    expect(renderText(report, plain).trimEnd().split('\n').at(-1)).toBe(last)
  })
})

describe('a finding about many sites or WLANs', () => {
  const sites = Array.from({ length: 30 }, (_, n) => unread(`store-${n + 1}`, n))

  it('is printed once: sites that cannot be read for one reason', () => {
    expect(blocks(sites)).toMatchInlineSnapshot(`
      [
        "error: the site could not be read: GET /api/v1/sites/…/wlans: 503: Service
        unavailable. [SITE_NOT_READ]
        30 sites: store-1, store-2, store-3, store-4, store-5, store-6, store-7,
        store-8, store-9, store-10, store-11, store-12, store-13, store-14, store-15,
        store-16, store-17, store-18, store-19, store-20, store-21, store-22,
        store-23, store-24, store-25, store-26, store-27, store-28, store-29, store-30",
      ]
    `)
  })

  it('is printed for each reason', () => {
    const refused = { ...unread('hq', 99), message: 'the site could not be read: 403', hint: 'ask' }
    const [many, single, ...others] = blocks([sites[0] ?? refused, refused, ...sites.slice(1)])
    expect(many).toContain('30 sites')
    expect(single).toBe('hq: error: the site could not be read: 403 [SITE_NOT_READ]\n  ask')
    expect(others).toEqual([])
  })

  it('keeps the request of a single site', () => {
    expect(blocks(sites.slice(7, 8)).join()).toContain('00000000-0000-4000-8000-000000000007')
  })

  it('is printed once: the WLANs of one declaration', () => {
    const other = { ...notFound, address: 'store-bonn/lobby' }
    expect(blocks([notFound, other])).toMatchInlineSnapshot(`
      [
        "fleet/sites/hq.yaml:30:3: error: no live WLAN has the SSID "Lobyb"
        [WLAN_NOT_FOUND]
        lobby at 2 sites: hq, store-bonn
        did you mean "Lobby"?",
      ]
    `)
  })

  it('is not merged if any part differs', () => {
    const place = { file: 'fleet/sites/bonn.yaml', line: 30, column: 3 }
    const others = [
      { ...notFound, place },
      { ...notFound, hint: 'another' },
      { ...notFound, message: 'another' },
      { ...notFound, level: 'warning' as const }
    ]
    expect(blocks([notFound, ...others])).toHaveLength(5)
  })

  it('is printed once for three WLANs, each declared in a file of its own', () => {
    const removed = (site: string, value: string): Finding => ({
      level: 'warning',
      code: 'NO_LONGER_DECLARED',
      message: `/dtim is declared at "main" and no longer in the files: the live value ${value} stays`,
      address: `${site}/guest`,
      place: { file: `${site}.yaml`, line: 4, column: 5, revision: 'main' }
    })
    const [block, ...others] = blocks([removed('a', '1'), removed('b', '2'), removed('c', '1')])
    expect(block).toBe(
      [
        'warning: /dtim is declared at "main" and no longer in the files: the live',
        '  value 1 or 2 stays [NO_LONGER_DECLARED]',
        '  guest at 3 sites: a, b, c',
        '  3 places: main:a.yaml:4:5, main:b.yaml:4:5, main:c.yaml:4:5'
      ].join('\n')
    )
    expect(others).toEqual([])
    expect(blocks([removed('a', '1'), removed('b', '1')])).toHaveLength(2)
  })

  it('is not merged without a WLAN', () => {
    expect(blocks([warning, warning])).toHaveLength(2)
  })
})

it('counts warnings of the linter once, if they are all there is', () => {
  const declared = { sites: 1, wlans: 3 }
  const text = renderText({ kind: 'findings', findings: [linted], declared }, plain)
  expect(text.match(/3 warnings/g)).toHaveLength(1)
  const mixed = renderText({ kind: 'findings', findings: [linted, warning], declared }, plain)
  expect(mixed).toContain('Lint: 3 warnings\nValid: 3 WLANs on 1 site, 4 warnings')
  const others = Array.from({ length: 10 }, () => warning)
  const many = renderText({ kind: 'findings', findings: [linted, ...others], declared }, plain)
  expect(many).toContain('Lint: 3 warnings\nValid: 3 WLANs on 1 site, 13 warnings')
})
