import { describe, expect, test } from 'vitest'
import type { Change, PatchOperation } from '../../src/core/model/plan.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import type { Value } from '../../src/core/values/value.ts'
import { leadingFields } from '../../src/report/fields/field-changes.ts'
import { changeOf } from './plans.ts'

/** A change of these fields, from live to declared, with dangers in some of them. */
function change(
  fields: readonly (readonly [string, Value, Value])[],
  ...dangers: readonly Pointer[]
): Change {
  const patch = fields.flatMap(([path, live, declared]): PatchOperation[] => [
    { op: 'test', path, value: live },
    { op: 'replace', path, value: declared }
  ])
  return changeOf(
    'hq/guest',
    undefined,
    {},
    {
      patch,
      ...(dangers.length > 0 && { dangers: dangers.map(pointer => ({ kind: 'off', pointer })) })
    }
  )
}

describe('a list of fields', () => {
  const many = Array.from({ length: 30 }, (_, n) => [`/a${10 + n}`, 1, 2] as const)

  test.each<[what: string, of: Change, first: readonly string[]]>([
    [
      'with two dangers',
      change(
        [...many, ['/enabled', false, true], ['/isolation', false, true]],
        '/enabled',
        '/isolation'
      ),
      ['/enabled', '/isolation']
    ],
    [
      'with a danger, a downgrade and the field of the impact',
      {
        ...change(
          [...many, ['/enabled', false, true], ['/owe', 1, 0], ['/ssid', 'a', 'b']],
          '/enabled'
        ),
        impact_fields: ['/ssid'],
        downgrades: ['/owe']
      },
      ['/enabled', '/owe', '/ssid']
    ],
    ['without any of them', change(many), ['/a10', '/a11']]
  ])('%s', (_, of, first) => {
    const names = leadingFields(of).map(({ path }) => path)
    expect(names.slice(0, first.length)).toEqual(first)
  })
})
