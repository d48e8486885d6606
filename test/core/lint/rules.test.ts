import { describe, expect, test } from 'vitest'
import { explainRule, lintRules } from '../../../src/core/lint/catalogue.ts'
import { type LintFinding, lint } from '../../../src/core/lint/lint.ts'
import type { LintLevel } from '../../../src/core/lint/rule.ts'
import { parseWhen } from '../../../src/core/lint/when.ts'
import { findingLevels } from '../../../src/core/model/finding.ts'
import { type Scenario, scenarios, sitesOf } from './scenario.ts'

const all = { level: 'info', rules: {}, strict: false } as const

function findingsOf(rule: string, scenario: Scenario): LintFinding[] {
  return lint(sitesOf(scenario), all).filter(finding => finding.rule === rule)
}

function worstOf(findings: readonly LintFinding[]): LintLevel | undefined {
  return findingLevels.find(level => findings.some(finding => finding.level === level))
}

const rows = Object.entries(scenarios)
const broken = rows.flatMap(([rule, { breaks }]) =>
  breaks.map((scenario, n) => [rule, n, scenario] as const)
)
const passing = rows.flatMap(([rule, { passes }]) =>
  passes.map((scenario, n) => [rule, n, scenario] as const)
)

describe('the rules of the linter', () => {
  test('are those of the catalogue, each with failing and passing scenarios', () => {
    const ids = lintRules.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(rows.map(([rule]) => rule).sort()).toEqual([...ids].sort())
    const lacking = rows.filter(([, { breaks, passes }]) => breaks.length * passes.length === 0)
    expect(lacking).toEqual([])
  })

  test('name fields of the schema', () => {
    expect(() => parseWhen('auth.tpye=psk')).toThrow('no field auth.tpye')
  })

  test.each(broken)('%s finds scenario %i', (rule, _, scenario) => {
    const findings = findingsOf(rule, scenario)
    const severity = lintRules.find(({ id }) => id === rule)?.severity
    expect(worstOf(findings)).toBe(scenario.level ?? severity)
  })

  test.each(passing)('%s passes scenario %i', (rule, _, scenario) => {
    expect(findingsOf(rule, scenario)).toEqual([])
  })

  test('print no secret in a finding', () => {
    const texts = broken.map(([rule, , scenario]) => JSON.stringify(findingsOf(rule, scenario)))
    expect(texts.filter(text => /hush|letmein|20261122|zzzzzzzz/i.test(text))).toEqual([])
  })

  test('name the values of a WLAN with their sources', () => {
    const silent = broken.flatMap(([rule, n, scenario]) =>
      findingsOf(rule, scenario)
        .filter(({ message }) => !/\((?:declared|live|default)\)/.test(message))
        .map(() => `${rule} ${n}`)
    )
    expect([...new Set(silent)]).toEqual([
      'too-many-ssids 0',
      'too-many-ssids 1',
      'too-many-ssids 2'
    ])
  })

  test.each(lintRules.map(({ id }) => id))('%s has an explanation', id => {
    const explanation = explainRule(id)
    expect(explanation).toMatchObject({ id })
    for (const text of ['title', 'why', 'condition', 'advice', 'source', 'falseAlarms'] as const) {
      expect(explanation?.[text]).toMatch(/^\S.+[^.\s]$/s)
    }
    expect(explanation?.fields).not.toEqual([])
  })
})
