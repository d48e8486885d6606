import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { finding } from '../../src/core/model/finding.ts'
import type { Change } from '../../src/core/model/plan.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { fieldsOf, leadingFields } from '../../src/report/fields/field-changes.ts'
import { elementNames } from '../../src/report/fields/secret-fields.ts'
import { formats } from '../../src/report/formats.ts'
import type { FormatName } from '../../src/report/report.ts'
import { env, plannedChange } from '../core/plan/support.ts'
import { plain, planOf } from './plans.ts'

const server = (host: string, secret: unknown, port = 1812) => ({ host, port, secret })
const found = {
  auth_servers: [server('10.0.0.1', 'first-live'), server('10.0.0.2', 'second-live')]
}
const servers = (first: string, second: string, port = 1812) => ({
  auth_servers: [
    server('10.0.0.1', env(first, 'ONE'), port),
    server('10.0.0.2', env(second, 'TWO'), port)
  ] as ValueObject[]
})

const changed = plannedChange(servers('first-live', 'second-new'), found)

/** The text of one change in a format, without code marks. */
function show(format: FormatName, change: Change): string {
  return formats[format]({ kind: 'plan', plan: planOf([change]) }, plain).replaceAll('`', '')
}

describe('a changed secret in a list', () => {
  test.each<FormatName>(['text', 'markdown', 'github', 'html'])(
    'in %s, with its source',
    format => {
      const shown = show(format, changed).replaceAll(/<[^>]+>/g, '')
      expect(shown).toMatch(
        /auth_servers\[10\.0\.0\.2\]\.secret:? *\(secret\) changed, from WLAN_SECRET_TWO/
      )
      expect(shown).not.toMatch(/10\.0\.0\.1|1812/)
    }
  )

  it('in JSON', () => {
    const { changes } = JSON.parse(show('json', changed))
    expect(changes[0].secrets).toEqual({
      '/auth_servers/0/secret': 'same',
      '/auth_servers/1/secret': 'changed'
    })
  })

  it('is listed next to its list if other members differ, too', () => {
    const fields = fieldsOf(plannedChange(servers('first-live', 'second-new', 1645), found))
    expect(fields.map(({ path }) => path)).toEqual([
      '/auth_servers',
      '/auth_servers[10.0.0.2]/secret'
    ])
  })

  it('of a new server is set; a masked one is not compared, and an equal one is not listed', () => {
    const change = plannedChange(
      {
        auth_servers: [
          ...servers('first-live', 'x').auth_servers,
          server('10.0.0.3', env('n'))
        ] as ValueObject[]
      },
      { auth_servers: [server('10.0.0.1', 'first-live'), server('10.0.0.2', '******')] }
    )
    const text = show('text', change)
    expect(text).toContain('auth_servers[10.0.0.3].secret  (secret) set, from')
    expect(text).toMatch(
      /\nNot compared: .*\n {2}Corp at hq {2}auth_servers\[10\.0\.0\.2\]\.secret\n/
    )
    expect(text).not.toContain('auth_servers[10.0.0.1].secret')
  })

  it('has the location and the cause of its list', () => {
    const place = { file: 'sites/hq.yaml', line: 20, column: 5 }
    const change: Change = {
      ...changed,
      places: { '/auth_servers': place },
      causes: { '/auth_servers': 'declaration' }
    }
    const text = show('text', change)
    expect(text).toContain('sites/hq.yaml:20')
    expect(text).toContain('changed in the files: auth_servers[10.0.0.2].secret')
  })

  it('stands for its list among the leading fields', () => {
    const many = { dtim: 3, max_idletime: 7, max_num_clients: 9, client_limit_up: 5 }
    const change = plannedChange({ ...servers('first-live', 'second-new'), ...many }, found)
    const leading = leadingFields({ ...change, dangers: [], impact_fields: ['/auth_servers'] })
    expect(leading[0]?.path).toBe('/auth_servers[10.0.0.2]/secret')
  })

  it('has an escaped element name', () => {
    const hostile = '10.0.0.2]\n::error::x/y'
    const change = plannedChange(
      { auth_servers: [server(hostile, env('new'))] as ValueObject[] },
      { auth_servers: [server(hostile, 'old')] }
    )
    expect(show('text', change)).not.toContain('\n::error')
    expect(show('github', change)).not.toMatch(/^\s*::error::x/m)
  })
})

