import { expect, it } from 'vitest'
import { contestedFields } from '../../../src/core/history/contested.ts'
import type { EstateEvent } from '../../../src/core/history/events.ts'
import { historyOverview } from '../../../src/report/overview/history.ts'
import { textOf } from '../../../src/report/render/document.ts'
import { nth } from '../../support/ids.ts'

/** An edit in the night with this number: of a field of a network at a site. */
function edit(
  night: number,
  place: string,
  pointer: string,
  [before, after]: readonly [string | number | boolean, string | number | boolean],
  more: Partial<EstateEvent> = {}
): EstateEvent {
  const [site = '', ssid = ''] = place.split('/')
  const number = (text: string) => [...text].reduce((sum, each) => sum + each.charCodeAt(0), 1)
  const ids = { siteId: nth(number(site)), wlanId: nth(number(place)) }
  const time = `2026-11-${10 + night}T05:00:00Z`
  const about = { kind: 'changed', site, ssid, address: place, time } as const
  return { ...about, ...ids, pointer, before, after, ...more }
}

const off = (night: number, site: string) => edit(night, `${site}/Corp`, '/enabled', [true, false])
const on = (night: number, site: string) => edit(night, `${site}/Corp`, '/enabled', [false, true])
const open = (night: number, site: string) =>
  edit(night, `${site}/IoT`, '/auth/type', ['psk', 'open'], { isDowngrade: true })
const weak = (night: number, site: string) =>
  edit(night, `${site}/Guest`, '/isolation', [true, false], { isDowngrade: true })
const fought = [77, 20, 77, 20].map((vlan, night) =>
  edit(night, 'hq/Voice', '/vlan_id', [vlan === 77 ? 20 : 77, vlan])
)
const whole = (night: number, kind: 'added' | 'removed', network: string): EstateEvent => {
  const { before: _, after: __, ...event } = edit(night, 'hq/Lab', '', [0, 0])
  return { ...event, before: undefined, after: undefined, kind, network }
}

it.each<[what: string, events: readonly EstateEvent[], headline: string, first: readonly string[]]>(
  [
    ['nothing', [], 'Nothing changed', []],
    ['a harmless change', [edit(1, 'hq/Corp', '/dtim', [1, 2])], '1 change', []],
    [
      'networks that are off or open at the end',
      [open(1, 'a'), off(2, 'a'), off(2, 'b'), weak(3, 'a')],
      'Corp was switched off at 2 sites, and IoT became open at a',
      ['off', 'open', 'less-secure']
    ],
    [
      'what is so at the end before what was so for a time',
      [off(1, 'a'), on(2, 'a'), weak(3, 'b')],
      'Guest became less secure at b, and Corp was off for a time at a',
      ['less-secure', 'differs']
    ],
    [
      'networks that disappeared, or appeared without a key',
      [whole(1, 'removed', 'psk, VLAN 20')],
      'Lab disappeared at hq',
      ['off']
    ],
    [
      'a network that came back open',
      [whole(1, 'removed', 'psk, VLAN 20'), whole(2, 'added', 'open, VLAN 20')],
      'Lab appeared, open, at hq, and Lab was missing for a time at hq',
      ['open', 'differs']
    ],
    [
      'contested fields',
      fought,
      '1 field went back and forth: someone else manages it',
      ['differs']
    ],
    [
      'contested fields, which return after each fix, before the other problems',
      [...fought, off(5, 'a'), open(6, 'b')],
      'Corp was switched off at a, and 1 field went back and forth',
      ['differs', 'off', 'open']
    ]
  ]
)('the headline and the first problems of a history name %s', (_, events, headline, first) => {
  const overview = historyOverview({
    began: '2026-11-10T05:00:00Z',
    ended: '2026-11-20T05:00:00Z',
    states: 9,
    changes: events.length,
    events,
    contested: contestedFields(events),
    isShallow: false,
    unreadable: []
  })
  expect(textOf(overview.headline)).toBe(headline)
  expect(overview.first.map(({ state }) => state)).toEqual(first)
})
