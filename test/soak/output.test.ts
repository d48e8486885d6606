import { expect, it } from 'vitest'
import { shell } from '../support/program.ts'
import { setUpCampaign } from './campaign.ts'
import { checkRun, found } from './checker.ts'
import { secrets } from './declarations.ts'
import { unfinished, writtenTwice } from './run-state.ts'

const fleet = { sites: 4, wlans: 5, seed: 1, hidden: false }
const changes = fleet.sites * fleet.wlans

it('a pipe that is closed during apply: all changes are made and verified', async () => {
  const setup = await setUpCampaign({ ...fleet, switches: { latency: 20 } })
  const running = setup.start('--parallelism 4 --report json=out.json')
  while (setup.simulator.history.length < 3) await new Promise(resolve => setTimeout(resolve, 5))
  running.hangUp()
  const { code, stderr } = await running.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(unfinished(setup)).toEqual([])
  expect(writtenTwice(setup)).toEqual([])
  // Each was verified after the update.
  const { requests } = setup.simulator
  expect(requests.map(({ method }) => method).filter(method => method === 'PUT')).toHaveLength(
    changes
  )
  const lastPut = requests.findLastIndex(({ method }) => method === 'PUT')
  expect(requests.slice(lastPut + 1).map(({ method }) => method)).toContain('GET')
})

it('a full disk on stdout: the changes are made, the report is written, and the error is printed', async () => {
  const setup = await setUpCampaign({ ...fleet, switches: { latency: 20 } })
  const { cwd, simulator } = setup
  const line = 'wlanctl apply --yes --quiet --max-changes all --report json=out.json >/dev/full'
  const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token, ...secrets }
  const { code, stderr } = await shell(`${line}; code=$?; cat out.json; exit $code`, { cwd, env })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOSPC') })
  const ended = await shell('cat out.json', { cwd })
  const { statuses, faults } = checkRun({ ...setup, ended })
  expect(statuses).toMatchObject({ applied: changes })
  expect(found(faults)).toEqual({})
})