describe('a changed secret that is a field', () => {
  it('that live lacks', () => {
    const change = plannedChange(
      { portal: { password: env('k') } },
      { portal: { password: '' }, auth: { psk: 'shown' } }
    )
    expect(change.patch).toMatchObject([{ op: 'replace', path: '/portal/password' }])
    expect(show('text', change)).toMatch(/portal\.password +\(secret\) set/)
  })

  it('that is rotated', () => {
    const rotating: Change = { ...changed, secrets: { '/auth_servers/0/secret': 'rotates' } }
    expect(show('text', rotating)).toContain('auth_servers[10.0.0.1].secret  (secret) rotates')
  })

  it('in a list without names has its index', () => {
    const change = plannedChange(
      { auth: { keys: [env('0123456789'), env('0123456788')] } },
      { auth: { keys: ['0123456789', '9876543210'] } }
    )
    expect(show('text', change)).toContain('auth.keys[1]  (secret) changed')
  })
})

describe('the beginning of a comment', () => {
  const alert = (...changes: readonly Change[]) =>
    formats
      .markdown({ kind: 'plan', plan: planOf(changes) }, plain)
      .match(/.*without comparison.*/)?.[0]
  const masked = { auth: { type: 'open', psk: '********' } }

  it('names the secrets that are sent although they could not be compared', () => {
    const sent = plannedChange({ auth: { type: 'psk', psk: env('planted-new') } }, masked)
    expect(sent.secrets).toEqual({ '/auth/psk': 'unknown' })
    expect(alert(sent)).toBe(
      '> **`Corp` shuts its clients out at `hq`**; clients stay out until they are reconfigured<br>**1 secret written without comparison: the secret is unavailable to this plan, or the service hides the live one: `Corp` at `hq` (`auth.psk`)**'
    )
    const elsewhere = { ...sent, address: 'kiel/corp', site: { id: 'x', name: 'kiel' } }
    expect(alert(sent, elsewhere)).toMatch(
      /\*\*2 secrets .*: `Corp` at 2 sites \(`auth\.psk`\)\*\*$/
    )
    const rotating: Change = { ...changed, secrets: { '/auth_servers/1/secret': 'rotates' } }
    expect(alert(rotating)).toContain('(`auth_servers[10.0.0.2].secret`)')
  })

  it('counts the secrets that only apply can compare', () => {
    const unresolved = finding(
      'SECRET_UNRESOLVED',
      {},
      'WLAN_SECRET_ONE',
      'the variable is not set'
    )
    const shown = (kind: 'plan' | 'drift') =>
      formats.markdown({ kind, plan: planOf([], { findings: [unresolved, unresolved] }) }, plain)
    const note =
      '1 secret unavailable to this plan: `apply` compares the secrets, and writes those that differ'
    expect(shown('plan')).toContain(note)
    expect(shown('drift')).not.toContain('unavailable to this plan')
  })

  it('does not name secrets that were compared, or in a field that is not sent', () => {
    const elsewhere = plannedChange({ vlan_id: 9, auth: { psk: env('planted-new') } }, masked)
    expect(elsewhere.not_compared).toEqual(['/auth/psk'])
    expect([alert(changed), alert(elsewhere)]).toEqual([undefined, undefined])
  })
})

test('every list of the schema with secrets has a name for its elements', () => {
  const schema = readFileSync(new URL('../../schemas/wlan.schema.json', import.meta.url), 'utf8')
  const keys = [...schema.matchAll(/"key": "(\w+)"/g)].map(([, key]) => key ?? '')
  expect(elementNames).toEqual(expect.arrayContaining(keys))
})
