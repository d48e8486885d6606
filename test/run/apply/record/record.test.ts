import { describe, expect, it } from 'vitest'
import { tally } from '../../../../src/core/model/outcome.ts'
import type { PlannedChange } from '../../../../src/core/model/plan.ts'
import { isRecord } from '../../../../src/files/saved-file.ts'
import { parseRecord } from '../../../../src/run/record/read.ts'
import { type RecordSink, RunRecorder } from '../../../../src/run/record/recorder.ts'
import { readSchema, strictAjv } from '../../../schemas/schemas.ts'
import { CORP, GUEST } from '../../../simulator/simulate.ts'
import { env } from '../../../support/desired.ts'
import { hq, memorySink, recordFacts, setStage, statuses } from '../support.ts'

const PSK = 'a-passphrase-of-the-guests'
const both = hq({
  corp: { vlan_id: 21 },
  guest: { auth: { psk: env('GUEST', PSK) }, portal: { expire: 60 } }
})

/** Applies and records both changes of the stage; returns the record and the outcomes. */
async function recordRun(store = memorySink(), run: string = recordFacts.run) {
  const { plan, apply, simulator } = await setStage()
  const changes = await plan(both)
  const recorder = new RunRecorder(store.sink, { ...recordFacts, run })
  await recorder.begin(changes)
  const outcomes = await apply(changes, { recorder, parallelism: 1 })
  await recorder.end(outcomes)
  return { changes, outcomes, recorder, simulator, text: store.text() }
}

describe('a record', () => {
  it('of 5,000 runs is read, and one of 5,001 is rejected', async () => {
    const [begin = ''] = (await recordRun()).text.split('\n')
    const forged = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        begin.replace(recordFacts.run, n.toString(16).padStart(8, '0'))
      ).join('\n')
    expect(await parseRecord(forged(5000), 'r.jsonl')).toHaveLength(5000)
    await expect(parseRecord(forged(5001), 'r.jsonl')).rejects.toThrow(
      'r.jsonl: line 5001: it has more than 5,000 runs, the limit of a record'
    )
  })

  it('has a line for each step, before and after it', async () => {
    const { text } = await recordRun()
    const steps = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(steps.map(({ step, address }) => [step, address].join(' ').trim())).toEqual([
      'begin',
      'planned',
      'planned',
      ...['hq/corp', 'hq/guest'].flatMap(address =>
        ['sending', 'answered', 'read', 'outcome'].map(step => `${step} ${address}`)
      ),
      'end'
    ])
    const valid = strictAjv()
      .addSchema(readSchema('plan.schema.json'))
      .compile(readSchema('record.schema.json'))
    for (const step of steps) expect(valid(step), JSON.stringify(valid.errors)).toBe(true)
  })

  it('contains no secret', async () => {
    const { text } = await recordRun()
    for (const secret of [PSK, 'test-psk-123', 'seesam', 'radius-one']) {
      expect(text).not.toContain(secret)
    }
    expect(text).toContain('{"$env":"WLAN_SECRET_GUEST"}')
  })

  it('is flushed to the disk before an update is sent', async () => {
    const { plan, apply, simulator } = await setStage()
    const changes = await plan(both)
    const order: string[] = []
    const sink: RecordSink = {
      append: text =>
        void order.push(
          ...text
            .trimEnd()
            .split('\n')
            .map(line => JSON.parse(line).step)
        ),
      flush: async () => void order.push(`flush, ${simulator.history.length} written`)
    }
    const recorder = new RunRecorder(sink, recordFacts)
    await recorder.begin(changes.slice(0, 1))
    await recorder.end(await apply(changes.slice(0, 1), { recorder }))
    expect(order).toEqual([
      'begin',
      'planned',
      'flush, 0 written',
      'sending',
      'flush, 0 written',
      'answered',
      'read',
      'outcome',
      'end',
      'flush, 1 written'
    ])
  })

  it('is part of the report of its run, step by step', async () => {
    const { plan, apply } = await setStage()
    const store = memorySink()
    const changes = await plan(both)
    const recorder = new RunRecorder(store.sink, recordFacts)
    await recorder.begin(changes)
    await recorder.end(await apply(changes, { recorder }))
    const [run] = await parseRecord(store.text(), 'r')
    const recorded = run?.changes.map(({ change, timeline }) => [change.address, timeline] as const)
    expect(recorded).toEqual([...recorder.timeline].sort(([a], [b]) => (a < b ? -1 : 1)))
    const at = '2026-11-20T10:00:00.000Z'
    expect(recorder.timeline.get('hq/corp')).toEqual([
      { at, step: 'sending' },
      { at, step: 'answered' },
      { at, step: 'read', note: 'applied' },
      { at, step: 'outcome' }
    ])
  })

  it('contains the changes of the run', async () => {
    const { text, changes, outcomes } = await recordRun()
    const [run, ...others] = await parseRecord(text, 'r')
    expect(others).toEqual([])
    expect(run).toMatchObject({
      id: recordFacts.run,
      command: 'apply',
      baseUrl: recordFacts.base_url
    })
    expect(run?.ended).toBe('2026-11-20T10:00:00.000Z')
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
    expect(run?.changes.map(({ change }) => change)).toEqual(
      plain(changes.map(({ change }) => change))
    )
    expect(run?.changes.map(({ outcome }) => outcome)).toEqual(plain(outcomes))
    expect(run?.changes.map(({ lostSecrets }) => lostSecrets)).toEqual([[], ['/auth/psk']])
  })

  it('may contain several runs, with their lines in any order', async () => {
    const [a, b] = [
      await recordRun(memorySink(), 'aaaaaaaa'),
      await recordRun(memorySink(), 'bbbbbbbb')
    ]
    const [first, second] = [a.text, b.text].map(text => text.trimEnd().split('\n'))
    const mixed = first?.flatMap((line, n) => [line, second?.[n] ?? '']).join('\n')
    const apart = await Promise.all([a, b].map(({ text }) => parseRecord(text, 'r')))
    expect(await parseRecord(`${mixed}\n`, 'r')).toEqual(
      apart.flat().map(run => ({
        ...run,
        changes: run.changes.map(change => ({ ...change, line: expect.any(Number) }))
      }))
    )
  })
})

