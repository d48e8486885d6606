import { expect, it } from 'vitest'
import type { LoggedRequest } from '../../src/simulator/server.ts'
import { openField } from './campaign.ts'
import { type Evidence, found, judge } from './checker.ts'
import type { Told } from './statements.ts'

/** Incorrect runs by name. */
function wrong(evidence: Evidence): string[] {
  return Object.keys(found(judge(evidence).faults))
}

it('the checker detects every kind of incorrect run', async () => {
  const field = await openField({ sites: 2, wlans: 5, seed: 1, hidden: false, switches: {} })
  const { fleet, simulator } = field
  const ended = await field.run('')
  const { history, requests } = simulator
  const record: Evidence['simulator']['record'] = (site, wlan) => simulator.record(site, wlan)
  const right: Evidence = { fleet, ended, simulator: { record, history, requests } }
  expect(wrong(right)).toEqual([])

  const told = JSON.parse(ended.stdout) as Told
  const [first, ...others] = told.outcomes
  const [write] = history
  const put = requests.find(({ method }) => method === 'PUT')
  if (first === undefined || write === undefined || put === undefined) throw new Error('no run')
  const saying = (changed: Partial<Told>): Evidence => ({
    ...right,
    ended: { ...ended, stdout: JSON.stringify({ ...told, ...changed }) }
  })
  const seeing = (changed: Partial<Evidence['simulator']>): Evidence => ({
    ...right,
    simulator: { ...right.simulator, ...changed }
  })
  const sent = (changed: Partial<LoggedRequest>) => seeing({ requests: [{ ...put, ...changed }] })
  const living = (fields: Record<string, string>) =>
    seeing({ record: (site, wlan) => ({ ...record(site, wlan), ...fields }) })

  expect(wrong(saying({ outcomes: others }))).toEqual(['lost'])
  expect(wrong(saying({ outcomes: [first, ...told.outcomes] }))).toEqual(['lost'])
  const findings = [{ code: 'SITE_NOT_READ', address: first.address.split('/')[0] ?? '' }]
  expect(wrong(saying({ findings, outcomes: others }))).toEqual(['lost'])
  expect(wrong(saying({ summary: { applied: 1 } }))).toEqual(['lost'])
  for (const status of ['failed', 'skipped', 'stale']) {
    const outcomes = [{ ...first, status }, ...others]
    const summary = { applied: others.length, [status]: 1 }
    expect(wrong(saying({ outcomes, summary }))).toEqual(['denied'])
  }
  expect(wrong(seeing({ history: [] }))).toEqual(['claimed'])
  expect(wrong(living({ wlan_limit_down: 'else' }))).toContain('claimed')
  expect(wrong(living({ thumbnail: 'else' }))).toEqual(['collateral'])
  expect(wrong({ ...right, edits: new Map([[write.wlan, { dtim: 9 }]]) })).toEqual(['collateral'])
  expect(wrong(seeing({ history: [...history, write] }))).toEqual(['twice'])
  expect(wrong(sent({ body: { psk: '********' } }))).toEqual(['masked', 'bodies'])
  expect(wrong(sent({ body: { ssid: 'else' } }))).toEqual(['bodies'])
  const later = { ...put, at: put.at + 500 }
  expect(wrong(seeing({ requests: [{ ...put, status: 429 }, later] }))).toEqual(['early'])
})
