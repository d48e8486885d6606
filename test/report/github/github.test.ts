import { describe, expect, it } from 'vitest'
import { type Finding, finding } from '../../../src/core/model/finding.ts'
import { formats } from '../../../src/report/formats.ts'
import type { Report } from '../../../src/report/report.ts'
import { CORP } from '../../support/ids.ts'
import { allAlike, allDifferent, cases } from '../markdown/cases.ts'
import { changeOf, ended, guest, plain, planOf } from '../plans.ts'
import { commandsIn } from './runner.ts'

/** As in a job, where lines do not wrap. */
const log = (report: Report, fleet = 'fleets/retail') =>
  formats.github(report, { ...plain, width: Number.POSITIVE_INFINITY, fleet })
const annotations = (text: string) =>
  commandsIn(text).filter(({ command }) => /^(?:error|warning|notice)$/.test(command))
const named = Object.entries<Report>({ ...cases, different: allDifferent, alike: allAlike })

it('a plan', () => {
  const unmanaged = [{ site: 'hq', id: CORP, ssid: 'IoT' }]
  const plan = planOf([guest], { unmanaged })
  expect(log({ kind: 'plan', plan })).toMatchInlineSnapshot(`
    "::group::Changes (1)
      hq/guest  sites/hq.yaml:12  "Visitors"
        clients stay out until they have the new key and join the new name
        auth.psk   (secret) changed, from WLAN_SECRET_GUEST_PSK
        dtim       (unset)    → 2
        hide_ssid  true       → false
        ssid       "Visitors" → "Guest"
        vlan_id    "20"       → 40
    ::endgroup::
    ::group::Unmanaged: live but not declared (1)
      hq  "IoT"  7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b01
    ::endgroup::
    ::warning file=sites/hq.yaml,line=12,col=3,title=Visitors changes at hq%3A clients stay out until they have the new key and join the new name::auth.psk: (secret) changed, from WLAN_SECRET_GUEST_PSK%0Adtim: (unset) → 2%0Ahide_ssid: true → false%0Assid: "Visitors" → "Guest"%0Avlan_id: "20" → 40
    8 WLANs on 3 sites: 1 changed, 7 unchanged, 0 blocked; 1 unmanaged; 3 requests
    digest sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    Plan: 1 WLAN to change (1 outage)
    "
  `)
})

it('the changes of a state are one fold, equal ones a block with all sites', () => {
  const text = log(allAlike)
  expect(text.match(/(?<=^::group::).*/gm)).toEqual(['Changes (3,000)'])
  expect(text).toContain('guest on 2,987 sites')
  expect(text).toContain('store-0001, store-0002,')
})

it('outcomes with failures', () => {
  const text = log(cases['outcomes with failures'])
  expect(text.slice(text.indexOf('::endgroup::'))).toMatchInlineSnapshot(`
    "::endgroup::
    ::group::Findings (1)
    fleet/sites/hq.yaml:30:3: error: no live WLAN has the SSID "Lobyb" [WLAN_NOT_FOUND]
      hq/lobby
      did you mean "Lobby"?
    ::endgroup::
    ::error file=sites/hq.yaml,line=12,col=3,title=hq/guest%3A diverged::accepted, but reading it back shows otherwise%0Aauth.psk: before (secret), wanted (secret from WLAN_SECRET_GUEST_PSK), found (secret)%0Avlan_id: before 20, wanted 40, found 20%0Adtim: before (unset), wanted 2, found (unset)
    ::error file=sites/store-bonn.yaml,line=12,col=3,title=store-bonn/staff%3A failed::PUT /api/v1/sites/4ac1dcf4…/wlans/7d6f1c5e…: 400: vlan_id: Must be small.
    ::error file=fleet/sites/hq.yaml,line=30,col=3,title=WLAN_NOT_FOUND::no live WLAN has the SSID "Lobyb"%0Adid you mean "Lobby"?%0Ahq/lobby
    ::warning file=sites/store-kiel.yaml,line=12,col=3,title=store-kiel/tills%3A skipped::wave canary: hq/guest is diverged
    Apply: 28 applied, 1 diverged, 1 failed, 1 skipped; not planned: 1 WLAN blocked
    "
  `)
})

describe.each(named)('%s', (_, report) => {
  const text = log(report)

  it('has folds that end before another begins', () => {
    const folds = commandsIn(text).flatMap(({ command }) =>
      command.endsWith('group') ? [command] : []
    )
    const pairs = folds.map((_, at) => (at % 2 === 0 ? 'group' : 'endgroup'))
    expect(folds).toEqual(pairs)
    expect(folds.length % 2).toBe(0)
  })

  it('has no more annotations than GitHub shows', () => {
    for (const level of ['error', 'warning', 'notice']) {
      const some = annotations(text).filter(({ command }) => command === level)
      expect(some.length).toBeLessThanOrEqual(10)
    }
  })

  it('ends with the verdict', () => {
    expect(text.trimEnd().split('\n').at(-1)).toMatch(
      /^(?:Incomplete: [^.]+\. )?(?:Plan|Drift|No changes|No drift|Apply|Nothing to change|Valid|\d+ errors?|\d+ runs?)/
    )
  })
})

