import { describe, expect, it, test } from 'vitest'
import { SecretCatalog, type SecretForm } from '../../../src/author/import/secrets.ts'
import type { RequestedImport } from '../../../src/author/import/site.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value } from '../../../src/core/values/value.ts'
import { nth } from './estates.ts'
import { ENV } from './import.ts'

const FILE: SecretForm = { ...ENV, kind: '$file' }

/** `site/key/field…` and the value of the field; undefined for a masked one. */
type Use = readonly [place: string, value: string | undefined]

/** Sites with these secrets, in the order of the uses. */
function sitesWith(uses: readonly Use[]): RequestedImport[] {
  const names = [...new Set(uses.map(([place]) => place.split('/')[0] ?? ''))]
  return names.map((name, n) => {
    const site = { id: nth(n), name }
    const own = uses.filter(([place]) => place.startsWith(`${name}/`))
    const keys = [...new Set(own.map(([place]) => place.split('/')[1] ?? ''))]
    const wlans = keys.map((key, at) => ({
      key,
      id: nth(100 + at),
      ssid: key,
      record: {},
      readAt: 0,
      fields: Object.fromEntries(
        own
          .filter(([place]) => place.startsWith(`${name}/${key}/`))
          .map(([place, value]) =>
            nested(place.split('/').slice(2), new Secret({ $live: true }, value))
          )
      )
    }))
    return { ...site, slug: name, wlans, inherited: [], unknown: [], findings: [] }
  })
}

/** A member with the value; `auth_servers-2` is the second server of a list. */
function nested([first = '', ...rest]: readonly string[], value: Value): [string, Value] {
  const [name = '', count] = first.split('-')
  const inner = rest.length === 0 ? value : Object.fromEntries([nested(rest, value)])
  if (count === undefined) return [name, inner]
  return [name, [...Array(Number(count) - 1).fill({}), inner]]
}

/** The names of the secrets, by value. */
function namesOf(uses: readonly Use[], form = ENV) {
  const { secrets } = new SecretCatalog(sitesWith(uses), form)
  return secrets.map(({ name, uses: count }) => `${name} ${count}`)
}

describe('the name of a secret', () => {
  test.each<[what: string, places: readonly string[], name: string]>([
    ['one field', ['hq/guest/auth/psk'], 'HQ_GUEST_PSK'],
    ['a server of a list', ['hq/corp/auth_servers-2/secret'], 'HQ_CORP_RADIUS_2_SECRET'],
    ['a WLAN of several sites', [1, 2, 3].map(n => `s${n}/guest/auth/psk`), 'GUEST_PSK'],
    ['several WLANs of a site', ['hq/a/auth/psk', 'hq/b/auth/psk'], 'HQ_A_PSK'],
    [
      'RADIUS servers of a WLAN',
      ['auth_servers-1', 'auth_servers-2', 'acct_servers-1'].map(
        (at, n) => `s${n}/corp/${at}/secret`
      ),
      'CORP_RADIUS_SECRET'
    ],
    [
      'the second server, but for a site with the servers in another order',
      [2, 2, 2, 1].map((at, n) => `s${n}/corp/auth_servers-${at}/secret`),
      'CORP_RADIUS_2_SECRET'
    ],
    [
      'RADIUS servers everywhere',
      ['a/x/auth_servers-1/secret', 'b/y/coa_servers-1/secret'],
      'RADIUS_1_SECRET'
    ],
    ['fields with nothing in common', ['hq/a/portal/password', 'hq/a/auth/psk'], 'HQ_A_PSK']
  ])('of %s is built from the common parts of its uses', (_what, places, name) => {
    const uses = places.map((place): Use => [place, 'a'])
    expect(namesOf(uses)).toEqual([`WLAN_SECRET_${name} ${uses.length}`])
    const file = name.toLowerCase().replaceAll('_', '-')
    expect(namesOf(uses, FILE)).toEqual([`${file} ${uses.length}`])
    expect(namesOf(uses.toReversed())).toEqual(namesOf(uses))
  })

  it('has the first site with it, unless most sites with the WLAN have it', () => {
    const few: Use[] = ['s1', 's2'].map(site => [`${site}/guest/auth/psk`, 'few'])
    const many: Use[] = ['s3', 's4', 's5'].map(site => [`${site}/guest/auth/psk`, 'many'])
    expect(namesOf([...few, ...many])).toEqual([
      'WLAN_SECRET_S1_GUEST_PSK 2',
      'WLAN_SECRET_GUEST_PSK 3'
    ])
  })

  it('has a number if it is taken, except for the secret with most uses', () => {
    const servers = (site: string, ...lists: string[]): Use[] =>
      lists.map(list => [`${site}/${list}/secret`, site])
    const few = servers('a/b-c', 'auth_servers-1', 'acct_servers-1')
    const many = servers('a-b/c', 'auth_servers-1', 'acct_servers-1', 'coa_servers-1')
    expect(namesOf([...few, ...many])).toEqual([
      'WLAN_SECRET_A_B_C_RADIUS_1_SECRET_2 2',
      'WLAN_SECRET_A_B_C_RADIUS_1_SECRET 3'
    ])
    const run: Use[] = [
      ['a/b-c/auth/psk', 'x'],
      ['a-b/c/auth/psk', 'y']
    ]
    expect(namesOf(run)).toEqual(['WLAN_SECRET_A_B_C_PSK 1', 'WLAN_SECRET_A_B_C_PSK_2 1'])
    expect(namesOf(run, FILE)).toEqual(['a-b-c-psk 1', 'a-b-c-psk-2 1'])
  })

  it('is unique for each secret that the service hides', () => {
    const hidden: Use[] = ['s1', 's2'].map(site => [`${site}/guest/auth/psk`, undefined])
    expect(namesOf(hidden)).toEqual(['WLAN_SECRET_S1_GUEST_PSK 1', 'WLAN_SECRET_S2_GUEST_PSK 1'])
  })
})
