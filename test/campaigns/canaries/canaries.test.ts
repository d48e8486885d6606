import { afterEach, describe, expect, it } from 'vitest'
import { formatNames } from '../../../src/report/report.ts'
import { secretMaskings } from '../../../src/simulator/switches.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { site } from './secrets.ts'
import { expectSealed, trial } from './trial.ts'
import { differences } from './twins.ts'

afterEach(expectUnpolluted)

/** Everything a run can be made to write at once: a report in each format. */
const everything = `--verbose ${formatNames.map(name => `--report ${name}=r.${name}`).join(' ')}`

it.each(formatNames)('nothing leaks on stdout as %s', async format => {
  const made = await trial()
  const form = `--verbose --format ${format}`
  await expectSealed(made, made.run(`plan FLEET --out plan.json ${form}`), 0)
  await expectSealed(made, made.run(`show plan.json ${form}`), 0)
  const applied = made.startBuilt(`apply FLEET --yes --record run.jsonl ${form}`)
  await expectSealed(made, applied.ended, 0)
  await expectSealed(made, made.run(`show run.jsonl ${form}`), 0)
})

describe('nothing leaks in any format', () => {
  it.each<[line: string, code: number]>([
    ['validate FLEET', 0],
    ['plan FLEET --out plan.json', 0],
    ['plan FLEET --detailed-exitcode', 2],
    ['drift FLEET', 2],
    ['apply FLEET --yes --allow-downgrade', 0],
    ['apply FLEET --yes --max-changes 1', 4],
    ['apply FLEET', 3]
  ])('%s', async (line, code) => {
    const made = await trial()
    await expectSealed(made, made.run(`${line} ${everything}`), code)
  })

  it('show of a plan that was saved', async () => {
    const made = await trial()
    const saved = await made.run('plan FLEET --out plan.json')
    const shown = await made.run(`show plan.json ${everything}`)
    expect([saved.code, shown.code]).toEqual([0, 0])
    expect(made.leaks(saved, shown)).toEqual([])
  })

  it.each(secretMaskings)(
    'a snapshot, and what is made of it, secrets hidden: %s',
    async hiddenSecrets => {
      const made = await trial({ switches: { hiddenSecrets } })
      const ended = [
        await made.run(`snapshot FLEET --out s.json ${everything}`),
        await made.run(`snapshot FLEET ${everything}`),
        await made.run(`plan FLEET --against s.json --out plan.json ${everything}`),
        await made.run(`drift FLEET --since s.json ${everything}`)
      ]
      const codes = hiddenSecrets === 'no' ? [0, 0, 0, 2] : [0, 0, 5, 5]
      expect(ended.map(({ code }) => code)).toEqual(codes)
      expect(made.leaks(...ended)).toEqual([])
    }
  )

  it('an import', async () => {
    const made = await trial()
    const form = `--all-fields ${everything}`
    const ended = [
      await made.run(`import ${site.id} ${form}`),
      await made.run(`import ${site.id} --factor --force ${form}`)
    ]
    expect(ended.map(({ code }) => code)).toEqual([0, 0])
    expect(made.leaks(...ended)).toEqual([])
  })

  it('a record, shown and reverted, also of a run that failed and of one that was approved', async () => {
    const made = await trial({ switches: { fail: [{ method: 'PUT', kind: '500', times: 3 }] } })
    const ended = [
      await made.run('plan FLEET --out plan.json'),
      await made.run(
        `apply FLEET --yes --max-attempts 1 --plan plan.json --record run.jsonl ${everything}`
      ),
      await made.run(`apply FLEET --yes --record run.jsonl ${everything}`),
      await made.run(`show run.jsonl ${everything}`),
      await made.run(`revert run.jsonl FLEET --yes --record back.jsonl ${everything}`),
      await made.run(`show back.jsonl ${everything}`)
    ]
    expect(ended.map(({ code }) => code)).toEqual([0, 5, 0, 0, 0, 0])
    expect(made.leaks(...ended)).toEqual([])
  })

  it.each(secretMaskings)('where the service hides secrets: %s', async hiddenSecrets => {
    const made = await trial({ switches: { hiddenSecrets } })
    const planned = await made.run(`plan FLEET ${everything}`)
    const applied = await made.run(`apply FLEET --yes ${everything}`)
    const code = hiddenSecrets === 'no' ? 0 : 5
    expect([planned.code, applied.code]).toEqual([code, code])
    expect(made.leaks(planned, applied)).toEqual([])
  })
})

it('nothing leaks in colours', async () => {
  const made = await trial()
  await expectSealed(made, made.run('plan FLEET --verbose', { FORCE_COLOR: '1' }), 0, /\u001b\[/)
})

it('nothing leaks through a check that tells all it knows', async () => {
  const made = await trial()
  const line = `apply FLEET --yes --allow-downgrade --record r.jsonl ${everything} --check env`
  await expectSealed(made, made.run(line), 0, /check: PATH=/)
})

it('an import writes secrets where it is told to, and nowhere else', async () => {
  const made = await trial()
  const ended = await made.run(`import ${site.id} --secrets-out secrets.env ${everything}`)
  expect(ended.code).toBe(0)
  const leaks = made.leaks(ended)
  expect(leaks.length).toBeGreaterThan(5)
  expect(new Set(leaks.map(({ where }) => where))).toEqual(new Set(['secrets.env']))
})

it('every secret that was to be sent was sent: the fleet is no straw man', async () => {
  const made = await trial()
  await expectSealed(made, made.run('apply FLEET --yes'), 0, /6 applied/)
  const bodies = made.simulator.history.map(({ body }) => JSON.stringify(body)).join('')
  for (const secret of ['title', 'first line of radius', 'live-riding', 'live-amazon']) {
    expect(bodies).toContain(secret)
  }
})

it('what is said is the same whatever the secrets are', async () => {
  expect(await differences(await trial())).toEqual([])
})
