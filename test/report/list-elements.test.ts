import { describe, expect, it, test } from 'vitest'
import type { Change, Plan } from '../../src/core/model/plan.ts'
import { assemble, planSite } from '../../src/core/plan/plan.ts'
import { groupsBy } from '../../src/core/values/collections.ts'
import { Secret } from '../../src/core/values/secret.ts'
import type { Value, ValueObject } from '../../src/core/values/value.ts'
import { formatPlan, parsePlan } from '../../src/files/saved-plan.ts'
import { changeKey } from '../../src/report/fields/change-key.ts'
import { formats } from '../../src/report/formats.ts'
import type { FormatName } from '../../src/report/report.ts'
import {
  context,
  desiredSite,
  env,
  live,
  liveSite,
  nth,
  plannedChange,
  wlan
} from '../core/plan/support.ts'
import { plain, planOf } from './plans.ts'

const server = (host: string, port: Value = 1812, secret?: Value): ValueObject => ({
  host,
  port,
  ...(secret === undefined ? {} : { secret })
})

function show(format: FormatName, ...changes: Change[]): string {
  return formats[format]({ kind: 'plan', plan: planOf(changes) }, plain).replaceAll('`', '')
}

describe('a report lists the elements that differ', () => {
  const change = plannedChange(
    {
      auth_servers: [
        server('10.0.0.3', 1812, env('three')),
        server('10.0.0.1', 1813, env('one')),
        server('10.0.0.4', 1812, env('four'))
      ]
    },
    {
      auth_servers: [
        server('10.0.0.4', 1812, 'four'),
        server('10.0.0.1', 1812, 'one'),
        server('10.0.0.2', 1812, 'two')
      ]
    }
  )

  it('in text', () => {
    expect(show('text', change)).toContain(
      [
        '    auth_servers',
        '      + 10.0.0.3 { port: 1812 }, before 10.0.0.1',
        '      - 10.0.0.2',
        '      10.0.0.1  port 1812 → 1813',
        '      (order) 10.0.0.3, 10.0.0.1, 10.0.0.4'
      ].join('\n')
    )
  })

  it('in an annotation', () => {
    expect(show('github', change)).toMatch(
      /^::.*auth_servers: \+ 10\.0\.0\.3 \{ port: 1812 \}, before 10\.0\.0\.1; - 10\.0\.0\.2; 10\.0\.0\.1 {2}port/m
    )
  })

  test.each<FormatName>(['text', 'markdown', 'html', 'github'])('without secrets: %s', format => {
    expect(show(format, change)).not.toMatch(/"three"|"one"|"four"|"two"/)
  })
})

describe('one server added on many sites', () => {
  const sites = [1, 2, 3, 4].map(n => ({ id: nth(n), name: `store-${n}` }))
  const changes = sites.map((site, n) => {
    const own = Array.from({ length: n + 1 }, (_, i) => server(`10.${n}.0.${i}`, 1812, `${n}${i}`))
    const declared = own.map(each => ({ ...each, secret: env(String(each['secret'])) }))
    const added = server('10.9.9.9', 1812, env('new', 'NEW'))
    return plannedChange({ auth_servers: [...declared, added] }, { auth_servers: own }, site)
  })

  it('is one change, even if the other servers differ by site', () => {
    expect(groupsBy(changes, changeKey)).toHaveLength(1)
    expect(show('text', ...changes)).toContain('corp on 4 sites')
    expect(show('text', ...changes)).toContain('auth_servers[10.9.9.9].secret  (secret) set')
  })

  it('is the same change if its secret has another source', () => {
    const own = [server('10.0.0.1', 1812, 'a')]
    const other = plannedChange(
      {
        auth_servers: [
          server('10.0.0.1', 1812, env('a')),
          server('10.9.9.9', 1812, env('new', 'OTHER'))
        ]
      },
      { auth_servers: own }
    )
    expect(groupsBy([...changes, other], changeKey)).toHaveLength(1)
  })
})

describe('a saved plan', () => {
  const site = desiredSite([wlan({ radsec: { servers: [server('a'), server('b')] } })])
  const plan = assemble(
    [planSite(site, liveSite([live({ radsec: { servers: [server('a')] } })]))],
    context()
  )
  const saved = formatPlan(plan)

  it('has the same digest as without elements', () => {
    const bare = JSON.parse(saved) as Plan
    for (const change of bare.changes) Reflect.deleteProperty(change, 'elements')
    expect(parsePlan(JSON.stringify(bare), 'plan.json').digest).toBe(plan.digest)
  })
})

describe('secrets that could not be compared', () => {
  const declared = {
    auth_servers: [server('10.0.0.1', 1812, new Secret({ $env: 'A' }, undefined))]
  }
  const site = desiredSite([wlan(declared as ValueObject)])
  const found = live({ auth_servers: [server('10.0.0.1', 1812, 'shown')] })
  const plan = assemble([planSite(site, liveSite([found]))], context())

  it('of an unchanged WLAN are listed with the name of their server', () => {
    expect(plan.not_compared).toHaveLength(1)
    const shown = formats.text({ kind: 'plan', plan }, plain)
    expect(shown).toContain('auth_servers[10.0.0.1]')
    expect(shown).not.toContain('auth_servers.0')
  })

  it('are kept by a saved plan', () => {
    expect(parsePlan(formatPlan(plan), 'plan.json').not_compared).toMatchObject([
      { pointers: ['/auth_servers/0/secret'], names: { '/auth_servers/0': '10.0.0.1' } }
    ])
  })
})
