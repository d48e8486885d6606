import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { LintLevel } from '../../../../src/core/lint/rule.ts'
import { Secret } from '../../../../src/core/values/secret.ts'
import type { Value } from '../../../../src/core/values/value.ts'
import {
  at,
  both,
  declared,
  fields,
  fleet,
  hidden,
  live,
  resolvedSecret,
  type Scenario,
  type Scenarios,
  site,
  unresolved
} from '../scenario.ts'
import { relationScenarios } from './relations.ts'

type Fields = Readonly<Record<string, Value>>

/** A scenario as `scenarios.yaml` and `well-known.yaml` write it. */
export interface Row {
  readonly level?: LintLevel
  readonly declared?: Fields
  readonly live?: Fields
  readonly site?: readonly Row[]
  readonly fleet?: readonly Row[]
}

const customTags = [
  { tag: '!live', resolve: (text: string) => Secret.live(text) },
  { tag: '!hidden', resolve: () => hidden },
  { tag: '!env', resolve: (text: string) => resolvedSecret(text) },
  { tag: '!unresolved', resolve: () => unresolved }
]

/** Reads a file of rows with secrets. */
export function readRows(directory: string, name: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(join(directory, name), 'utf8')
  return parse(text, { customTags, merge: true })
}

export function scenarioOf(row: Row): Scenario {
  const of = row.site ?? row.fleet
  if (of !== undefined) return (row.site ? site : fleet)(...of.map(scenarioOf))
  const [files, service] = [row.declared, row.live].map(each => each && fields(each))
  const made =
    files === undefined ? live(service ?? {}) : service ? both(files, service) : declared(files)
  return row.level === undefined ? made : at(row.level, made)
}

interface RuleRows {
  readonly breaks: readonly Row[]
  readonly passes: readonly Row[]
}

const { rules } = readRows(import.meta.dirname, 'scenarios.yaml') as {
  rules: Readonly<Record<string, RuleRows>>
}

const single = Object.entries(rules).map(([id, { breaks, passes }]) => [
  id,
  { breaks: breaks.map(scenarioOf), passes: passes.map(scenarioOf) }
])

/** The scenarios of all rules. */
export const scenarios: Scenarios = { ...Object.fromEntries(single), ...relationScenarios }
