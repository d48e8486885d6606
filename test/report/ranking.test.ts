import { expect, test } from 'vitest'
import { diff } from '../../src/core/diff/diff.ts'
import { overlayWlan } from '../../src/core/diff/overlay.ts'
import type { EstateState } from '../../src/core/model/estate-diff.ts'
import { effectsOf } from '../../src/core/plan/effects/effects.ts'
import { diffOf } from '../../src/core/plan/estate-diff.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import { isObject, type ValueObject } from '../../src/core/values/value.ts'
import { diffFormats } from '../../src/report/estate-diff.ts'
import { formats } from '../../src/report/formats.ts'
import { dangerWords } from '../../src/report/overview/danger-words.ts'
import type { PlanReport } from '../../src/report/report.ts'
import { live, nth, record } from '../core/plan/support.ts'
import { readTable } from '../core/table.ts'
import { pageText } from '../support/page-text.ts'
import { changeOf, plain, planOf } from './plans.ts'

const usual = { ssid: 'Net', enabled: true, apply_to: 'site' }
const psk = { type: 'psk', psk: 'a-key-of-things' }
const networks = {
  guest: {
    ...usual,
    auth: { type: 'open' },
    portal: { enabled: true, auth: 'none' },
    portal_allowed_subnets: [],
    schedule: { enabled: false },
    dns_server_rewrite: { enabled: false },
    isolation: true,
    vlan_enabled: true,
    vlan_id: 40
  },
  things: { ...usual, auth: psk, bands: ['24'] },
  staff: { ...usual, auth: { ...psk, pairwise: ['wpa2-ccmp', 'wpa3'] } },
  corp: { ...usual, auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.5' }] }
}

type Row = readonly [
  what: string,
  network: keyof typeof networks,
  edit: ValueObject,
  inPlan: string,
  inDrift: string,
  exposed?: Pointer
]

const harms = readTable<readonly Row[]>('ranking.txt', import.meta.url)

function changeBy([, network, edit, , , exposed]: Row, kind: PlanReport['kind'], index = 0) {
  const was = record(networks[network])
  const after = overlayWlan(was, edit)
  const isDrift = kind === 'drift'
  const [declared, current] = isDrift ? [was, after] : [after, was]
  const { patch, secrets } = diff(declared, current, { secretsShown: () => true })
  const exposes = exposed === undefined ? {} : { exposes: [exposed] }
  const effects = effectsOf(patch, current, secrets, { isDrift, ...exposes })
  const wlan = { id: String(index), ssid: String(current['ssid']) }
  return changeOf(`s${index}/net`, undefined, {}, { wlan, patch, dangers: [], ...effects })
}

test.each(
  harms.flatMap(harm => [
    [
      `${harm[0]} takes the headline of a plan`,
      harm,
      'plan',
      `The changes ${harm[3]} at s0`
    ] as const,
    [`${harm[0]} takes the headline of a drift report`, harm, 'drift', `s0 ${harm[4]}`] as const
  ])
)('%s', (_, harm, kind, headline) => {
  const report: PlanReport = { kind, plan: planOf([changeBy(harm, kind)]) }
  expect(formats.text(report, { ...plain, width: 200 })).toContain(`\n${headline}\n`)
  const [, title] = formats.markdown(report, plain).replaceAll('`', '').split('\n')
  expect([`### 🔴 ${headline}`, `### 🟠 ${headline}`]).toContain(title)
  expect(pageText(formats.html(report, plain))).toContain(`\n${headline}\n`)
})

test('the worst change comes first', () => {
  const plan = planOf(harms.map((harm, index) => changeBy(harm, 'plan', index)).reverse())
  const order = formats.text({ kind: 'plan', plan }, plain).match(/^ {2}s\d+(?=\/net)/gm)
  expect(order).toEqual(harms.map((_, index) => `  s${index}`))
})

/** The states before and after the edits of the harms, each at a site of its own with a network of staff in VLAN 30. */
function diffOfHarms(all: readonly Row[]) {
  const staff = live({ ...networks.staff, ssid: 'Staff', vlan_enabled: true, vlan_id: 30 }, nth(2))
  const stateOf = (recordOf: (harm: Row) => object, created: string): EstateState => ({
    name: created,
    created,
    sites: all.map((harm, index) => ({
      site: { id: nth(10 + index), name: `s${index}` },
      wlans: [live(recordOf(harm)), staff]
    })),
    unread: [],
    isWhole: true
  })
  const before = stateOf(([, network]) => networks[network], '2026-11-20T10:00:00Z')
  return { ...diffOf(before, stateOf(edited, '2026-11-21T10:00:00Z'), 0), rules: [] }
}

/** The members of the edit over those of the network. */
function edited([, network, edit]: Row): object {
  const before: object = networks[network]
  const over = Object.entries(edit).map(([name, value]) => {
    const old: unknown = Object.entries(before).find(([member]) => member === name)?.[1]
    return [name, isObject(value) ? Object.assign({}, old, value) : value]
  })
  return { ...before, ...Object.fromEntries(over) }
}

// A diff compares no values of secrets.
const shown = harms.filter(([what]) => what !== 'another key')

test.each(shown.map(harm => [harm[0], harm] as const))(
  '%s takes the headline of a diff',
  (_, harm) => {
    const text = diffFormats.text(diffOfHarms([harm]), { ...plain, width: 200 })
    const kind = changeBy(harm, 'plan').dangers?.[0]?.kind
    expect(kind).toBeDefined()
    expect(text).toMatch(
      new RegExp(`\n(?:Net|Other)${kind && dangerWords[kind].verbs.diff} at s0\n`)
    )
  }
)

test('the worst edit comes first in a diff', () => {
  const text = diffFormats.text(diffOfHarms(shown), plain)
  const order = text.match(/^ {2}s\d+(?=\/)/gm)
  expect(order).toEqual(shown.map((_, index) => `  s${index}`))
})
