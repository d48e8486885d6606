import { expect, it } from 'vitest'
import { finding } from '../../src/core/model/finding.ts'
import { HistoryWriter, outcomesPoint } from '../../src/files/history.ts'
import { dayOf } from '../support/reports.ts'

const days = [
  dayOf('2026-11-18T05:00:00Z', { 'hq/guest': ['dtim', 'ssid'], 'kiel/corp': ['ssid'] }),
  dayOf('2026-11-19T05:00:00Z', { 'hq/guest': ['dtim'], 'hq/corp': ['ssid'] }),
  dayOf(
    '2026-11-20T05:00:00Z',
    { 'hq/guest': ['dtim'] },
    { summary: { blocked: 2, sites_failed: 1, unmanaged: 4 } }
  )
]

it.each([
  ['by time', days],
  ['in any order', days.toReversed()]
])('lists the drift over time, with the reports read %s', (_, reports) => {
  const writer = new HistoryWriter()
  for (const [nth, plan] of reports.entries()) writer.plan(`${nth}.json`, plan)
  const { baseUrl, points, sites, fields } = writer.history([])
  expect(baseUrl).toBe('https://api.example.com')
  expect(points.map(({ file: _file, kind: _kind, ...point }) => point)).toEqual([
    { at: '2026-11-18T05:00:00Z', drifted: 2, unmanaged: 0, failed: 0 },
    { at: '2026-11-19T05:00:00Z', drifted: 2, unmanaged: 0, failed: 0 },
    { at: '2026-11-20T05:00:00Z', drifted: 1, unmanaged: 4, failed: 3 }
  ])
  expect(sites).toEqual([
    { name: 'hq', reports: 3, wlans: 4, now: 1 },
    { name: 'kiel', reports: 1, wlans: 1, now: 0 }
  ])
  expect(fields).toEqual([
    { name: '/dtim', reports: 3, wlans: 3, now: 1 },
    { name: '/ssid', reports: 2, wlans: 3, now: 0 }
  ])
})

it('counts a duplicate report once', () => {
  const writer = new HistoryWriter()
  for (const file of ['a.json', 'b.json']) writer.plan(file, days[0] ?? dayOf('', {}))
  expect(writer.history([]).points).toHaveLength(1)
})

it('covers the newest service, and reports the excluded ones', () => {
  const writer = new HistoryWriter()
  const other = { base_url: 'https://old.example.com' }
  for (const plan of days) writer.plan('a.json', plan)
  writer.plan('b.json', dayOf('2026-01-01T00:00:00Z', { 'x/y': ['ssid'] }, other))
  const { baseUrl, points, sites, findings } = writer.history([])
  expect({ baseUrl, points: points.length }).toEqual({
    baseUrl: 'https://api.example.com',
    points: 3
  })
  expect(sites.map(({ name }) => name)).not.toContain('x')
  expect(findings.map(({ code }) => code)).toEqual(['HISTORY_OTHER_SERVICE'])
})

it('lists failed updates between the plans', () => {
  const writer = new HistoryWriter()
  for (const plan of days) writer.plan('a.json', plan)
  const summary = { applied: 4, failed: 1, diverged: 1, unknown: 1 }
  writer.outcomes(outcomesPoint('o.json', '2026-11-19T06:00:00Z', summary))
  const left = finding('HISTORY_LEFT_OUT', {}, 'c.json', 'it is damaged')
  const { points, findings } = writer.history([left])
  expect(points.map(({ kind, failed }) => [kind, failed])).toEqual([
    ['plan', 0],
    ['plan', 0],
    ['outcomes', 3],
    ['plan', 3]
  ])
  expect(findings).toEqual([left])
})
