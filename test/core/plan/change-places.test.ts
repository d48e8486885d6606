import { expect, test } from 'vitest'
import { changedField } from '../../../src/core/plan/change-places.ts'

test.each([
  ['the first of the fields', ['/auth/type', '/ssid'], ['/ssid', '/auth/type'], '/ssid'],
  ['a field above it', ['/auth'], ['/ssid', '/auth/type'], '/auth'],
  ['a field within it', ['/auth/pairwise/0'], ['/auth/pairwise'], '/auth/pairwise/0'],
  ['the switch of the WLAN', ['/enabled'], ['/ssid'], '/enabled'],
  ['no other field', ['/dtim', '/ssid_more'], ['/ssid'], undefined]
])('the changed field is %s', (_, paths, fields, expected) => {
  const patch = paths.flatMap(path => [
    { op: 'test', path, value: 1 } as const,
    { op: 'replace', path, value: 2 } as const
  ])
  expect(changedField(patch, fields)).toBe(expected)
  const tests = patch.filter(({ op }) => op === 'test')
  expect(changedField(tests, fields)).toBeUndefined()
})