describe('a record that can no longer be written', () => {
  it.each([
    ['before anything is sent', 0, 'skipped skipped'],
    ['before the first update', 1, 'skipped skipped'],
    ['during the first update', 2, 'applied skipped'],
    ['after the first update', 5, 'applied skipped'],
    ['during the last update', 6, 'applied applied'],
    ['at the end', 9, 'applied applied']
  ])('%s: starts no other change, and reports all outcomes', async (_, most, expected) => {
    const { outcomes, recorder, simulator } = await recordRun(memorySink(most))
    expect(statuses(outcomes)).toBe(expected)
    expect(simulator.history).toHaveLength(tally(outcomes).applied)
    expect(recorder.failure).toContain('ENOSPC')
    const { reason } = outcomes.find(({ status }) => status === 'skipped') ?? {}
    if (most > 0 && reason) expect(reason).toBe('the record could not be written any more')
  })

  it('includes one that cannot be flushed', async () => {
    const { plan, apply, simulator } = await setStage()
    const changes = await plan(both)
    const { sink } = memorySink()
    const flush = async () => {
      throw new Error('EIO: i/o error, fdatasync')
    }
    const recorder = new RunRecorder({ ...sink, flush }, recordFacts)
    await recorder.begin(changes)
    expect(recorder.failure).toContain('EIO')
    expect(statuses(await apply(changes, { recorder }))).toBe('skipped skipped')
    expect(simulator.history).toEqual([])
  })

  it('includes one whose clock fails, and keeps the steps for the report', async () => {
    const { plan, apply } = await setStage()
    let times = 0
    const now = () => {
      times += 1
      return times === 2 ? new Date(Number.NaN) : recordFacts.now()
    }
    const recorder = new RunRecorder(undefined, { ...recordFacts, now })
    const outcomes = await apply(await plan(both), { recorder, parallelism: 1 })
    expect(statuses(outcomes)).toBe('applied skipped')
    expect(recorder.failure).toBe('Invalid time value')
    const steps = [...recorder.timeline.values()].map(events => events.map(({ step }) => step))
    expect(steps).toEqual([['sending', 'read', 'outcome'], ['outcome']])
  })
})

describe('a truncated record', () => {
  it('is valid wherever it ends', async () => {
    const { text } = await recordRun()
    const full = await parseRecord(text, 'r')
    const starts = text.indexOf('\n')
    let runs = 0
    for (let end = starts; end < text.length; end += 7) {
      const [run] = await parseRecord(text.slice(0, end), 'r')
      // A line is complete without its newline.
      if (run === undefined || text[end] === '\n') continue
      const stored = text.slice(0, end).split('\n').slice(0, -1)
      for (const { change, outcome } of run.changes) {
        const known = stored
          .map(line => JSON.parse(line))
          .filter(({ address }) => address === change.address)
        const last = known.at(-1)?.step
        const whole = full[0]?.changes.find(each => each.change.address === change.address)
        if (last === 'outcome') expect(outcome).toEqual(whole?.outcome)
        else expect(outcome.status).toBe(last === undefined ? 'skipped' : 'unknown')
      }
      runs += 1
    }
    expect(runs).toBeGreaterThan(100)
  })

  it.each([
    ['sending', 'it was about to be sent'],
    ['answered', 'the service accepted it'],
    ['read', 'it was read back (applied)']
  ])('after %s: %s', async (step, words) => {
    const { text } = await recordRun()
    const lines = text.split('\n')
    const end = lines.findIndex(line => line.includes(`"step":"${step}"`))
    const [run] = await parseRecord(lines.slice(0, end + 1).join('\n'), 'r')
    const reason = `${words}, then the record of the run ends`
    expect(run?.changes.map(({ outcome }) => outcome)).toMatchObject([
      { status: 'unknown', reason },
      { status: 'skipped', reason: 'it did not start, then the record of the run ends' }
    ])
    expect(run).not.toHaveProperty('ended')
  })

  it('may continue with another run', async () => {
    const { text } = await recordRun()
    const later = await recordRun(memorySink(), 'ffffffff')
    const truncated = text.slice(0, text.indexOf('"answered"'))
    const runs = await parseRecord(`${truncated}\n${later.text}`, 'r')
    expect(runs.map(({ ended }) => ended !== undefined)).toEqual([false, true])
  })
})

