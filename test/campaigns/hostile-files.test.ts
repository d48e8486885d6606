import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exit, Failure } from '../../src/core/model/failure.ts'
import type { Change, Plan, SitePart } from '../../src/core/model/plan.ts'
import { fileLimits } from '../../src/core/model/saved-file-limits.ts'
import { withDigests } from '../../src/core/plan/digest.ts'
import { formatPlan } from '../../src/files/saved-plan.ts'
import { parseRecord } from '../../src/run/record/read.ts'
import { HQ } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

/** The commands that read each kind of file. */
const readers = {
  plan: ['show FILE', 'apply fleet --yes --plan FILE'],
  snapshot: ['plan fleet --against FILE', 'drift fleet --since FILE', 'show FILE'],
  record: ['show FILE', 'revert FILE fleet --yes'],
  outcomes: ['show FILE'],
  siteList: ['import --from FILE --out sites']
} as const

type Kind = keyof typeof readers

/** A valid file of each kind, as wlanctl writes it. */
async function genuine(made: Stage, kind: Kind): Promise<string> {
  switch (kind) {
    case 'plan':
      await made.run('plan fleet --out f')
      break
    case 'snapshot':
      await made.run('snapshot fleet --out f')
      break
    case 'record':
      await made.run('apply fleet --yes --record f')
      break
    case 'outcomes':
      await made.run('apply fleet --yes --shard 1/1 --report json=f')
      break
    case 'siteList':
      made.write('f', `${HQ} hq\n`)
  }
  return made.read('f')
}

/** Expects that every command rejects the file at once with exit 3, and names it. */
async function expectRefused(made: Stage, kind: Kind, problem: RegExp): Promise<void> {
  const requests = made.methods().filter(method => method === 'PUT').length
  for (const line of readers[kind]) {
    const { code, stderr } = await made.run(line.replace('FILE', 'f'))
    expect({ line, code, stderr }).toEqual({
      line,
      code: 3,
      stderr: expect.stringMatching(new RegExp(`wlanctl: f.*${problem.source}`, 's'))
    })
    expect(stderr.length).toBeLessThan(1000)
    expect(stderr).not.toMatch(/this is a bug|NaN|Invalid Date/)
  }
  expect(made.methods().filter(method => method === 'PUT')).toHaveLength(requests)
}

/** Replaces a pattern, which must match. */
function edited(text: string, pattern: RegExp, by: string): string {
  expect(text).toMatch(pattern)
  return text.replace(pattern, () => by)
}

const json: Kind[] = ['plan', 'snapshot', 'record', 'outcomes']
const million = 1_000_000

describe.each(Object.keys(readers) as Kind[])('a hostile file: %s', kind => {
  it('is rejected if it is too large', async () => {
    const made = await stage()
    made.write('f', await genuine(made, kind))
    truncateSync(join(made.cwd, 'f'), 400 * 1024 * 1024)
    await expectRefused(made, kind, /has 400 MiB, and the limit of .* is \d+ MiB/)
  })

  it.runIf(json.includes(kind))(
    'is rejected with a duplicate key or an infinite number',
    async () => {
      const made = await stage()
      const text = await genuine(made, kind)
      for (const by of ['"format": "x", "format":', '"x": 1e999, "format":']) {
        made.write('f', edited(text, /"format":/, by))
        await expectRefused(made, kind, /invalid JSON|not JSON|expected the format|line 1/)
      }
    }
  )

  it.runIf(json.includes(kind))('is rejected with more values than the limit', async () => {
    const made = await stage()
    const text = await genuine(made, kind)
    const values = `"x": [${'{},'.repeat(2 * million)}{}], "format":`
    made.write(
      'f',
      kind === 'record'
        ? edited(text, /"run":/, `"x": [${'{},'.repeat(2 * million)}{}], "run":`)
        : edited(text, /"format":/, values)
    )
    await expectRefused(made, kind, /holds [\d,]+ values, and the limit of .* is [\d,]+/)
  })

  it.runIf(json.includes(kind))('is rejected with impossible times and counts', async () => {
    const made = await stage()
    const text = await genuine(made, kind)
    const time = kind === 'record' ? /"at":"[^"]*"/ : /"created": "[^"]*"/
    const member = kind === 'record' ? '"at":' : '"created": '
    for (const wrong of ['9999-99-99T99:99:99Z', '2026-02-30T10:00:00.000Z', '8640000000000001']) {
      made.write('f', edited(text, time, `${member}"${wrong}"`))
      await expectRefused(made, kind, /damaged|not a line of a record/)
    }
    const count = kind === 'record' ? /"changes":\d+/ : /"requests": \d+/
    const name = kind === 'record' ? '"changes":' : '"requests": '
    made.write('f', edited(text, count, `${name}1e300`))
    await expectRefused(made, kind, /damaged|not a line of a record/)
  })
})

