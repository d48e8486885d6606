import { describe, expect, it, test } from 'vitest'
import { fixExample } from '../../../src/author/fix/example.ts'
import { lintRules } from '../../../src/core/lint/catalogue.ts'

const withFix = lintRules.filter(({ fix }) => fix !== undefined)

describe('a rule of the linter', () => {
  test('has a fix with an example, or a reason why there is none', () => {
    const wrong = lintRules.filter(
      ({ fix, example, noFix }) =>
        (fix === undefined) === (noFix === undefined) || !fix !== !example
    )
    expect(wrong.map(({ id }) => id)).toEqual([])
    expect(withFix.length).toBeGreaterThan(35)
  })

  it.each(withFix.map(({ id }) => id))('%s has a fix that resolves it', async id => {
    const example = await fixExample(id)
    expect(example?.before).not.toBe(example?.after)
  })

  it.each([
    ['owe-ignored', '--live'],
    ['open-without-isolation', '--unsafe'],
    // Only the live network breaks it, and only if it has other values.
    ['limit-not-enabled', '--live --unsafe']
  ])('%s is fixed with %s', async (id, options) => {
    expect((await fixExample(id))?.command).toBe(`wlanctl fix --rule ${id} ${options}`)
  })
})
