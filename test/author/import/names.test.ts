import { describe, expect, it } from 'vitest'
import { fileSlug, keySlug } from '../../../src/author/import/names.ts'
import { slugOf } from '../../../src/core/audit/slug.ts'
import { liveSite, nth } from './estates.ts'
import { imported } from './import.ts'

describe('a handle', () => {
  it.each([
    ['Guest', 'guest'],
    ['Café Zürich', 'cafe-zurich'],
    ['  -- Store #017 --', 'store-017'],
    ['../../etc/passwd', 'etc-passwd'],
    ['x'.repeat(100), 'x'.repeat(48)],
    ['東京', '']
  ])('of %j is %j', (text, handle) => {
    expect(slugOf(text)).toBe(handle)
  })

  it.each([
    ['No', 'wlan-no'],
    ['null', 'wlan-null'],
    ['5G', 'wlan-5g'],
    ['constructor', 'wlan-constructor'],
    ['😀', 'wlan'],
    ['\u0410CME Corp', 'acme-corp'],
    ['\u041c\u043e\u0441\u043a\u0432\u0430', 'wlan']
  ])('of the SSID %j is %j', (ssid, key) => {
    expect(keySlug(ssid)).toBe(key)
  })

  it.each([
    ['CON', 'site-con'],
    ['..', 'site'],
    ['東京', 'site']
  ])('of the site %j is %j', (name, file) => {
    expect(fileSlug(name)).toBe(file)
  })
})

describe('the keys of a site', () => {
  const ssids = ['Guest', 'guest', 'Guest 2', 'GUEST', '😀', '☕']
  const records = ssids.map((ssid, n) => ({ id: nth(n + 1), ssid }))
  const keysOf = (list: readonly object[]) =>
    imported(liveSite({ id: nth(0), name: 'hq' }, list)).wlans.map(({ key, id }) => [key, id])

  it('are unique, and independent of the order of the service', () => {
    expect(keysOf(records).map(([key]) => key)).toEqual([
      'guest',
      'guest-2',
      'guest-2-2',
      'guest-3',
      'wlan',
      'wlan-2'
    ])
    expect(keysOf(records.toReversed())).toEqual(keysOf(records))
  })
})
