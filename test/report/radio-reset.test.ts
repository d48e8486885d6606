import { describe, expect, it, test } from 'vitest'
import { formats } from '../../src/report/formats.ts'
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

describe('a change that resets the radio', () => {
  it('is not among those without interruption', () => {
    const text = renderText({ kind: 'plan', plan }, plain)
    expect(text).toContain('Radio reset (1)\n  hq/guest ')
    expect(text).toContain('Reconnect: clients disconnect and reconnect (1)\n  hq/corp ')
    expect(text).not.toContain('No interruption')
  })

  test.each<[PlanReport['kind'], string]>([
    ['plan', 'Plan: 2 WLANs to change (1 reconnect with radio reset, 1 radio reset)'],
    [
      'drift',
      'Drift: 2 of 8 WLANs differ from the declaration (fixing causes 1 reconnect with radio reset, 1 radio reset)'
    ]
  ])('counts in the verdict of a %s', (kind, verdict) => {
    expect(renderText({ kind, plan }, plain).trimEnd().split('\n').at(-1)).toBe(verdict)
  })

  it('has an alert and a badge in Markdown', () => {
    const text = formats.markdown({ kind: 'plan', plan: planOf([reset]) }, plain)
    expect(text).toContain('**1 radio reset**: other WLANs of the access points drop for seconds')
    expect(text).toContain('🟡&nbsp;radio&nbsp;reset')
    expect(text).toContain('🟠')
  })

  it('has a title in the annotations of GitHub', () => {
    const text = formats.github({ kind: 'plan', plan: planOf([reset]) }, plain)
    expect(text).toContain('hq/guest%3A radio reset')
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
