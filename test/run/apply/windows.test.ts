import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Calendar } from '../../../src/core/model/calendar.ts'
import type { ImpactClass } from '../../../src/core/model/impact.ts'
import { deferralCheck } from '../../../src/fleet/time/windows.ts'
import { calendars, instants, maySend, zones } from '../../fleet/time/calendars.ts'
import { desiredSite } from '../../support/desired.ts'
import { runs } from '../../support/properties.ts'
import { asked, hq, idOf, LONG, only, setStage } from './support.ts'

/** The WLANs of each site: a live field, its declaration, and the class of the change. */
const kinds = {
  guest: {
    live: { vlan_id: 10, vlan_enabled: true },
    declared: { vlan_id: 11 },
    impact: 'reconnect'
  },
  iot: { live: { allow_mdns: false }, declared: { allow_mdns: true }, impact: 'none' },
  staff: { live: {}, declared: { enabled: false }, impact: 'outage' }
} as const

const wlans = Object.entries(kinds)

/** Plans all changes first, and applies them with these minutes between them. */
async function applyOverTime(
  given: Pick<Calendar, 'windows' | 'freezes'>,
  chosen: readonly string[],
  start: number,
  minutes: readonly number[]
) {
  const sites = chosen.map((zone, n) => ({ id: idOf(1, n), name: `s${n}`, zone }))
  const { simulator, writer, clock, plan, apply } = await setStage({
    sites: sites.map(({ id, name }, n) => ({
      id,
      name,
      wlans: wlans.map(([ssid, { live }], w) => ({
        id: idOf(2, n * wlans.length + w),
        ssid,
        enabled: true,
        ...live
      }))
    }))
  })
  clock.advance(start - clock())
  const changes = await plan(
    ...sites.map(site =>
      desiredSite(
        site,
        Object.fromEntries(wlans.map(([key, { declared }]) => [key, { ssid: key, ...declared }]))
      )
    )
  )
  const timezones = new Map(sites.map(({ id, zone }) => [id, zone]))
  const asked = new Map<string, number>()
  const check = deferralCheck({ ...given, timezones }, clock.date)
  let settled = 0
  const outcomes = await apply(changes, {
    parallelism: 1,
    deferral: change => {
      asked.set(change.address, clock())
      return check(change)
    },
    onOutcome: () => {
      settled += 1
      clock.advance((minutes[settled % minutes.length] ?? 0) * 60_000)
    }
  })
  await Promise.all([writer.close(), simulator.close()])
  const writtenAt = new Map(simulator.history.map(({ wlan, at }) => [wlan, at]))
  return changes.map(({ change }) => {
    const [name, key] = change.address.split('/')
    const [, kind] = wlans.find(([each]) => each === key) ?? []
    const zone = sites.find(site => site.name === name)?.zone ?? ''
    return {
      address: change.address,
      impact: (change.impact ?? 'none') as ImpactClass,
      expectedImpact: kind?.impact,
      zone,
      asked: asked.get(change.address),
      written: writtenAt.get(change.wlan.id),
      status: outcomes.find(({ address }) => address === change.address)?.status
    }
  })
}

it('a change is sent if and only if its window is open at its site', async () => {
  await fc.assert(
    fc.asyncProperty(
      calendars,
      fc.array(fc.constantFrom(...zones), { minLength: 1, maxLength: 4 }),
      instants,
      fc.array(fc.integer({ min: 0, max: 240 }), { minLength: 1, maxLength: 5 }),
      async (given, chosen, start, minutes) => {
        const sent = await applyOverTime(given, chosen, start, minutes)
        expect(sent).toHaveLength(chosen.length * wlans.length)
        for (const { impact, expectedImpact, zone, asked, written, status, address } of sent) {
          expect(impact).toBe(expectedImpact)
          const isOpen = maySend(given, impact, zone, asked ?? Number.NaN)
          expect({ address, status, written }).toEqual({
            address,
            status: isOpen ? 'applied' : 'deferred',
            written: isOpen ? asked : undefined
          })
        }
      }
    ),
    runs(10)
  )
})

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