describe('a pointer of 8,000,000 characters', () => {
  it.each(['plan', 'record'] as const)('in a %s', async kind => {
    const made = await stage()
    const text = await genuine(made, kind)
    made.write('f', edited(text, /"\/vlan_id"/, `"${'/a'.repeat(4 * million)}"`))
    await expectRefused(made, kind, /damaged|not a line of a record/)
  })
})

describe('a record', () => {
  it('is rejected with more steps than the limit', async () => {
    const made = await stage()
    const text = await genuine(made, 'record')
    made.write('f', text + '\n'.repeat(fileLimits.record.lines))
    await expectRefused(made, 'record', /line|lines, the limit/)
  })

  it('is rejected if a request differs from its operations', async () => {
    const made = await stage()
    const text = await genuine(made, 'record')
    made.write('f', edited(text, /"vlan_id":21/, '"vlan_id":22'))
    await expectRefused(made, 'record', /does not match its operations/)
  })
})

describe('a site list', () => {
  it('of blanks is read in linear time', async () => {
    const made = await stage()
    made.write('f', `${' '.repeat(2 * million)}x${' '.repeat(2 * million)}\n`)
    await expectRefused(made, 'siteList', /"x" is not a site id: expected a UUID/)
    made.write('f', ' '.repeat(4 * million))
    const { code, stderr } = await made.run('import --from f')
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: /no site to import/ })
  })

  it('is rejected with more lines than the limit', async () => {
    const made = await stage()
    made.write('f', '\n'.repeat(fileLimits.siteList.lines + 1))
    await expectRefused(made, 'siteList', /more than 100,000 lines/)
  })
})

/** A valid plan with edited members and a new digest, as an attacker could write it. */
async function forged(made: Stage, forge: (plan: Plan) => Partial<Plan>): Promise<void> {
  const plan: Plan = JSON.parse(await genuine(made, 'plan'))
  made.write('f', formatPlan(withDigests({ ...plan, ...forge(plan) })))
}

/** A forged plan with edited members of its first change. */
function ofFirst(forge: (change: Change) => Partial<Change>) {
  return ({ changes: [first, ...others] }: Plan): Partial<Plan> =>
    first === undefined ? {} : { changes: [{ ...first, ...forge(first) }, ...others] }
}

describe('a forged plan with a matching digest', () => {
  it.each<[what: string, forge: (plan: Plan) => Partial<Plan>, problem: RegExp]>([
    ['another address', ofFirst(() => ({ address: 'lab/corp' })), /is not an address of the site/],
    [
      'another body',
      ofFirst(({ request }) => ({
        request: { ...request, body: { ...request.body, vlan_id: 9 } }
      })),
      /does not match its operations/
    ],
    ['a change twice', ({ changes }) => ({ changes: [...changes, ...changes] }), /has two changes/],
    [
      'a change at an unread site',
      ({ sites: [first, ...others] }) => ({
        sites: [{ ...(first as SitePart), unread: 1 }, ...others]
      }),
      /is at no site that the plan lists as read/
    ],
    [
      'another count',
      ({ summary }) => ({ summary: { ...summary, sites_failed: 1 } }),
      /as `summary.sites_failed`, got 1/
    ],
    ['no wave', () => ({ rollout: [{ name: 'canary', sites: [] }] }), /in no wave/]
  ])('is rejected with %s', async (_, forge, problem) => {
    const made = await stage()
    await forged(made, forge)
    await expectRefused(made, 'plan', problem)
  })

  it('is rejected if it changes the secrets that were not compared', async () => {
    const made = await stage()
    const plan: Plan = JSON.parse(await genuine(made, 'plan'))
    const [pointer, reference] = ['/auth/psk', { $env: 'WLAN_SECRET_GUEST' }]
    const open = { address: 'hq/corp', pointers: [pointer], references: { [pointer]: reference } }
    made.write('f', formatPlan({ ...plan, not_compared: [open] }))
    await expectRefused(made, 'plan', /digest/)
  })
})

describe('reading a long record', () => {
  it('handles signals, and ends on one', async () => {
    const made = await stage()
    const [begin = '', ...others] = (await genuine(made, 'record')).split('\n')
    const step = others.find(line => line.includes('"sending"')) ?? ''
    const planned = others.filter(line => line.includes('"planned"'))
    const text = [begin, ...planned, ...Array.from({ length: 20_000 }, () => step)].join('\n')
    let pauses = 0
    const pause = async () => {
      pauses += 1
      if (pauses === 5) throw new Failure(exit.interrupted, 'interrupted')
    }
    await expect(parseRecord(text, 'f', pause)).rejects.toThrow('interrupted')
    await parseRecord(text, 'f', async () => {
      pauses += 1
    })
    expect(pauses).toBe(15)
  })
})
