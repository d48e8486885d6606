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

const { defaults, snapshot }: Record<'defaults' | 'snapshot', readonly Row[]> = readTable(
  'undeclared-changes.txt',
  import.meta.url
)

describe('the undeclared fields that are not at their default', () => {
  it.each(defaults)('are %s', (_, declared, after, found) => {
    expect(names(declared, after)).toEqual([...found].sort())
  })
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
    [{}, { isolation: true }, '/isolation', 'false → true'],
    [{ bands: ['5'] }, { bands: ['24', '5'] }, '/bands', '["5"] → ["24","5"]'],
    [{}, { apply_to: 'aps' }, '/apply_to', 'none → "aps"'],
    [{}, { auth: { type: 'psk', psk: 'a-live-key' } }, '/auth/psk', 'none → (secret)']
  ])('name both values and no secret: %j, %j', (before, after, pointer, values) => {
    expect(changes(before, after)).toContain(
      `${pointer} is not declared, and changed since the snapshot of 2026-11-20T10:00:00Z: ${values}`
    )
  })

  it('are none of a WLAN that did not exist', () => {
    expect(changes(undefined, { enabled: false })).toEqual([])
  })
})
