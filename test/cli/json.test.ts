import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { wlanctl } from '../support/program.ts'
import { FLEET, stage } from '../support/stage.ts'

/** The names of all members of a value, at any depth. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
}

describe('JSON for programs', () => {
  it.each([
    ['validate fleet'],
    ['plan fleet'],
    ['apply fleet --yes --record r.jsonl'],
    ['drift fleet'],
    ['snapshot fleet'],
    ['show plan.json'],
    ['adopt fleet --yes'],
    [`import ${HQ}`],
    ['token list']
  ])('has members in snake_case: %s', async line => {
    const made = await stage()
    made.write('fleet/hq.yaml', FLEET.replace('enabled: false', 'auth: { type: eap192 }'))
    await wlanctl(['plan', 'fleet', '--out', 'plan.json'], made)
    const { stdout } = await wlanctl([...line.split(' '), '--format', 'json'], made)
    const names = namesIn(JSON.parse(stdout))
    expect(names.length).toBeGreaterThan(3)
    const isPointer = (name: string) => name.startsWith('/')
    expect(
      names
        .filter(name => !isPointer(name))
        .filter(name => !/^\$?[a-z][a-z\d]*(?:_[a-z\d]+)*$/.test(name))
    ).toEqual([])
  })
})
