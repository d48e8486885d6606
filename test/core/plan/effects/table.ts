import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { withValueAt } from '../../../../src/core/values/draft.ts'
import type { Value, ValueObject } from '../../../../src/core/values/value.ts'
import { env } from '../support.ts'

/**
 * A table of this folder, YAML with a row a line. In its objects `auth/type: psk` is short for `auth: { type: psk }`, and `{ $env: a }` is a declared
 * secret with the value `a`.
 */
export function readTable<Table>(name: string): Table {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return valueIn(parse(text)) as Table
}

function valueIn(yaml: unknown): Value {
  if (Array.isArray(yaml)) return yaml.map(valueIn)
  if (typeof yaml !== 'object' || yaml === null) return yaml as Value
  if ('$env' in yaml) return env(String(yaml.$env))
  return Object.entries(yaml).reduce<ValueObject>(
    (whole, [path, value]) => withValueAt(whole, `/${path}`, valueIn(value)),
    {}
  )
}
