import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Calendar } from '../../src/model/calendar.ts'
import type { ImpactClass } from '../../src/model/impact.ts'
import { deferralCheck } from '../../src/time/windows.ts'
import { desiredSite } from '../support/desired.ts'
import { calendars, instants, maySend, zones } from '../time/calendars.ts'
import { idOf, setStage } from './support.ts'

/** The WLANs of each site: a live field, the declared one, and the class of the change. */
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

/** Plans all changes at the first moment, and applies them with a pause of these minutes after each one. */
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

it('sends a change if and only if its window is open for its site at that moment', async () => {
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
    { numRuns: 25 }
  )
})
