import { describe, expect, test } from 'vitest'
import { matchSite } from '../../../src/core/diff/match.ts'
import type { DesiredWlan } from '../../../src/core/model/desired.ts'
import type { LiveWlan } from '../../../src/core/model/live.ts'
import { desiredSite, live, liveSite, nth, wlan } from '../plan/support.ts'
import { readTable } from '../table.ts'

const corp = live({ ssid: 'Corp' }, nth(1))
const guest = live({ ssid: 'Guest' }, nth(2))
const visitors = live({ ssid: 'Visitors' }, nth(3))
const secondCorp = live({ ssid: 'Corp' }, nth(4))
const unnamed = live({ ssid: null }, nth(10))
const lives: Readonly<Record<string, LiveWlan>> = {
  ...{ corp, guest, visitors, unnamed },
  'second corp': secondCorp
}

type Row = readonly [
  how: string,
  declared: { readonly id?: string; readonly matchSsid?: string; readonly ssid?: string | null },
  found: readonly string[],
  match: string
]

const rows = readTable<readonly Row[]>('match.txt', import.meta.url)

/** The name of the live WLAN, or the code of the finding, by key. */
function match(declared: readonly DesiredWlan[], found: readonly LiveWlan[]) {
  const matches = [...matchSite(desiredSite(declared), liveSite(found))]
  return Object.fromEntries(
    matches.map(([{ key }, result]) => [
      key,
      'live' in result
        ? Object.keys(lives).find(name => lives[name] === result.live)
        : result.finding.code
    ])
  )
}

function findingOf(declared: readonly DesiredWlan[], found: readonly LiveWlan[]) {
  const [first] = matchSite(desiredSite(declared), liveSite(found)).values()
  if (first === undefined || 'live' in first) throw new Error('there is no finding')
  return first.finding
}

describe('the live WLAN that matches a declaration', () => {
  test.each(rows)('%s', (_, { id, ssid = 'Corp', ...declared }, found, expected) => {
    const own = { ...declared, fields: ssid === null ? {} : { ssid } }
    const named = wlan({}, id === undefined ? own : { ...own, id: lives[id]?.id ?? nth(9) })
    const site = found.flatMap(name => lives[name] ?? [])
    expect(match([named], site)).toEqual({ corp: expected })
  })

  test('by id in another case', () => {
    expect(match([wlan({}, { id: nth(10).toUpperCase() })], [corp, unnamed])).toEqual({
      corp: 'unnamed'
    })
  })
})

describe('the finding', () => {
  test('of several matches lists their ids in order, and the location of the declaration', () => {
    const finding = findingOf([wlan({})], [secondCorp, corp])
    expect(finding).toMatchObject({
      code: 'WLAN_AMBIGUOUS',
      level: 'error',
      address: 'hq/corp',
      place: { file: 'sites/hq.yaml', line: 3, column: 3 }
    })
    expect(finding.message).toContain(`${nth(1)}, ${nth(4)}`)
  })

  test('of no match suggests the nearest SSID, for any order of the list', () => {
    const cord = live({ ssid: 'Cord' }, nth(5))
    const declared = [wlan({}, { fields: { ssid: 'Corq' } })]
    const finding = findingOf(declared, [corp, cord])
    expect(finding.hint).toContain('"Cord"')
    expect(findingOf(declared, [cord, corp])).toEqual(finding)
  })

  test('of no match suggests no inherited WLAN', () => {
    const inherited = live({ ssid: 'Cord', for_site: false }, nth(5))
    const { hint } = findingOf([wlan({}, { fields: { ssid: 'Corq' } })], [corp, inherited])
    expect(hint).toContain('"Corp"')
  })

  test('of no match suggests no WLAN that another declaration matches', () => {
    const other = wlan({}, { key: 'b', address: 'hq/b' })
    const { hint } = findingOf([wlan({}, { fields: { ssid: 'Corps' } }), other], [corp])
    expect(hint).toContain('create the WLAN')
    expect(hint).not.toContain('$match')
  })

  test('of no match lists the declared SSIDs', () => {
    const { message } = findingOf([wlan({}, { matchSsid: 'Old', fields: { ssid: 'New' } })], [])
    expect(message).toContain('"Old" or "New"')
  })
})

describe('declarations that match the same live WLAN', () => {
  const byId = wlan({}, { key: 'a', address: 'hq/a', id: nth(1) })
  const bySsid = wlan({}, { key: 'b', address: 'hq/b' })
  const byMatch = wlan({ ssid: 'New' }, { key: 'c', address: 'hq/c', matchSsid: 'Corp' })
  const other = wlan({ ssid: 'Guest' }, { key: 'd', address: 'hq/d' })

  test('are all blocked, and no other one', () => {
    expect(match([byId, bySsid, byMatch, other], [corp, guest])).toEqual({
      a: 'WLAN_CLAIMED_TWICE',
      b: 'WLAN_CLAIMED_TWICE',
      c: 'WLAN_CLAIMED_TWICE',
      d: 'guest'
    })
  })

  test('each name the others, whatever their order', () => {
    const finding = findingOf([byId, byMatch, bySsid], [corp])
    expect(finding).toMatchObject({ code: 'WLAN_CLAIMED_TWICE', address: 'hq/a' })
    expect(finding.message).toContain('hq/b, hq/c')
    expect(findingOf([byId, bySsid, byMatch], [corp])).toEqual(finding)
  })

  test('are not reported if both are ambiguous', () => {
    expect(match([bySsid, byMatch], [corp, secondCorp])).toEqual({
      b: 'WLAN_AMBIGUOUS',
      c: 'WLAN_AMBIGUOUS'
    })
  })

  test('are reported even if one of them is not selected', () => {
    expect(match([byId, { ...bySsid, excluded: true }], [corp])).toMatchObject({
      a: 'WLAN_CLAIMED_TWICE'
    })
  })
})
