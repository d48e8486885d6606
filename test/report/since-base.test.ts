import { describe, expect, it, test } from 'vitest'
import { finding } from '../../src/core/model/finding.ts'
import type { Change } from '../../src/core/model/plan.ts'
import { formats } from '../../src/report/formats.ts'
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
  const without = { ...change, causes: undefined } as unknown as Change

  test.each<FormatName>(['text', 'markdown', 'github'])('in %s', format => {
    const shown = show(format, { kind: 'plan', plan: planOf([change]) })
    expect(shown).toMatch(/changed in the files|dtim.*changed in the files/)
    expect(shown).toContain('drift, goes back with this change')
    expect(shown).toContain('drift or a rotated secret, goes back with this change')
    expect(show(format, { kind: 'plan', plan: planOf([without]) })).not.toContain('goes back with')
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

  it('in the details of the page, and in JSON', () => {
    const page = show('html', { kind: 'plan', plan: planOf([change]) })
    const network = /<article.*<\/article>/.exec(page)?.[0]
    expect(network).toContain('drift, goes back with this change')
    expect(network).toContain('last modified 2026-11-20 08:00:00 UTC')
    const json = JSON.parse(show('json', { kind: 'plan', plan: planOf([change]) }))
    expect(json.changes[0].causes).toEqual(change.causes)
  })

  it('distinguish changes of several sites', () => {
    const of = (site: string, cause: 'drift' | 'declaration') =>
      changeOf(`${site}/guest`, undefined, { dtim: [1, 2] }, { causes: { '/dtim': cause } })
    const equal = ['a', 'b', 'c'].map(site => of(site, 'drift'))
    const plan = planOf([...equal, of('d', 'declaration')])
    const shown = show('text', { kind: 'plan', plan })
    expect(shown).toContain('guest on 3 sites')
    expect(shown).toContain('d/guest')
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

  test.each<FormatName>(['text', 'markdown', 'github', 'html', 'json'])(
    'is listed in %s, at its location in the base',
    format => {
      const shown = show(format, report)
      expect(shown).toContain('the live value 20 stays')
      expect(shown).toContain(
        format === 'json' ? '"revision": "origin/main"' : 'origin/main:fleet/profiles.yaml:3:5'
      )
    }
  )

  it('is one entry for the WLANs of a profile', () => {
    for (const format of ['text', 'markdown', 'html'] as const) {
      expect(show(format, report).match(/the live value 20 stays/g)).toHaveLength(1)
    }
  })

  it('is a section of its own in Markdown', () => {
    const text = show('markdown', report)
    expect(text).toContain('#### No longer declared')
    expect(text).not.toContain('#### Findings')
  })

  it('is not annotated at a line of the checked out files for GitHub', () => {
    const annotations = show('github', report).match(/^::warning .*$/gm)
    expect(annotations).toHaveLength(1)
    expect(annotations?.[0]).not.toContain('file=')
  })
})

describe('drift', () => {
  const impactOnly = changeOf('a/lobby', 'outage', { ssid: ['old', 'lobby'] })
  const open = changeOf('b/corp', 'reconnect', { 'auth.type': ['open', 'eap'], dtim: [1, 2] })
  const off = changeOf(
    'c/guest',
    undefined,
    { ap_ids: [['x'], []], dtim: [1, 2], enabled: [false, true] },
    { modified: '2026-11-20T08:00:00Z' }
  )
  const plan = planOf([impactOnly, open, off])
  const drifted = planOf([
    impactOnly,
    dangerous(open, 'open', '/auth/type'),
    dangerous(off, 'off', '/enabled')
  ])
  const drift: PlanReport = { kind: 'drift', plan: drifted }

  /** The order in which a text first names the WLANs. */
  const order = (shown: string) =>
    ['lobby', 'corp', 'guest'].sort((a, b) => shown.indexOf(a) - shown.indexOf(b))

  test.each<FormatName>(['text', 'markdown'])('in %s: danger before impact', format => {
    expect(order(show(format, drift))).toEqual(['guest', 'corp', 'lobby'])
    expect(order(show(format, { kind: 'plan', plan }))[0]).toBe('lobby')
    expect(show(format, drift)).toMatch(/is switched off|no access point sends/)
    expect(show(format, { kind: 'plan', plan })).not.toContain('switched off')
  })

  it('in annotations of GitHub, too', () => {
    const titles = show('github', drift).match(/(?<=title=)[^:]*/g)
    expect(titles).toEqual([
      'guest is switched off at c',
      'corp is open%3A it needs no key or login at b',
      'lobby has another name at a'
    ])
  })

  it('as the first site of the page', () => {
    const sites = (report: PlanReport) =>
      /<ul class="rows">.*/.exec(show('html', report))?.[0] ?? ''
    expect(order(sites(drift))).toEqual(['guest', 'corp', 'lobby'])
  })

  it('has the modification time of the live WLAN', () => {
    expect(show('text', drift)).toContain('changed 2 hours ago')
    expect(show('markdown', drift)).toContain('last modified 2026-11-20 08:00:00 UTC')
    expect(show('text', { kind: 'plan', plan })).not.toContain('ago')
  })
})
