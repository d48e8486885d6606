import { describe, expect, test } from 'vitest'
import { lintRules } from '../../../src/core/lint/catalogue.ts'
import { lint } from '../../../src/core/lint/lint.ts'
import { type Row, readRows, scenarioOf, sitesOf } from './scenario.ts'

const all = { level: 'info', rules: {}, strict: false } as const

/** `finds`: a rule; without a level it has that of its rule. */
interface Network extends Row {
  readonly finds?: string
}

const { named: _, ...groups } = readRows(import.meta.dirname, 'scenarios/well-known.yaml')

/** The rules with findings that are no info, and the infos of the row. */
function found(row: Row, infos: readonly string[]): string[] {
  return [
    ...new Set(
      lint(sitesOf(scenarioOf(row)), all)
        .filter(({ level, rule }) => level !== 'info' || infos.includes(rule))
        .map(({ rule, level }) => `${rule} ${level}`)
    )
  ].sort()
}

function withLevel(finding: string): string {
  const [id = '', level] = finding.split(' ')
  return `${id} ${level ?? lintRules.find(rule => rule.id === id)?.severity}`
}

describe.each(Object.entries(groups as Readonly<Record<string, Record<string, Network>>>))(
  '%s',
  (_, rows) => {
    test.each(Object.entries(rows))('%s', (_, { finds, ...row }) => {
      const expected = finds === undefined ? [] : [withLevel(finds)]
      const infos = expected.flatMap(each => (each.endsWith(' info') ? each.slice(0, -5) : []))
      expect(found(row, infos)).toEqual(expected)
    })
  }
)
