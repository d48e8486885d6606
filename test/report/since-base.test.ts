import { describe, expect, it, test } from 'vitest'
import { finding } from '../../src/core/model/finding.ts'
import { formats } from '../../src/report/formats.ts'
import { overviewOf } from '../../src/report/overview/overview-of.ts'
import type { FormatName, PlanReport } from '../../src/report/report.ts'
import { changeOf, dangerous, env, live, plain, planOf } from './plans.ts'

const show = (format: FormatName, report: PlanReport) => formats[format](report, plain)

describe('the causes of a change', () => {
  const change = changeOf(
    'hq/guest',
    'reconnect',
    { 'auth.psk': [live(), env('PSK')], dtim: [1, 2], isolation: [false, true] },
    {
      causes: { '/auth/psk': 'drift', '/dtim': 'declaration', '/isolation': 'drift' },
      modified: '2026-11-20T08:00:00Z'
    }
  )

  test.each<FormatName>(['text', 'markdown', 'github', 'html'])('in %s', format => {
    const shown = show(format, { kind: 'plan', plan: planOf([change]) })
    for (const cause of ['changed in the files', 'drift, goes back', 'drift or a rotated secret'])
      expect(shown).toContain(cause)
  })

  it('in text, by field', () => {
    expect(show('text', { kind: 'plan', plan: planOf([change]) })).toContain(
      [
        '    changed in the files: dtim',
        '    drift or a rotated secret, goes back with this change: auth.psk',
        '    drift, goes back with this change: isolation'
      ].join('\n')
    )
  })

  it('distinguish changes of several sites', () => {
    const of = (site: string, cause: 'drift' | 'declaration') =>
      changeOf(`${site}/guest`, undefined, { dtim: [1, 2] }, { causes: { '/dtim': cause } })
    const plan = planOf([of('a', 'drift'), of('b', 'drift'), of('d', 'declaration')])
    const { changes } = overviewOf({ kind: 'plan', plan }, {})
    expect(changes.map(({ networks }) => networks.length)).toEqual([2, 1])
  })
})

describe('a removed declaration', () => {
  const place = { file: 'fleet/profiles.yaml', line: 3, column: 5, revision: 'origin/main' }
  const removed = ['a', 'b', 'c'].map(site =>
    finding('NO_LONGER_DECLARED', { address: `${site}/guest`, place }, 'origin/main', {
      field: '/vlan_id',
      live: '20'
    })
  )
  const report: PlanReport = { kind: 'plan', plan: planOf([], { findings: removed }) }

  test.each<FormatName>(['text', 'markdown', 'html'])(
    'is one entry in %s for the WLANs of a profile, at its location in the base',
    format => {
      const shown = show(format, report)
      expect(shown.match(/the live value 20 stays/g)).toHaveLength(1)
      expect(shown).toContain('origin/main:fleet/profiles.yaml:3:5')
    }
  )

  it('is a section of its own in Markdown', () => {
    const text = show('markdown', report)
    expect(text).toContain('<summary><b>No longer declared (3)</b></summary>')
    expect(text).not.toContain('<b>Findings')
  })

  it('is not annotated at a line of the checked out files for GitHub', () => {
    const annotations = show('github', report).match(/^::warning .*$/gm)
    expect(annotations).toHaveLength(1)
    expect(annotations?.[0]).not.toContain('file=')
  })
})

describe('drift', () => {
  const lobby = changeOf('a/lobby', 'outage', { ssid: ['old', 'lobby'] })
  const corp = changeOf('b/corp', 'reconnect', { 'auth.type': ['open', 'eap'], dtim: [1, 2] })
  const guest = changeOf(
    'c/guest',
    undefined,
    { ap_ids: [['x'], []], dtim: [1, 2], enabled: [false, true] },
    { modified: '2026-11-20T08:00:00Z' }
  )
  const dangers = [dangerous(corp, 'open', '/auth/type'), dangerous(guest, 'off', '/enabled')]
  const drift: PlanReport = { kind: 'drift', plan: planOf([lobby, ...dangers]) }
  const plan: PlanReport = { kind: 'plan', plan: planOf([lobby, corp, guest]) }

  it('has danger before impact, and a plan has not', () => {
    const keys = (report: PlanReport) => overviewOf(report, {}).changes.map(({ key }) => key)
    expect(keys(drift)).toEqual(['corp', 'guest', 'lobby'])
    expect(keys(plan)[0]).toBe('lobby')
    expect(overviewOf(drift, {}).sites.map(({ name }) => name)).toEqual(['b', 'c', 'a'])
    expect(show('markdown', drift)).toContain('is switched off')
    expect(show('text', plan)).not.toContain('switched off')
    expect(show('github', drift).match(/(?<=title=)[^:]*/g)).toEqual([
      'corp is open to anybody at b',
      'guest is switched off at c',
      'lobby has another name at a'
    ])
  })

  it('has the modification time of the live WLAN', () => {
    expect(show('text', drift)).toContain('changed 2 hours ago')
    for (const format of ['markdown', 'html'] as const)
      expect(show(format, drift)).toContain('last modified 2026-11-20 08:00:00 UTC')
    expect(show('text', plan)).not.toContain('ago')
  })
})
