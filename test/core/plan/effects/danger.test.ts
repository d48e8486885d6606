import { describe, expect, it, test } from 'vitest'
import { diff } from '../../../../src/core/diff/diff.ts'
import { matchSite } from '../../../../src/core/diff/match.ts'
import { type Effects, effectsOf } from '../../../../src/core/plan/effects/effects.ts'
import { planSite } from '../../../../src/core/plan/plan.ts'
import { secretsShownIn } from '../../../../src/core/schema/shown-secrets.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { readTable } from '../../table.ts'
import { desiredSite, env, live, liveSite, record, wlan } from '../support.ts'

const DRIFT = { isDrift: true }

function change(declared: ValueObject, edited: object) {
  const before = record(edited)
  const { patch, secrets } = diff(declared, before, { secretsShown: secretsShownIn([before]) })
  return { before, patch, secrets }
}

/** The dangers of a live WLAN that is edited to `edited` and declared as `declared`. */
function dangers(declared: ValueObject, edited: object): string[] {
  const { before, patch, secrets } = change(declared, edited)
  return textsOf(effectsOf(patch, before, secrets, DRIFT))
}

function textsOf({ dangers = [] }: Effects): string[] {
  return dangers.map(({ kind, pointer }) => `${kind} ${pointer}`)
}

type Case = readonly [what: string, declared: ValueObject, edited: object, ...dangers: string[]]

const psk = { type: 'psk' }
const edits = readTable<readonly Case[]>('danger.txt', import.meta.url).map(
  ([what, declared, edited, ...found]) => [what, declared, edited, found] as const
)

describe('drift', () => {
  test.each(edits)('%s', (_, declared, edited, expected) => {
    expect(dangers(declared, edited)).toEqual(expected)
  })

  it('has its worst danger first', () => {
    const declared = {
      auth: { ...psk, psk: env('declared-key') },
      enabled: true,
      isolation: true,
      max_num_clients: 0
    }
    const edited = { auth: psk, enabled: false, isolation: false, max_num_clients: 1 }
    expect(dangers(declared, edited)).toEqual([
      'off /enabled',
      'not-isolated /isolation',
      'refused /max_num_clients'
    ])
  })

  it.each([
    [{ auth: psk }, { auth: { type: 'open' } }, 'open'],
    [{ isolation: true, dtim: 2 }, { isolation: false, dtim: 1 }, 'not-isolated'],
    [{ ssid: 'Declared', vlan_id: 2 }, { ssid: 'Edited', vlan_id: 1 }, undefined]
  ])('%j ends the danger of %j', (declared, found, danger) => {
    const { before, patch, secrets } = change(declared, found)
    expect(effectsOf(patch, before, secrets).ends).toBe(danger)
  })

  it('has no dangers where the declaration is switched off, too', () => {
    const declared = { enabled: false, isolation: true, max_num_clients: 0 }
    expect(dangers(declared, { enabled: false, isolation: false, max_num_clients: 1 })).toEqual([])
  })
})

describe('a planned site', () => {
  it('gets the dangers of its changes only', () => {
    const dangersIn = (declared: ValueObject, found: ValueObject, isDrift: boolean) => {
      const [site, sites] = [desiredSite([wlan(declared)]), liveSite([live(found)])]
      const { wlanPlans } = planSite(site, sites, matchSite(site, sites), { isDrift })
      return wlanPlans.map(plan => 'change' in plan && plan.change.dangers)
    }
    const edit = [{ isolation: true }, { isolation: false }] as const
    expect(dangersIn(...edit, false)).toEqual([undefined])
    expect(dangersIn({ isolation: false }, { isolation: true }, false)).toEqual([
      [{ kind: 'not-isolated', pointer: '/isolation' }]
    ])
    expect(dangersIn(...edit, true)).toEqual([[{ kind: 'not-isolated', pointer: '/isolation' }]])
    const moved = [{ vlan_id: 30 }, { vlan_enabled: true, vlan_id: 40 }] as const
    expect(dangersIn(...moved, true)).toEqual([undefined])
  })
})
