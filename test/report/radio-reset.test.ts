import { describe, expect, it, test } from 'vitest'
import type { PlanReport } from '../../src/report/report.ts'
import { renderText } from '../../src/report/text/text.ts'
import { changeOf, plain, planOf } from './plans.ts'

const bands = { bands: [['5'], ['24', '5']] } as const
const reset = changeOf('hq/guest', undefined, bands, { resets_radio: true })
const both = changeOf(
  'hq/corp',
  'reconnect',
  { vlan_id: [20, 40], ...bands },
  { resets_radio: true }
)
const plan = planOf([reset, both])
const unwrapped = { ...plain, width: Number.POSITIVE_INFINITY }

describe('a change that resets the radio', () => {
  it('says so for each change', () => {
    const text = renderText({ kind: 'plan', plan }, plain)
    expect(text).toMatch(/hq\/guest .*\n {4}resets the radio: other WLANs of the access points/)
    expect(text).toMatch(/hq\/corp .*\n {4}clients reconnect\n {4}resets the radio: other WLANs/)
  })

  test.each<[PlanReport['kind'], string]>([
    ['plan', 'Plan: 2 WLANs to change (1 reconnect with radio reset, 1 radio reset)'],
    [
      'drift',
      'Drift: 2 of 8 WLANs differ from the declaration (fixing causes 1 reconnect with radio reset, 1 radio reset)'
    ]
  ])('counts in the verdict of a %s', (kind, verdict) => {
    expect(renderText({ kind, plan }, unwrapped).trimEnd().split('\n').at(-1)).toBe(verdict)
  })
})

describe('a change that stops casting and printing', () => {
  const note = 'casting and printing stop'
  const switched = (path: string, value: boolean) => [
    { op: 'test', path, value: !value },
    { op: 'replace', path, value }
  ]
  const textOf = (fields: Parameters<typeof changeOf>[2], rest: object = {}) => {
    const change = { ...changeOf('hq/guest', undefined, fields), ...rest }
    return renderText({ kind: 'plan', plan: planOf([change]) }, plain)
  }

  it('says so, though no client drops', () => {
    expect(textOf({}, { patch: switched('/bonjour/enabled', false) })).toContain(note)
    expect(textOf({ allow_mdns: [true, false] }, { context: { '/limit_bcast': true } })).toContain(
      note
    )
    expect(textOf({ allow_mdns: [true, false], limit_bcast: [false, true] })).toContain(note)
  })

  it('does not say so otherwise', () => {
    expect(textOf({ allow_mdns: [true, false] })).not.toContain(note)
    expect(textOf({}, { patch: switched('/bonjour/enabled', true) })).not.toContain(note)
  })
})
