import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

interface Row {
  readonly field: string
  readonly live: JsonObject
  readonly declared: object
}

const rows = tablesIn<Readonly<Record<string, Row>>>(import.meta.dirname, 'older-names.yaml')

it.each(Object.entries(rows))('%s under an older name counts as it is', async (_, row) => {
  const { field, live, declared } = row
  const wlan = { id: CORP, ssid: 'Corp', site_id: HQ, ...live }
  const { run, read, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [wlan] }] })
  write('names.txt', `${HQ} hq\n`)
  const block = JSON.stringify({ ssid: 'Corp', ...declared })
  write('fleet/hq.yaml', hqFile(`\n  corp: ${block}`))

  // It is not imported as the default, and a plan after the import is empty.
  expect(await run('import --from names.txt')).toMatchObject({ code: 0 })
  expect(read('sites/hq.yaml')).not.toContain(field.split('.').at(-1))
  expect((await run('plan sites --detailed-exitcode')).code).toBe(0)

  // Declared under the name of today it is a change without an impact.
  const [change] = JSON.parse((await run('plan fleet --format json')).stdout).changes
  const at = `/${field.replaceAll('.', '/')}`
  expect(change.patch.map(({ path }: { path: string }) => path)).toContain(at)
  for (const name of ['impact', 'downgrades', 'resets_radio'])
    expect(change).not.toHaveProperty(name)

  const listed = await run(`list ${HQ} --live --columns ${field} --format json`)
  expect(listed.stdout).not.toContain('24')
  const audit = await run(`audit ${HQ} --format json`)
  expect(JSON.parse(audit.stdout).networks[0].variants[0].bands).toBe(
    field === 'bands' ? 'unknown' : '24, 5, 6'
  )
  write('bare/hq.yaml', hqFile('\n  corp: { ssid: Corp }'))
  write('bare/policy.yaml', 'policy: { unwatched: drift }\n')
  expect((await run('drift bare')).stdout).not.toContain(field)
})
