import { describe, expect, it } from 'vitest'
import { renderText } from '../../src/report/text/text.ts'
import { plain, planOf } from './plans.ts'

const digest = `sha256:${'0'.repeat(64)}`

describe('the age of a snapshot', () => {
  it.each([
    ['2026-11-20T10:00:00Z', '0 seconds old'],
    ['2026-11-20T09:59:59Z', '1 second old'],
    ['2026-11-20T09:01:00Z', '59 minutes old'],
    ['2026-11-20T07:00:00Z', '3 hours old'],
    ['2026-11-10T10:00:01Z', '9 days old'],
    ['2026-11-21T10:00:00Z', '0 seconds old']
  ])('of %s is printed as %s', (created, age) => {
    const plan = planOf([], { against: { created, digest } })
    expect(renderText({ kind: 'plan', plan }, plain)).toContain(
      `Planned against a snapshot ${age} (2026-11-`
    )
  })

  it('of a plan on the live state is not printed', () => {
    expect(renderText({ kind: 'plan', plan: planOf([]) }, plain)).not.toMatch(/snapshot/)
  })
})
