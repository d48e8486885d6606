import { describe, expect, it, test } from 'vitest'
import {
  explain,
  explainableTopics,
  explainRules,
  nearestTopic
} from '../../../src/core/lint/explain.ts'
import type { FieldExplanation } from '../../../src/core/model/explanation.ts'
import { documentedFields } from '../../../src/core/schema/documentation.ts'
import { explanationText } from '../../../src/report/commands/explanation.ts'

function fieldOf(topic: string): FieldExplanation {
  const explanation = explain(topic)
  if (explanation?.kind !== 'field') throw new Error(`${topic} is no field`)
  return explanation.field
}

describe('explain', () => {
  it('covers every field of a WLAN', () => {
    const fields = documentedFields().flatMap(group => group.map(({ path }) => path))
    expect(fields.filter(field => explain(field)?.kind !== 'field')).toEqual([])
  })

  it('covers every topic of completion, once each', () => {
    const topics = explainableTopics()
    expect(topics.filter(topic => explain(topic) === undefined)).toEqual([])
    expect(new Set(topics).size).toBe(topics.length)
    expect(topics.filter(topic => /[^\w.-]/.test(topic))).toEqual([])
  })

  test.each([
    ['auth.psk', 'auth.psk'],
    ['/auth/psk', 'auth.psk'],
    ['auth_servers.host', 'auth_servers[].host'],
    ['auth_servers[].host', 'auth_servers[].host'],
    ['auth_servers[0].host', 'auth_servers[].host'],
    ['/auth_servers/0/host', 'auth_servers[].host'],
    ['rateset.24.min_rssi', 'rateset.24.min_rssi'],
    ['app_limit.apps.netflix', 'app_limit.apps.{key}']
  ])('accepts the name %s for the field %s', (topic, field) => {
    expect(fieldOf(topic).field).toBe(field)
  })

  test.each(['', '/', '.', 'auth.nothing', 'hq/guest', '__proto__', 'constructor', '{key}', '0'])(
    'rejects %j',
    topic => {
      expect(explain(topic)).toBeUndefined()
    }
  )

  it('prints the properties of a field from the schema', () => {
    expect(fieldOf('auth.psk')).toMatchObject({ secret: true, guard: false, impact: ['outage'] })
    expect(fieldOf('/vlan_id')).toMatchObject({
      type: expect.stringContaining('integer, 1 to 4094'),
      guard: true,
      notes: expect.arrayContaining([['in use if', 'vlan_enabled']])
    })
    expect(fieldOf('schedule')).toMatchObject({
      impact: ['that of its members, such as schedule.enabled']
    })
    expect(fieldOf('auth.psk').notes).toContainEqual([
      'in use if',
      '(auth.type psk or psk-tkip or psk-wpa2-tkip) and not ((auth.type psk or psk-tkip or psk-wpa2-tkip) and (auth.multi_psk_only or dynamic_psk.enabled))'
    ])
    expect(fieldOf('auth.type').notes).toContainEqual([
      'security',
      expect.stringMatching(/^open < .* \(downgrade: high\)$/)
    ])
  })

  it('lists the rules about a field, its members and the list that contains it', () => {
    const rulesOf = (topic: string) => fieldOf(topic).rules.map(({ id }) => id)
    expect(rulesOf('auth.psk')).toContain('weak-key')
    expect(rulesOf('auth')).toContain('weak-key')
    expect(rulesOf('auth_servers[].host')).toContain('eap-without-servers')
    expect(rulesOf('ssid')).not.toContain('weak-key')
  })
})

test.each([
  ['auht.psk', 'auth.psk'],
  ['/auth/pks', 'auth.psk'],
  ['weak-keys', 'weak-key'],
  ['Weak-Key', 'weak-key'],
  ['vlan-id', 'vlan_id'],
  ['qqqqqqqq', undefined]
])('the topic nearest to %j is %j', (topic, near) => {
  expect(nearestTopic(topic)).toBe(near)
})

test('rules wrap within the width of a terminal', () => {
  for (const rule of explainRules()) {
    const text = explanationText({ kind: 'rule', rule }, { colour: false, width: 80 })
    const long = text.split('\n').filter(line => line.length > 80 && / \S+ \S+ /.test(line.trim()))
    expect(long).toEqual([])
  }
})
