import { describe, expect, it, test } from 'vitest'
import { exit, Failure } from '../../src/core/model/failure.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { assemble, planSite } from '../../src/core/plan/plan.ts'
import { approvingPlan, liveSecretCheck, wlansIn } from '../../src/files/approving-plan.ts'
import { formatPlan } from '../../src/files/saved-plan.ts'
import { context, desiredSite, env, live, liveSite, nth, wlan } from '../core/plan/support.ts'

const baseUrl = 'https://api.example.net'

function saved(): unknown {
  return JSON.parse(formatPlan(assemble([], context())))
}

/** The plan, or the exit code and the message of the failure. */
function approving(value: unknown, url: string): Plan | string {
  try {
    return approvingPlan(value, 'plan.json', url)
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
    return `${thrown.exitCode} ${thrown.message}`
  }
}

describe('a saved plan that approves changes', () => {
  it('must be for the service of the run', () => {
    expect(approving(saved(), 'https://other.example.net')).toBe(
      `${exit.wrongInput} plan.json is a plan for ${baseUrl}, and this run is for https://other.example.net`
    )
  })
})

describe('the secret of an approved change', () => {
  const psk = (value: string, name?: string) =>
    wlan({ ssid: 'Guest', auth: { type: 'psk', psk: env(value, name) } })
  const before = live({ ssid: 'Guest', auth: { type: 'psk', psk: 'former-key' } })
  const planned = planSite(desiredSite([psk('new-key-123')]), liveSite([before]))
  const { changes } = assemble([planned], context())
  const pointer = '/auth/psk'
  const now = live({ ssid: 'Guest', auth: { type: 'psk', psk: 'new-key-123' } })

  const isLive = (declared: ReturnType<typeof psk>, found = now, hasOf?: () => boolean) => {
    const sent = hasOf && { has: () => false, hasOf }
    const check = liveSecretCheck({ sites: [desiredSite([declared])], sent })
    return changes.map(change => check(change, pointer, found))
  }

  test.each([
    ['is live where live shows its value', isLive(psk('new-key-123')), true],
    ['is not live with another value', isLive(psk('new-key-123'), before), false],
    ['is not live under another name', isLive(psk('new-key-123', 'OTHER')), false],
    ['is live if an earlier run applied it', isLive(psk('x-unknown'), before, () => true), true],
    ['is not live if none did', isLive(psk('x-unknown'), before, () => false), false]
  ])('%s', (_, found, expected) => {
    expect(found).toEqual([expected])
  })

  it('is live where it travels along', () => {
    const servers = (port: number, secret = {}) => [{ host: '10.0.0.1', port, ...secret }]
    const found = live({ ssid: 'Guest', auth_servers: servers(1812, { secret: 'radius-one' }) })
    const site = desiredSite([wlan({ ssid: 'Guest', auth_servers: servers(1822) })])
    const plan = assemble([planSite(site, liveSite([found]))], context())
    const check = liveSecretCheck({ sites: [site] })
    expect(plan.changes.map(change => check(change, '/auth_servers/0/secret', found))).toEqual([
      true
    ])
  })

  it('is of a WLAN that the plan names', () => {
    expect(wlansIn([assemble([planned], context())])).toEqual(new Set([nth(1).toLowerCase()]))
  })
})
