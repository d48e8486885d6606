import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { withValueAt } from '../../src/core/values/draft.ts'
import type { Value, ValueObject } from '../../src/core/values/value.ts'
import { env } from './plan/support.ts'

/**
 * A table of tests: YAML with a row a line. In its objects `auth/type: psk` is short for `auth: { type: psk }`, and
 * `{ $env: a }` is a declared secret with the value `a`, which null is not known.
 */
export function readTable<Table>(name: string, test: string): Table {
  return valueIn(parse(readFileSync(new URL(name, test), 'utf8'))) as Table
}

function valueIn(yaml: unknown): Value {
  if (Array.isArray(yaml)) return yaml.map(valueIn)
  if (typeof yaml !== 'object' || yaml === null) return yaml as Value
  if ('$env' in yaml) return yaml.$env === null ? env() : env(String(yaml.$env))
  return Object.entries(yaml).reduce<ValueObject>(
    (whole, [path, value]) => withValueAt(whole, `/${path}`, valueIn(value)),
    {}
  )
}
