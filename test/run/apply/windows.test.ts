import { describe, expect, it } from 'vitest'
import { asked, hq, LONG, only, setStage } from './support.ts'

describe('a window that closes', () => {
  /** Open until the service has received this many requests since the plan. */
  async function closingAfter(requests: number, switches = {}) {
    const stage = await setStage({ switches })
    const changes = await stage.plan(hq({ guest: { vlan_id: 40 } }))
    const { length } = stage.simulator.requests
    return {
      ...stage,
      async outcome() {
        const outcomes = await stage.apply(changes, {
          maxAttempts: 3,
          deferral: ({ address }) =>
            stage.simulator.requests.length < length + requests
              ? undefined
              : { address, windows: ['nights'], until: '2027-01-15T21:00:00Z' }
        })
        return { ...only(outcomes), requests: asked(stage.simulator, length) }
      }
    }
  }

  it('while the WLAN is refreshed defers the update', async () => {
    const { clock, outcome } = await closingAfter(1)
    clock.advance(LONG)
    expect(await outcome()).toMatchObject({
      status: 'deferred',
      reason: 'outside of the window nights; waits until 2027-01-15 21:00 UTC',
      until: '2027-01-15T21:00:00Z',
      requests: ['GET guest']
    })
  })

  it('before an update that the service rejected is repeated defers it', async () => {
    const { outcome } = await closingAfter(1, { fail: [{ method: 'PUT', kind: '503' }] })
    const { status, requests } = await outcome()
    expect(requests.filter(request => request === 'PUT guest')).toHaveLength(1)
    expect(status).toBe('deferred')
  })

  it('leaves an update that may still arrive unknown, and does not repeat it', async () => {
    const { outcome } = await closingAfter(1, { fail: [{ method: 'PUT', kind: 'reset' }] })
    const { status, requests } = await outcome()
    expect(requests.filter(request => request === 'PUT guest')).toHaveLength(1)
    expect(status).toBe('unknown')
  })
})
