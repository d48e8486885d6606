import { expect, test } from 'vitest'
import { diff } from '../../src/core/diff/diff.ts'
import { overlayWlan } from '../../src/core/diff/overlay.ts'
import { effectsOf } from '../../src/core/plan/effects/effects.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { formats } from '../../src/report/formats.ts'
import type { PlanReport } from '../../src/report/report.ts'
import { record } from '../core/plan/support.ts'
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

function changeBy([, network, edit, , , exposed]: Row, kind: PlanReport['kind'], nth = 0) {
  const was = record(networks[network])
  const edited = overlayWlan(was, edit)
  const isDrift = kind === 'drift'
  const [declared, live] = isDrift ? [was, edited] : [edited, was]
  const { patch, secrets } = diff(declared, live, { secretsShown: () => true })
  const exposes = exposed === undefined ? {} : { exposes: [exposed] }
  const effects = effectsOf(patch, live, secrets, { isDrift, ...exposes })
  const wlan = { id: String(nth), ssid: String(live['ssid']) }
  return changeOf(`s${nth}/net`, undefined, {}, { wlan, patch, dangers: [], ...effects })
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
  const plan = planOf(harms.map((harm, nth) => changeBy(harm, 'plan', nth)).reverse())
  const order = formats.text({ kind: 'plan', plan }, plain).match(/^ {2}s\d+(?=\/net)/gm)
  expect(order).toEqual(harms.map((_, nth) => `  s${nth}`))
})
