import { afterEach, describe, expect, it } from 'vitest'
import type { Switches } from '../../../src/simulator/switches.ts'
import { type Arrival, json } from '../../support/server.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { echoes, oddities } from './echoes.ts'
import { keys, secretFiles, wlans } from './secrets.ts'
import { expectSealed, trial } from './trial.ts'

afterEach(expectUnpolluted)

const reports = '--verbose --report json=r.json --report text=r.txt'
const isWrite = ({ method }: Arrival) => method === 'PUT'
const isRead = ({ method, path }: Arrival) => method === 'GET' && !path.endsWith('/wlans')

describe('an error that repeats secrets', () => {
  it.each(echoes(400))('of an update is redacted: %s', async (_, script) => {
    const made = await trial()
    made.answer(isWrite, script)
    await expectSealed(made, made.run(`apply FLEET --yes ${reports}`), 5, /6 failed/)
  })

  it.each(oddities)('of an update is redacted in every format: %s', async (_, script) => {
    const made = await trial()
    made.answer(isWrite, script)
    const line = `apply FLEET --yes --max-attempts 1 --format json ${reports}`
    await expectSealed(made, made.run(line), 5, /"(?:failed|unknown)": 6/)
  })

  const ofRead = echoes(500).filter(([how]) => /^(?:the request as JSON|all secrets)$/.test(how))
  it.each([...ofRead, ...oddities])('of a read-back is redacted: %s', async (_, script) => {
    const made = await trial()
    made.answer(isRead, script)
    const line = `apply FLEET --yes --max-attempts 1 --verify-timeout 0 ${reports}`
    await expectSealed(made, made.run(line), 5, /\d unknown/)
  })

  it.each(echoes(403).filter(([how]) => !how.includes('secret')))(
    'of a list is redacted: %s',
    async (_, script) => {
      const made = await trial()
      made.answer(() => true, script)
      const runs = ['drift FLEET --format json', 'token list']
      const ended = await Promise.all(runs.map(line => made.run(line)))
      expect(ended.map(({ code }) => code)).toEqual([5, 1])
      expect(made.leaks(...ended)).toEqual([])
    }
  )
})

it('an error of a list that repeats a declared secret, which was never sent, is redacted', async () => {
  const made = await trial()
  const detail = [...Object.values(keys), ...Object.values(secretFiles)]
  made.answer(() => true, json({ detail }, {}, 400))
  await expectSealed(made, made.run(`plan FLEET ${reports}`), 5, /400: \(secret\); \(secret\)/)
})

describe('a service that', () => {
  const all = { times: 'always' } as const
  const impatient = '--timeout 1 --max-attempts 1 --verify-timeout 0'

  it.each<[does: string, switches: Partial<Switches>, line: string, code: number, says: RegExp]>([
    [
      'stores no field',
      { dropFields: ['/auth/psk', '/auth_servers', '/portal'] },
      '--verify-timeout 0',
      5,
      /[1-6] diverged/
    ],
    [
      'moves other fields',
      { editBetween: { airwatch: { password: 'moved' } } },
      '',
      0,
      /also changed/
    ],
    ['fails', { fail: [{ method: 'PUT', kind: '500', ...all }] }, impatient, 5, /failed/],
    ['has a proxy', { fail: [{ method: 'PUT', kind: '504', ...all }] }, impatient, 5, /unknown/],
    [
      'hangs up',
      { fail: [{ method: 'PUT', kind: 'reset-landed', ...all }] },
      impatient,
      0,
      /6 app/
    ],
    [
      'truncates its responses',
      { fail: [{ method: 'PUT', kind: 'cut', ...all }] },
      impatient,
      0,
      /6 app/
    ],
    ['is a captive portal', { fail: [{ kind: 'html', ...all }] }, impatient, 5, /not read/],
    ['is slow', { fail: [{ method: 'PUT', kind: 'timeout-landed' }] }, impatient, 0, /6 applied/],
    ['is rate limited', { fail: [{ kind: '429', ...all }], retryAfter: 999 }, impatient, 5, /429/],
    ['hides and normalises', { hiddenSecrets: 'partly', normalise: true }, '', 5, /applied/]
  ])('%s', async (_does, switches, line, code, says) => {
    const made = await trial({ switches })
    await expectSealed(made, made.run(`apply FLEET --yes ${reports} ${line}`.trim()), code, says)
  })

  it('is edited by hand in the meantime', async () => {
    const made = await trial({ switches: { staleFor: 5_500 } })
    const running = made.startBuilt(`apply FLEET --yes --wlan corp --wlan regexp ${reports}`)
    while (made.simulator.history.length === 0) await new Promise(go => setTimeout(go, 20))
    const regexp = wlans.find(({ ssid }) => ssid === 'regexp')
    made.simulator.edit(String(regexp?.['site_id']), String(regexp?.id), {
      vlan_id: 99,
      auth: { type: 'psk', psk: 'live-thing-edited-by-hand' }
    })
    await expectSealed(made, running.ended, 5, /1 applied, 1 stale/)
  })
})

describe('an interrupt', () => {
  it.each([1, 2])('%i times', async times => {
    const made = await trial({
      switches: { fail: [{ method: 'PUT', kind: 'timeout-landed', times: 'always' }] }
    })
    const running = made.startBuilt(`apply FLEET --yes --timeout 2 --max-attempts 1 ${reports}`)
    while (made.simulator.history.length === 0) await new Promise(go => setTimeout(go, 20))
    for (let n = 0; n < times; n += 1) {
      running.signal('SIGINT')
      await new Promise(go => setTimeout(go, 200))
    }
    await expectSealed(made, running.ended, 130, /skipped/)
  })
})
