import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../../src/run/record/read.ts'
import { RunRecorder } from '../../../../src/run/record/recorder.ts'
import { readSchema, strictAjv } from '../../../schemas/schemas.ts'
import { HQ } from '../../../simulator/simulate.ts'
import { hq, memorySink, recordFacts, setStage } from '../support.ts'

const both = hq({ corp: { vlan_id: 21 }, guest: { portal: { expire: 60 } } })

/** The lines of a run that changes `corp` in one wave, and `guest` in another. */
async function recordWaves(check: () => Promise<string | undefined>): Promise<string[]> {
  const { plan, applyWaves } = await setStage()
  const changes = await plan(both)
  const { sink, text } = memorySink()
  const recorder = new RunRecorder(sink, recordFacts)
  await recorder.begin(changes)
  const sites = [{ id: HQ, name: 'hq' }]
  const waves = [
    { name: 'canary', sites, changes: changes.slice(0, 1) },
    { sites, changes: changes.slice(1) }
  ]
  const { outcomes } = await applyWaves(waves, { recorder, check })
  await recorder.end(outcomes)
  return text().trimEnd().split('\n')
}

const at = recordFacts.now().toISOString()

describe('a record of waves', () => {
  it('has a line before and after each of them', async () => {
    const lines = (await recordWaves(async () => undefined)).map(line => JSON.parse(line))
    const labels = lines.map(({ step, address, wave }) =>
      [step, wave, address].filter(Boolean).join(' ')
    )
    expect(labels.filter(step => !/^(?:sending|answered|read)/.test(step))).toEqual([
      'begin',
      'planned',
      'planned',
      'wave-begins canary',
      'outcome canary hq/corp',
      'wave-ends canary',
      'wave-begins',
      'outcome hq/guest',
      'wave-ends',
      'end'
    ])
    const valid = strictAjv()
      .addSchema(readSchema('plan.schema.json'))
      .compile(readSchema('record.schema.json'))
    for (const line of lines) expect(valid(line), JSON.stringify(valid.errors)).toBe(true)
  })

  it('contains the started waves, and the reason why the others did not start', async () => {
    const [run] = await parseRecord((await recordWaves(async () => 'it rains')).join('\n'), 'r')
    expect(run?.waves).toEqual([
      { name: 'canary', changes: 1, started: at, ended: at, problem: 'it rains' }
    ])
    expect(run?.changes.map(({ outcome }) => [outcome.status, outcome.wave])).toEqual([
      ['applied', 'canary'],
      ['skipped', undefined]
    ])
  })

  it('may end in the middle of a wave, which has no end then', async () => {
    const lines = await recordWaves(async () => undefined)
    const truncated = lines.slice(
      0,
      lines.findIndex(line => line.includes('wave-ends'))
    )
    const [run] = await parseRecord(`${truncated.join('\n')}\n`, 'r')
    expect(run?.waves).toEqual([{ name: 'canary', changes: 1, started: at }])
  })

  it.each([
    ['ends twice', 'wave-ends', /$/, '\n$`', 'a wave ends that did not begin'],
    ['begins twice', 'wave-begins', /$/, '\n$`', 'before the last one has ended'],
    ['ends as another', 'wave-ends', 'canary', 'other', 'did not begin'],
    ['has no count', 'wave-begins', ',"changes":1', '', 'not a line'],
    ['has an empty name', 'wave-begins', 'canary', '', 'not a line']
  ])('is damaged if one %s', async (_, step, from, to, problem) => {
    const lines = await recordWaves(async () => undefined)
    const place = lines.findIndex(line => line.includes(step))
    const edited = lines.map((line, n) => (n === place ? line.replace(from, to) : line)).join('\n')
    await expect(parseRecord(`${edited}\n`, 'r')).rejects.toThrow(problem)
  })
})