describe('annotations', () => {
  it('are the worst of many, and the last one counts the rest', () => {
    const warnings = annotations(log(allDifferent)).filter(({ command }) => command === 'warning')
    expect(warnings.map(({ properties }) => properties['title'])).toEqual([
      ...[50, 100, 150, 200, 250, 300, 350, 400, 450].map(
        n =>
          `guest changes at store-${String(n).padStart(4, '0')}: clients stay out until they join the new name`
      ),
      '32 more warnings'
    ])
    expect(warnings.at(-1)?.properties).not.toHaveProperty('file')
  })

  it('are merged into one for all unavailable secrets', () => {
    const reason = 'the variable is not set'
    const unresolved = Array.from({ length: 30 }, (_, n) => {
      const unavailable = { secret: `WLAN_SECRET_${n}`, reason }
      return finding('SECRET_UNRESOLVED', { unavailable }, unavailable.secret, reason)
    })
    const refusals = [finding('SECRETS_MISSING', {}, 30)]
    const plan = planOf([], { findings: unresolved, refusals })
    const shown = annotations(log({ kind: 'plan', plan }))
    expect(shown.map(({ command, properties }) => [command, properties['title']])).toEqual([
      ['warning', 'SECRET_UNRESOLVED']
    ])
  })

  it('are exactly ten for ten findings', () => {
    const findings = Array.from({ length: 10 }, (_, n): Finding => {
      return { level: 'error', code: 'UNMANAGED', message: `finding ${n}` }
    })
    const errors = annotations(log({ kind: 'findings', findings }))
    expect(errors.map(({ message }) => message)).toEqual(findings.map(({ message }) => message))
  })

  it('are at the changed value, of a downgrade first', () => {
    const places = {
      '/vlan_id': { file: 'sites/hq.yaml', line: 14, column: 14 },
      '/isolation': { file: 'profiles.yaml', line: 3, column: 16 }
    }
    const edits = { isolation: [true, false], vlan_id: [20, 40] } as const
    const at = (more: object) =>
      annotations(
        log({ kind: 'plan', plan: planOf([changeOf('hq/guest', undefined, edits, more)]) })
      )[0]?.properties
    expect(at({ places })).toMatchObject({ file: 'profiles.yaml', line: '3', col: '16' })
    const weakens = { places, downgrades: ['/vlan_id'] }
    expect(at(weakens)).toMatchObject({ file: 'sites/hq.yaml', line: '14', col: '14' })
    expect(at({})).toMatchObject({ file: 'sites/hq.yaml', line: '12', col: '3' })
  })

  it('of drift are warnings', () => {
    const commands = annotations(log(cases.drift)).map(({ command }) => command)
    expect(commands).toEqual(['warning', 'warning'])
  })

  it('of a record are its pending changes', () => {
    const [only, ...others] = annotations(log(cases['a record of two runs']))
    expect(only).toMatchObject({
      command: 'error',
      properties: { title: 'store-kiel/tills: unknown' }
    })
    expect(others).toEqual([])
  })

  it('list the side effects of an update', () => {
    const about = { not_verifiable: ['/auth/psk'], side_effects: ['/limit_bcast'] }
    const outcomes = [ended('hq/guest', 'applied', about)]
    expect(annotations(log({ kind: 'outcomes', plan: planOf([guest]), outcomes }))).toMatchObject([
      { command: 'warning', message: 'also changed: limit_bcast\nnot verifiable: auth.psk' }
    ])
  })

  it('can be decoded to their original text', () => {
    const message = '100%0A, a:b'
    const place = { file: 'a,b:c%2C.yaml', line: 1, column: 2 }
    const findings: Finding[] = [{ level: 'error', code: 'UNMANAGED', message, place }]
    const [only] = annotations(log({ kind: 'plan', plan: planOf([], { findings }) }))
    expect(only?.message).toBe(message)
    expect(only?.properties).toMatchObject({ file: place.file, col: '2', title: 'UNMANAGED' })
  })

  it('are truncated on a long line', () => {
    const findings: Finding[] = [{ level: 'error', code: 'UNMANAGED', message: '😀'.repeat(999) }]
    const [only] = annotations(log({ kind: 'findings', findings }))
    expect(only?.message).toBe(`${'😀'.repeat(100)}…`)
  })
})
