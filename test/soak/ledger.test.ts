import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { GRACE, judge, leaves, lostEdits, type Write, type Writer } from './ledger.ts'

const address = 'hq/guest'
const before: JsonObject = { vlan_id: 10, auth: { psk: 'former', owe: 'disabled' } }
const declared: JsonObject = { vlan_id: 20, auth: { owe: 'enabled' } }
const applied: JsonObject = { vlan_id: 20, auth: { psk: 'former', owe: 'enabled' } }
const PLANNED = 1_000

/** The writes of the steps, each by a run or by hand, with the record that it leaves. */
function written(...steps: readonly (readonly [by: string, at: number, after: JsonObject])[]) {
  let last = before
  return steps.map(([by, at, after]): Write => {
    const write = { wlan: 'w1', by, at, before: last, after, body: after }
    last = after
    return write
  })
}

function run(status: string): Writer {
  const outcomes = [{ address, status }]
  const fields = leaves(declared)
  const plannedAt = () => PLANNED
  return { token: 'a', declared: new Map([['w1', { address, fields }]]), plannedAt, outcomes }
}

const kindsOf = (writes: readonly Write[], writer: Writer) =>
  judge(writes, writer).map(({ kind }) => kind)

const psk = (record: JsonObject, value: string): JsonObject => ({
  ...record,
  auth: { ...(record['auth'] as JsonObject), psk: value }
})
const [soon, late] = [PLANNED + GRACE, PLANNED + GRACE + 10]
const apply = ['a', late, applied] as const
const rotate = ['hand', PLANNED + 1, psk(before, 'rotated')] as const
const rotated = psk(applied, 'rotated')
/** An edit by hand of the declared VLAN. */
const edit = (at: number) => ['hand', at, { ...before, vlan_id: 11 }] as const

describe('the ledger finds no fault in', () => {
  it.each<[string, Writer, Write[]]>([
    ['a change', run('applied'), written(apply)],
    ['a change that was not sent', run('skipped'), []],
    ['an edit that is kept', run('applied'), written(rotate, ['a', late, rotated])],
    ['a young edit that is lost', run('applied'), written(rotate, ['a', soon, applied])],
    ['an edit before the plan', run('applied'), written(edit(PLANNED - 1), apply)],
    ['an edited field', run('stale'), written(edit(late))],
    ['an edit of the declared value', run('unchanged'), written(['hand', late, applied])],
    ['an edit before the read-back', run('diverged'), written(apply, edit(late + 1))],
    [
      'an edit that was undone before the update',
      run('applied'),
      written(edit(PLANNED), ['hand', PLANNED + 1, before], ['a', late + 1, applied])
    ]
  ])('%s', (_, writer, writes) => {
    expect(judge(writes, writer)).toEqual([])
  })
})

describe('the ledger finds', () => {
  it.each<[string, status: string, Write[], string[]]>([
    ['applied, not sent', 'applied', [], ['false applied']],
    ['a part', 'applied', written(['a', late, { ...before, vlan_id: 20 }]), ['false applied']],
    [
      'put back',
      'applied',
      written(apply, ['a', late + 1, before]),
      ['collateral', 'false applied']
    ],
    ['failed, written', 'failed', written(apply), ['false failed, skipped']],
    ['skipped, written', 'skipped', written(apply), ['false failed, skipped']],
    ['unchanged, written', 'unchanged', written(apply), ['other false']],
    ['unchanged, not as declared', 'unchanged', [], ['other false']],
    ['stale, not edited', 'stale', written(rotate), ['other false']],
    ['diverged, not edited', 'diverged', written(apply), ['other false']],
    ['an edit beside', 'applied', written(rotate, ['a', late + 1, applied]), ['overwritten']],
    ['an edit overwritten', 'applied', written(edit(PLANNED), apply), ['overwritten']],
    ['another field', 'applied', written(['a', late, { ...applied, dtim: 3 }]), ['collateral']],
    ['another value', 'unknown', written(['a', late, { ...applied, vlan_id: 66 }]), ['collateral']],
    [
      'an update stored twice',
      'applied',
      written(apply, ['hand', late + 1, before], ['a', late + 2, applied]),
      ['stored twice']
    ]
  ])('%s', (_, status, writes, kinds) => {
    expect([...new Set(kindsOf(writes, run(status)))]).toEqual(kinds)
  })

  it('a write to a WLAN of no declaration', () => {
    const [write] = written(apply)
    const other = { ...write, wlan: 'w2' } as Write
    expect(kindsOf([other], run('skipped'))).toEqual(['collateral'])
  })

  it('the number of young edits that are lost', () => {
    expect(lostEdits(written(rotate, ['a', soon, applied]), run('applied'))).toBe(1)
  })
})
