import { describe, expect, it } from 'vitest'
import { undeclaredChanges } from '../../../../src/core/plan/undeclared/undeclared-changes.ts'
import { compareUndeclared } from '../../../../src/core/plan/undeclared/undeclared-drift.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { readTable } from '../../table.ts'
import { desiredSite, live, liveSite, record, wlan } from '../support.ts'

const names = (declared: ValueObject, after: object, before?: object) =>
  undeclaredChanges({ ssid: 'Corp', ...declared }, record(after), before && record(before))
    .map(({ pointer }) => pointer)
    .sort()

type Row = readonly [what: string, a: ValueObject, b: object, found: readonly string[]]

const { defaults, snapshot, dangers } = readTable<{
  readonly defaults: readonly Row[]
  readonly snapshot: readonly Row[]
  readonly dangers: readonly (readonly [what: string, live: object, danger?: string])[]
}>('undeclared-changes.txt', import.meta.url)

describe('the undeclared fields that are not at their default', () => {
  it.each(defaults)('are %s', (_, declared, after, found) => {
    expect(names(declared, after)).toEqual([...found].sort())
  })

  it.each(dangers.map(([what, after, danger]) => [what, after, danger] as const))(
    'have the danger of %s first',
    (_, after, danger) => {
      const [site, read] = [desiredSite([wlan({})]), liveSite([live(after)])]
      const [first] = compareUndeclared(site, read, { unwatched: 'drift' }).findings
      expect(first).toMatchObject({ code: 'UNDECLARED_CHANGED' })
      expect(first?.danger).toBe(danger)
    }
  )
})

describe('the undeclared fields that changed', () => {
  it.each(snapshot)('since a snapshot are %s', (_, before, after, found) => {
    expect(names({}, after, before)).toEqual([...found].sort())
  })

  const changes = (before: object | undefined, after: object) => {
    const earlier = {
      live: liveSite(before ? [live(before)] : []),
      created: '2026-11-20T10:00:00Z'
    }
    const site = desiredSite([wlan({})])
    return compareUndeclared(
      site,
      liveSite([live(after)]),
      { unwatched: 'report' },
      earlier
    ).findings.map(({ message }) => message)
  }

  it.each([
    [{}, { isolation: true }, 'isolation', 'false → true'],
    [{ bands: ['5'] }, { bands: ['24', '5'] }, 'bands', '["5"] → ["24","5"]'],
    [{}, { apply_to: 'aps' }, 'apply_to', 'none → "aps"'],
    [{}, { auth: { type: 'psk', psk: 'a-live-key' } }, 'auth.psk', 'none → (secret)']
  ])('name both values and no secret: %j, %j', (before, after, pointer, values) => {
    expect(changes(before, after)).toContain(
      `${pointer} is not declared, and changed since the snapshot of 2026-11-20T10:00:00Z: ${values}`
    )
  })

  it('are none of a WLAN that did not exist', () => {
    expect(changes(undefined, { enabled: false })).toEqual([])
  })
})
