import { describe, expect, it } from 'vitest'
import { fileSlug, keySlug } from '../../../src/author/import/names.ts'
import { parseSiteList, resolveRequests } from '../../../src/author/import/site-requests.ts'
import { slugOf } from '../../../src/core/audit/slug.ts'
import { HQ } from '../../support/ids.ts'
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

describe('the requested sites', () => {
  const source = 'the command line'

  it('are read from lines with an id and a name', () => {
    const text = `# ours\n\n${nth(1)} Head office \r\n${nth(2)},store-2\n  ${nth(3)}\n`
    expect(parseSiteList(text, 'f')).toEqual([
      { id: nth(1), name: 'Head office', source: 'f:3' },
      { id: nth(2), name: 'store-2', source: 'f:4' },
      { id: nth(3), name: '', source: 'f:5' }
    ])
  })

  it('get unique default names from their ids', () => {
    const ids = [nth(2), nth(2).toUpperCase(), nth(1), HQ]
    const result = resolveRequests(ids.map(id => ({ id, name: '', source })))
    expect(result).toMatchObject({
      sites: [{ name: 'site-4ac1dcf4' }, { name: `site-${nth(1)}` }, { name: `site-${nth(2)}` }]
    })
  })

  it('have files of their own, even if their names differ only in case', () => {
    const names = ['Store 1', 'store-1', 'STORE 1', 'Ctrl']
    const result = resolveRequests(names.map((name, n) => ({ id: nth(n), name, source })))
    const slugs = 'sites' in result ? result.sites.map(site => site.slug) : []
    expect(new Set(slugs)).toEqual(new Set(['store-1', 'store-1-2', 'store-1-3', 'ctrl']))
  })

  it.each([
    [[['x', 'a']], '"x" is not a site id'],
    [[[nth(1), 'a\u202eb']], 'is not a valid name'],
    [
      [
        [nth(1), 'a'],
        [nth(1), 'b']
      ],
      'another name'
    ],
    [
      [
        [nth(1), 'a'],
        [nth(2), 'a']
      ],
      'also the name'
    ]
  ])('are rejected: %j', (pairs, problem) => {
    const result = resolveRequests(pairs.map(([id = '', name = '']) => ({ id, name, source })))
    expect(result).toEqual({ problems: [expect.stringContaining(problem)] })
  })
})
