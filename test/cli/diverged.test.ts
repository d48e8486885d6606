import { expect, test } from 'vitest'
import type { WlanRecord } from '../../src/simulator/json.ts'
import type { Switches } from '../../src/simulator/switches.ts'
import { GUEST, HQ } from '../support/ids.ts'
import { hqFile, stage } from '../support/stage.ts'

interface Step {
  readonly step: string
  readonly hint?: string
}

type Fields = Readonly<Record<string, string | number | boolean>>

test.each<
  [what: string, live: Fields, declared: string, switches: Partial<Switches>, hint: RegExp]
>([
  [
    'a field that another one turns on',
    { isolation: false, l2_isolation: false },
    'isolation: true, l2_isolation: false',
    { coupled: { isolation: { l2_isolation: true } } },
    /keeps another value for `l2_isolation`: declare that value, or leave the field out; lint rule isolation-fights-l2: .*; declare the same value for both/
  ],
  [
    'an exception that turns on its switch',
    { limit_bcast: true, allow_ssdp: false },
    'limit_bcast: false, allow_ssdp: true',
    { coupled: { allow_ssdp: { limit_bcast: true } } },
    /keeps another value for `limit_bcast`: .*; lint rule broadcast-flags-ignored: .* couple/
  ],
  [
    'values that the service rounds',
    { max_num_clients: 10, dtim: 2 },
    'max_num_clients: 11, dtim: 3',
    { dropFields: ['/max_num_clients', '/dtim'] },
    /keeps other values for `dtim`, `max_num_clients`: declare those values, or leave the fields out$/
  ]
])('a diverged change says how to go on: %s', async (_, live, declared, switches, hint) => {
  const record = { id: GUEST, site_id: HQ, ssid: 'Staff', auth: { type: 'eap' }, ...live }
  const made = await stage({
    sites: [{ id: HQ, name: 'hq', wlans: [record as WlanRecord] }],
    switches
  })
  made.write('fleet/hq.yaml', hqFile(`\n  staff: { ssid: Staff, ${declared} }`))
  const line = 'apply fleet --yes --verify-timeout 0 --allow-downgrade --record run.jsonl'
  const { code, stdout } = await made.run(line)
  expect(code).toBe(5)
  const steps: Step[] = made
    .read('run.jsonl')
    .trim()
    .split('\n')
    .map(text => JSON.parse(text))
  const stored = steps.find(({ step }) => step === 'outcome')?.hint ?? ''
  expect(stored).toMatch(hint)
  const words = (text: string) => text.replaceAll('`', '').replaceAll(/\s+/g, ' ')
  expect(words(stdout)).toContain(words(stored))
  const rule = /lint rule ([\w-]+)/.exec(stored)?.[1]
  if (rule !== undefined) expect((await made.run('drift fleet')).stdout).toContain(`LINT ${rule}`)
})
