import { describe, expect, it, test } from 'vitest'
import { type Finding, finding } from '../../src/core/model/finding.ts'
import { formats } from '../../src/report/formats.ts'
import { mergeUnresolved } from '../../src/report/overview/findings.ts'
import { overviewOf } from '../../src/report/overview/overview-of.ts'
import { plain, planOf } from './plans.ts'

const UNSET = 'the variable is not set'

const unresolved = (secret: string, reason = UNSET, line = 1): Finding => {
  const about = { place: { file: 'hq.yaml', line, column: 1 }, unavailable: { secret, reason } }
  return finding('SECRET_UNRESOLVED', about, `$env: ${secret}`, reason)
}

const effect = 'so they are not compared, and `apply` needs them'

/** 202 names that differ in letters alone. */
const letters = Array.from({ length: 202 }, (_, n) =>
  String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))
)

describe('warnings about unavailable secrets', () => {
  test.each<[what: string, findings: readonly Finding[], message: string]>([
    [
      'are one, with each name once, by their problem',
      [
        unresolved('radius', 'the file does not exist'),
        unresolved('WLAN_SECRET_B'),
        unresolved('WLAN_SECRET_A'),
        unresolved('WLAN_SECRET_B', UNSET, 2)
      ],
      `3 secrets are not available, ${effect}: radius (the file does not exist); WLAN_SECRET_A, WLAN_SECRET_B (${UNSET})`
    ],
    [
      'are counted beyond the first',
      letters.map(name => unresolved(`WLAN_SECRET_${name}`)),
      `202 secrets are not available, ${effect}: ${letters
        .slice(0, 5)
        .map(name => `WLAN_SECRET_${name}`)
        .join(', ')} and 197 more (${UNSET})`
    ],
    [
      'are one secret in several places',
      [unresolved('WLAN_SECRET_A'), unresolved('WLAN_SECRET_A', UNSET, 2)],
      `1 secret is not available, so it is not compared, and \`apply\` needs it: WLAN_SECRET_A (${UNSET})`
    ],
    [
      'may have long names',
      [unresolved('a'), unresolved('x'.repeat(300))],
      `2 secrets are not available, ${effect}: a, ${'x'.repeat(80)}… (${UNSET})`
    ]
  ])('%s', (_, findings, message) => {
    expect(mergeUnresolved(findings)).toEqual([
      { level: 'warning', code: 'SECRET_UNRESOLVED', message }
    ])
  })

  test.each<[what: string, findings: readonly Finding[]]>([
    ['a single one', [unresolved('WLAN_SECRET_A')]],
    ['other findings', [finding('FILE_EMPTY', {}), finding('FILE_EMPTY', {})]],
    [
      'those of an earlier version',
      ['A', 'B'].map(name => finding('SECRET_UNRESOLVED', {}, name, UNSET))
    ]
  ])('are not merged: %s', (_, findings) => {
    expect(mergeUnresolved(findings)).toEqual(findings)
  })

  it('follow the other findings', () => {
    const empty = finding('FILE_EMPTY', {})
    const merged = mergeUnresolved([unresolved('A'), empty, unresolved('B')])
    expect(merged.map(({ code }) => code)).toEqual(['FILE_EMPTY', 'SECRET_UNRESOLVED'])
  })
})

describe('a report of 40 unavailable secrets', () => {
  const findings = [...Array(40).keys()].map(n => unresolved(`WLAN_SECRET_${n}`, UNSET, n + 1))
  const reports = [
    { kind: 'plan', plan: planOf([], { findings }), planned: [] },
    { kind: 'findings', findings, declared: { sites: 1, wlans: 40 } }
  ] as const

  it('has one line', () => {
    for (const report of reports) {
      const [group, ...others] = overviewOf(report, {}).findings
      expect(group?.message).toMatch(/^40 secrets are not available.*WLAN_SECRET_0.* and 35 more/)
      expect(others).toEqual([])
    }
  })

  it('has every finding in JSON', () => {
    for (const report of reports) {
      expect(JSON.parse(formats.json(report)).findings).toHaveLength(40)
    }
  })
})

it('count as one in the verdict, which names no errors where there are none', () => {
  const findings = [unresolved('WLAN_SECRET_A'), unresolved('WLAN_SECRET_B')]
  expect(formats.text({ kind: 'findings', findings }, plain)).toMatch(/\n1 warning\n$/)
})
