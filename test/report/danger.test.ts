import { describe, expect, test } from 'vitest'
import type { Change, PatchOperation } from '../../src/core/model/plan.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import type { Value } from '../../src/core/values/value.ts'
import { leadingFields } from '../../src/report/danger.ts'
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

describe('a truncated list of fields', () => {
  const names = (of: Change, most: number) => leadingFields(of, most).map(({ path }) => path)
  const many = Array.from({ length: 30 }, (_, n) => [`/a${10 + n}`, 1, 2] as const)

  test.each<[what: string, of: Change, most: number, first: readonly string[]]>([
    [
      'that fits',
      change([
        ['/a', 1, 2],
        ['/enabled', false, true]
      ]),
      2,
      ['/a', '/enabled']
    ],
    [
      'with a danger',
      change([...many, ['/enabled', false, true]], '/enabled'),
      2,
      ['/enabled', '/a10']
    ],
    [
      'with more dangers than it is long',
      change(
        [...many, ['/enabled', false, true], ['/isolation', false, true]],
        '/enabled',
        '/isolation'
      ),
      1,
      ['/enabled', '/isolation']
    ],
    [
      'with the field of the impact',
      { ...change([...many, ['/ssid', 'a', 'b']]), impact_fields: ['/ssid'] },
      2,
      ['/ssid', '/a10']
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
      2,
      ['/enabled', '/owe', '/ssid']
    ],
    ['without any of them', change(many), 2, ['/a10', '/a11']]
  ])('%s', (_, of, most, first) => {
    expect(names(of, most)).toEqual(first)
  })
})
