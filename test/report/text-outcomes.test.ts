import { describe, expect, it } from 'vitest'
import { type Outcome, statuses } from '../../src/core/model/outcome.ts'
import type { PlanSummary } from '../../src/core/model/plan.ts'
import type { RenderOptions } from '../../src/report/report.ts'
import { renderText } from '../../src/report/text/text.ts'
import { ended, env, live, plain, planOf, tagged } from './plans.ts'

function text(
  outcomes: readonly Outcome[],
  summary: Partial<PlanSummary> = {},
  options: RenderOptions = plain
): string {
  return renderText({ kind: 'outcomes', plan: planOf([], { summary }), outcomes }, options)
}

const path =
  '/api/v1/sites/4ac1dcf4-9d8b-4211-95c4-057819f0862b/wlans/7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b01'
const aps = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

const all: readonly Outcome[] = [
  ended('hq/corp', 'applied'),
  ended('hq/guest', 'diverged', {
    reason: 'accepted, but reading it back shows otherwise',
    fields: [
      { pointer: '/auth/psk', before: live(), wanted: env('GUEST_PSK'), found: live() },
      { pointer: '/vlan_id', before: 20, wanted: 40, found: 20 },
      { pointer: '/dtim', wanted: 2 },
      { pointer: '/ap_ids', before: aps, wanted: [], found: aps }
    ]
  }),
  ended('hq/lobby', 'applied', {
    side_effects: ['/allow_mdns', '/limit_bcast'],
    not_verifiable: ['/auth/psk']
  }),
  ended('store-bonn/staff', 'failed', { reason: `PUT ${path}: 400: vlan_id: Must be small.` }),
  ended('store-bonn/tills', 'skipped', {
    reason: 'wave canary: hq/guest is diverged'
  }),
  ended('store-kiel/staff', 'stale', {
    reason: 'it is no longer as it was when the plan was made',
    fields: [{ pointer: '/vlan_id', before: 20, wanted: 21, found: 99 }]
  }),
  ended('store-kiel/tills', 'unchanged'),
  ended('store-kiel/voice', 'unknown', { reason: `PUT ${path}: no complete answer within 30 s` })
]

it('at 80 columns', () => {
  expect(text(all)).toMatchInlineSnapshot(`
    "unknown    voice at store-kiel  PUT /api/v1/sites/4ac1dcf4…/wlans/7d6f1c5e…: no
                                    complete answer within 30 s
    diverged   guest at hq          accepted, but reading it back shows otherwise
                                    auth.psk: before (secret), wanted (secret from
                                    WLAN_SECRET_GUEST_PSK), found (secret)
                                    vlan_id: before 20, wanted 40, found 20
                                    dtim: before (unset), wanted 2, found (unset)
                                    ap_ids: before
                                    ["00000000-0000-4000-8000-000000000001",
                                    "00000000-0000-4000-8000-000000000002"], wanted
                                    [], found
                                    ["00000000-0000-4000-8000-000000000001",
                                    "00000000-0000-4000-8000-000000000002"]
    failed     staff at store-bonn  PUT /api/v1/sites/4ac1dcf4…/wlans/7d6f1c5e…:
                                    400: vlan_id: Must be small.
    stale      staff at store-kiel  it is no longer as it was when the plan was made
                                    vlan_id: before 20, wanted 21, found 99
    skipped    tills at store-bonn  wave canary: hq/guest is diverged
    applied    corp at hq
    applied    lobby at hq          also changed: allow_mdns, limit_bcast
                                    not verifiable: auth.psk
    unchanged  tills at store-kiel

    Apply: 2 applied, 1 unchanged, 1 diverged, 1 stale, 1 failed, 1 skipped, 1
    unknown
    "
  `)
})

it('with colour', () => {
  const colourful = text(all, { blocked: 1, sites_failed: 2 }, { colour: true, width: 200 })
  const [first, ...lines] = tagged(colourful).trimEnd().split('\n')
  expect(first).toMatch(/^<red>unknown<\/> {4}/)
  for (const status of ['<yellow>stale</>', '<green>applied</>'])
    expect(lines.some(line => line.startsWith(status))).toBe(true)
  expect(lines.slice(-1)).toEqual([
    '<b>Apply:</b> 2 applied, 1 unchanged, <red>1 diverged</>, 1 stale, <red>1 failed</>, 1 skipped, <red>1 unknown</>; not planned: 1 WLAN blocked, 2 sites not read'
  ])
})

describe('the summary', () => {
  const wide = { ...plain, width: 200 }
  const last = (report: string) => report.trimEnd().split('\n').at(-1)

  it('lists every status, in a fixed order', () => {
    const outcomes = statuses.map((status, n) => ended(`hq/${n}`, status))
    expect(last(text(outcomes.toReversed(), {}, wide))).toBe(
      'Apply: 1 applied, 1 unchanged, 1 diverged, 1 stale, 1 failed, 1 skipped, 1 deferred, 1 unknown'
    )
  })

  it('lists the WLANs that could not be planned', () => {
    expect(last(text(all.slice(0, 1), { blocked: 2, sites_failed: 1 }))).toBe(
      'Apply: 1 applied; not planned: 2 WLANs blocked, 1 site not read'
    )
  })

  it('says that nothing had to change', () => {
    expect(text([])).toBe('No changes: all 8 WLANs are as declared\n')
    expect(text([], { unchanged: 7, blocked: 1 })).toBe(
      'No changes among the other 7 WLANs; not planned: 1 WLAN blocked\n'
    )
  })
})

it('prints no workflow command from a multi-line reason', () => {
  const reason = `${'a'.repeat(60)} ::error::${'b'.repeat(30)} ::stop`
  expect(text([ended('hq/guest', 'failed', { reason })])).not.toMatch(/^\s*::/m)
})

describe('equal outcomes of one WLAN key', () => {
  const sites = ['aachen', 'bonn', 'celle', 'dessau', 'emden']
  const many = sites.flatMap(site => [
    ended(`${site}/corp`, 'applied'),
    ended(`${site}/guest`, 'failed', {
      reason: `PUT ${path}: 400: ${site === 'bonn' ? 'no' : 'bad'}`
    })
  ])

  it('are merged, the worst first, with all sites that need attention', () => {
    expect(text(many)).toMatchInlineSnapshot(`
      "failed   guest at 4 sites: aachen,      PUT /api/v1/sites/…/wlans/…: 400: bad
               celle, dessau, emden
      failed   guest at bonn                  PUT
                                              /api/v1/sites/4ac1dcf4…/wlans/7d6f1c5e…:
                                              400: no
      applied  corp at 5 sites: aachen,
               bonn, celle and 2 more

      Apply: 5 applied, 5 failed
      "
    `)
  })

  it('are listed with all sites with --verbose', () => {
    const shown = text(many, {}, { ...plain, width: 200, verbose: true })
    expect(shown).toContain('applied  corp at 5 sites: aachen, bonn, celle, dessau, emden\n')
  })

  it('list at most 100 sites without --verbose', () => {
    const failed = Array.from({ length: 120 }, (_, n) => ended(`s${n}/corp`, 'failed'))
    expect(text(failed)).toContain('and 20 more')
    expect(text(failed, {}, { ...plain, verbose: true })).not.toContain('more')
  })
})
