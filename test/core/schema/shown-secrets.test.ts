import { describe, expect, test } from 'vitest'
import { stillShown } from '../../../src/core/schema/shown-secrets.ts'
import { record } from '../plan/support.ts'

describe('a later response about a WLAN', () => {
  const [secret, none] = [record({ auth: { psk: 'shown' } }), record({ auth: { psk: '' } })]
  test.each([
    ['shows a secret', undefined, none, secret, true],
    ['has none to show, like the earlier one, whose list shows others', true, none, none, true],
    ['has none to show, like the earlier one', undefined, none, none, false],
    ['lost the secrets that the earlier one had', true, secret, none, false]
  ])('%s', (_, isShown, before, found, expected) => {
    expect(stillShown(isShown, before, found)()).toBe(expected)
  })
})
