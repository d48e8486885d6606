import { expect, it } from 'vitest'
import type { LoggedRequest } from '../../src/simulator/server.ts'
import { setUpCampaign } from './campaign.ts'
import { checkRun, type Evidence, found } from './checker.ts'
import type { RunReport } from './statements.ts'

/** Incorrect runs by name. */
function wrong(evidence: Evidence): string[] {
  return Object.keys(found(checkRun(evidence).faults))
}

it('the checker detects every kind of incorrect run', async () => {
  const setup = await setUpCampaign({ sites: 2, wlans: 5, seed: 1, hidden: false, switches: {} })
  const { fleet, simulator } = setup
  const ended = await setup.run('')
  const { history, requests } = simulator
  const record: Evidence['simulator']['record'] = (site, wlan) => simulator.record(site, wlan)
  const right: Evidence = { fleet, ended, simulator: { record, history, requests } }
  expect(wrong(right)).toEqual([])

  const report = JSON.parse(ended.stdout) as RunReport
  const [first, ...others] = report.outcomes
  const [write] = history
  const put = requests.find(({ method }) => method === 'PUT')
  if (first === undefined || write === undefined || put === undefined) throw new Error('no run')
  const reporting = (changed: Partial<RunReport>): Evidence => ({
    ...right,
    ended: { ...ended, stdout: JSON.stringify({ ...report, ...changed }) }
  })
  const seeing = (changed: Partial<Evidence['simulator']>): Evidence => ({
    ...right,
    simulator: { ...right.simulator, ...changed }
  })
  const sent = (changed: Partial<LoggedRequest>) => seeing({ requests: [{ ...put, ...changed }] })
  const living = (fields: Record<string, string>) =>
    seeing({ record: (site, wlan) => ({ ...record(site, wlan), ...fields }) })

  expect(wrong(reporting({ outcomes: others }))).toEqual(['lost'])
  expect(wrong(reporting({ outcomes: [first, ...report.outcomes] }))).toEqual(['lost'])
  const findings = [{ code: 'SITE_NOT_READ', address: first.address.split('/')[0] ?? '' }]
  expect(wrong(reporting({ findings, outcomes: others }))).toEqual(['lost'])
  expect(wrong(reporting({ summary: { applied: 1 } }))).toEqual(['lost'])
  for (const status of ['failed', 'skipped', 'stale']) {
    const outcomes = [{ ...first, status }, ...others]
    const summary = { applied: others.length, [status]: 1 }
    expect(wrong(reporting({ outcomes, summary }))).toEqual(['denied'])
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
