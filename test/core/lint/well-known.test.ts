import { describe, expect, test } from 'vitest'
import { lint } from '../../../src/core/lint/lint.ts'
import { type Row, readRows, scenarioOf, sitesOf } from './scenario.ts'

/** `finds`: a rule and the level. */
interface Network extends Row {
  readonly finds?: string
}

const { named: _, ...groups } = readRows(import.meta.dirname, 'scenarios/well-known.yaml')

function found(row: Row): string[] {
  const findings = lint(sitesOf(scenarioOf(row)))
  return [...new Set(findings.map(({ rule, level }) => `${rule} ${level}`))].sort()
}

describe.each(Object.entries(groups as Readonly<Record<string, Record<string, Network>>>))(
  '%s',
  (_, rows) => {
    test.each(Object.entries(rows))('%s', (_, { finds, ...row }) => {
      expect(found(row)).toEqual(finds === undefined ? [] : [finds])
    })
  }
)
