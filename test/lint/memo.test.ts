import { expect, test } from 'vitest'
import { Linter } from '../../src/lint/lint.ts'
import type { ValueObject } from '../../src/model/value.ts'
import { corp, fields, psk, secret } from './scenario.ts'

const variants: readonly ValueObject[] = [
  {},
  { vlan_enabled: true },
  { vlan_enabled: true, vlan_id: 7 },
  { enabled: false, dtim: 300 },
  { auth_servers: [] },
  { auth_servers: [{ host: 'a', port: 1813, secret: secret() }] },
  { dtim: 50 },
  fields({ 'auth.type': 'open' }),
  fields({ ...psk, 'auth.psk': secret('12345678') }),
  fields({ ...psk, 'auth.psk': secret('87654321'), portal_api_secret: secret() })
]

test('results that are kept from other sites are those of the site itself', () => {
  const policy = { level: 'info', rules: {}, strict: false } as const
  const sites = variants.flatMap((live, a) =>
    variants.map((declared, b) => ({
      id: `${a}-${b}`,
      name: `site-${a}-${b}`,
      wlans: [{ name: 'net', declared: declared, live: { ...corp, ...live } }]
    }))
  )
  const linter = new Linter(policy)
  for (const site of sites) {
    expect(linter.lintSite(site), site.name).toEqual(new Linter(policy).lintSite(site))
  }
})
