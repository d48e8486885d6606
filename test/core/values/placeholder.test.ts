import { describe, expect, it, test } from 'vitest'
import { placeholderKind } from '../../../src/core/values/secret.ts'
import { readTable } from '../table.ts'

const table: {
  readonly placeholders: readonly (readonly [looksLike: string, ...values: string[]])[]
  readonly secrets: readonly string[]
} = readTable('placeholder.txt', import.meta.url)

describe('what plainly is not the secret', () => {
  test.each(table.placeholders)('is reported as %s: %s, …', (looksLike, ...values) => {
    for (const value of values) {
      expect(`${value}: ${placeholderKind(value)}`).toBe(`${value}: ${looksLike}`)
      expect(placeholderKind(`${value}\n`)).toBe(looksLike)
    }
  })

  it.each(table.secrets)('is not %j, which a user may choose', value => {
    expect(placeholderKind(value)).toBeUndefined()
  })
})
