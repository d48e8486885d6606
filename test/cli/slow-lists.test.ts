import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { frontOf } from '../support/front.ts'
import { afterASecond, stage } from '../support/stage.ts'

const fleet = `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, auth: { eap_reauth: true } }
`

/** Runs a line while the first reads are answered a second late, and somebody edits during the first one. */
async function runSlowly(line: string, slowReads: number) {
  const { simulator, run, write } = await stage()
  let reads = 0
  let isSlow = false
  const WLANCTL_BASE_URL = await frontOf(simulator, async ({ method }) => {
    if (method !== 'GET' || !isSlow || ++reads > slowReads) return
    const auth = simulator.record(HQ, CORP)['auth'] as JsonObject
    if (reads === 1) simulator.edit(HQ, CORP, { auth: { ...auth, pairwise: ['wpa3'], owe: 'x' } })
    await afterASecond()
  })
  const env = { WLANCTL_BASE_URL }
  write('fleet/hq.yaml', fleet)
  await run('snapshot fleet --out s.json', env)
  if (!line.startsWith('apply')) await run('apply fleet --yes --record r.jsonl', env)
  const before = simulator.history.length
  isSlow = true
  const ended = await run(
    `${line} --yes --max-impact outage --allow-downgrade --max-attempts 2`,
    env
  )
  return { ...ended, sent: simulator.history.slice(before), live: simulator.record(HQ, CORP) }
}

const lines = ['apply fleet', 'revert r.jsonl fleet', 'revert --to s.json fleet']

test.each(lines)('%s keeps an edit that is made while its list is on its way', async line => {
  const { stdout, sent, live } = await runSlowly(line, 1)
  expect(stdout).toContain('1 applied')
  expect(sent).toHaveLength(1)
  expect(live).toMatchObject({ auth: { pairwise: ['wpa3'], owe: 'x' } })
})

test.each(lines)('%s sends nothing if every read takes a second', async line => {
  const { code, stdout, sent } = await runSlowly(line, Number.POSITIVE_INFINITY)
  expect({ code, stdout }).toEqual({
    code: 5,
    stdout: expect.stringMatching(/not sent: more than a second .*; run again later/)
  })
  expect(sent).toEqual([])
})