describe('an invalid record', () => {
  const swap = (a: string, b: string) => (text: string) => text.replace(a, b)
  const without = (step: string) => (text: string) =>
    text
      .split('\n')
      .filter(line => !line.includes(`"step":"${step}"`))
      .join('\n')
  const deep = `{"run":"0a1b2c3d","step":${'['.repeat(5_000)}${']'.repeat(5_000)}}`

  it.each<[string, (text: string) => string, RegExp]>([
    ['nothing', () => '', /line 1: expected the format/],
    ['something else', () => '{"a":1}\n', /line 1: expected the format/],
    ['of another version', swap('record/1', 'record/2'), /line 1: .*"wlanctl-record\/2"/],
    ['a value that was before', swap('"value":20', '"value":22'), /line 3: .*digest/],
    ['another WLAN', swap(`wlans/${CORP}`, `wlans/${GUEST}`), /line 2: .*another WLAN/],
    ['another service', swap('api.example.com', 'evil.example.com'), /line 3: .*digest/],
    ['a line too many', text => text.replace(/^(.*"planned".*\n)/m, '$1$1'), /line 3: .*twice/],
    ['a line too few', text => text.replace(/^.*"planned".*\n/m, ''), /line 3: .*fewer changes/],
    [
      'no beginning',
      text => `${text.replace(/^.*\n/, '{"format":"wlanctl-record/1"}\n')}`,
      /line 1: /
    ],
    ['two beginnings', text => text.replace(/^(.*\n)/, '$1$1'), /line 2: .*already begun/],
    ['garbage in the middle', swap('"step":"read"', '"step"'), /line 6: it is not JSON/],
    ['a duplicate key', swap('"attempt":1', '"attempt":1,"attempt":1'), /line 4: .*duplicate/],
    ['an unknown member', swap('"attempt":1', '"attempt":1,"x":1'), /line 4: .*not a line/],
    ['an unknown step', swap('"step":"read"', '"step":"guess"'), /line 6: .*not a line/],
    ['an unknown status', swap('"status":"applied"', '"status":"fine"'), /line 7: .*not a line/],
    [
      'an unknown WLAN',
      swap('"address":"hq/corp","attempt"', '"address":"hq/x","attempt"'),
      /line 4: /
    ],
    [
      'a step after the outcome',
      text => text.replace(/(.*"sending".*\n)((?:.*\n){3})/, '$2$1'),
      /line 7: /
    ],
    ['an outcome that is missing', without('outcome'), /line \d+: hq\/corp has no outcome/],
    ['other sums', swap('"applied":2', '"applied":3'), /line 12: its summary/],
    ['more after the end', text => `${text}${text.split('\n')[3]}\n`, /line 13: .*already ended/],
    ['a bomb', text => text.replace(/\n/, `\n${deep}\n`), /line 2: .*deep/]
  ])('%s is rejected with its line', async (_, damage, message) => {
    const { text } = await recordRun()
    await expect(parseRecord(damage(text), 'r.jsonl')).rejects.toThrow(message)
    await expect(parseRecord(damage(text), 'r.jsonl')).rejects.toThrow(/^r\.jsonl: line/)
  })

  it('is distinguished from a plan', () => {
    expect(isRecord('{ "format": "wlanctl-record/7" }')).toBe(true)
    for (const text of ['', '{', '[]', '{"format":"wlanctl-plan/1"}'])
      expect(isRecord(text)).toBe(false)
  })
})

describe('a run', () => {
  it('without changes has a record', async () => {
    const { sink, text } = memorySink()
    const recorder = new RunRecorder(sink, recordFacts)
    const none: readonly PlannedChange[] = []
    await recorder.begin(none)
    await recorder.end([])
    expect(await parseRecord(text(), 'r')).toMatchObject([
      { changes: [], ended: expect.any(String) }
    ])
  })
})
