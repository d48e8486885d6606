import { describe, expect, it } from 'vitest'
import type { Wave } from '../../src/core/model/desired.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { formats } from '../../src/report/formats.ts'
import { overviewOf } from '../../src/report/overview/overview-of.ts'
import { textOf } from '../../src/report/render/document.ts'
import { formatNames } from '../../src/report/report.ts'
import { changeOf, ended, plain, planOf } from './plans.ts'

const stores = Array.from({ length: 14 }, (_, at) => `store-${String(at + 1).padStart(2, '0')}`)

function planIn(...rollout: readonly Wave[]): Plan {
  const changes = rollout.flatMap(({ sites }) =>
    sites.map(site => changeOf(`${site}/guest`, undefined, { dtim: [1, 2] }))
  )
  return planOf(changes, { rollout })
}

const canary = { name: 'canary', sites: ['hq'] }
const three = planIn(
  canary,
  { name: 'none', sites: [] },
  { name: 'many', sites: stores },
  { sites: ['z'] }
)

/** The lines of a format about the rollout, found by one of these words. */
function said(
  plan: Plan,
  format: keyof typeof formats,
  width = 80,
  kind: 'plan' | 'drift' = 'plan'
) {
  const text = formats[format]({ kind, plan }, { ...plain, width })
  return text.split('\n').filter(line => /Rollout|wave|change.* (?:on|in) \d+ site/.test(line))
}

describe('the order of sites in a plan is rendered', () => {
  it('as text, with as many sites as fit', () => {
    expect(said(three, 'text').slice(0, 4)).toEqual([
      'Rollout: 3 waves, each checked before the next starts',
      '  canary  1 change on 1 site: hq',
      '  many    14 changes on 14 sites: store-01, store-02, store-03 and 11 more',
      '  rest    1 change on 1 site: z'
    ])
    for (const line of said(three, 'text', 40)) expect(line.length).toBeLessThanOrEqual(40)
  })

  it('as one sentence if one wave has all sites', () => {
    const plan = planIn({ name: 'canary', sites: [] }, { name: 'half', sites: stores })
    expect(said(plan, 'text')[0]).toBe('Rollout: all changes in wave half')
  })

  it('as data', () => {
    expect(JSON.parse(formats.json({ kind: 'plan', plan: three })).rollout).toEqual(three.rollout)
  })
})

describe('no order is rendered', () => {
  it.each(formatNames.filter(name => name !== 'json'))('without waves: %s', format => {
    const plan = planIn({ name: 'canary', sites: [] }, { sites: stores })
    const { rollout: _, ...without } = plan
    const manner = { ...plain, fleet: 'fleet' }
    for (const kind of ['plan', 'drift'] as const) {
      const report = formats[format]({ kind, plan }, manner)
      expect(report).toBe(formats[format]({ kind, plan: without }, manner))
    }
  })

  it.each(formatNames.filter(name => name !== 'json'))('for drift: %s', format => {
    expect(formats[format]({ kind: 'drift', plan: three }, plain)).not.toContain('canary')
  })
})

it('many waves with long names: a comment stays within its limit', () => {
  const name = '`|<!-- \u{1f4a5}'.repeat(400)
  const waves = Array.from({ length: 20 }, (_, at) => ({ name: at + name, sites: [at + name] }))
  const text = formats.markdown({ kind: 'plan', plan: planIn(...waves) }, plain)
  expect(new TextEncoder().encode(text).length).toBeLessThan(64_000)
})

describe('the result of a rollout', () => {
  const plan = planIn(canary, { name: 'many', sites: ['a', 'b'] }, { sites: ['z'] })
  const outcomes = [
    ended('a/guest', 'applied', { wave: 'many' }),
    ended('b/guest', 'failed', { wave: 'many' }),
    ended('hq/guest', 'applied', { wave: 'canary' }),
    ended('z/guest', 'skipped')
  ]
  const failedWave = 'wave many: b/guest failed'
  const report = { kind: 'outcomes', plan, outcomes, failedWave } as const

  it('is a line of text, and another one after a failure', () => {
    expect(formats.text(report, plain)).toContain(
      '\nRollout: canary: 1 applied; many: 1 applied, 1 failed; rest: 1 skipped\n' +
        'Failed: wave many: b/guest failed\nApply: '
    )
  })

  it('has the colour of a warning only if not all went well', () => {
    const inColour = { ...plain, colour: true }
    const applied = outcomes.filter(({ status }) => status === 'applied')
    const good = { kind: 'outcomes', plan, outcomes: applied } as const
    expect(formats.text(good, inColour)).toContain('\u001b[2mRollout: ')
    expect(formats.text(report, inColour)).toContain('\u001b[33mRollout: ')
  })

  it('is an alert and a line of Markdown', () => {
    const text = formats.markdown(report, plain)
    expect(text).toContain('### 🔴 ')
    expect(text).toContain('> [!CAUTION]\n> **The rollout stopped: wave many: b/guest failed**\n')
    expect(text).toContain(
      'Rollout: `canary`: 1 applied; `many`: 1 applied, 1 failed; rest: 1 skipped'
    )
  })

  it('is an annotation', () => {
    expect(formats.github(report, plain)).toContain(
      '::error title=Rollout::wave many: b/guest failed\n'
    )
  })

  it('says first that it stopped, and the skipped changes once', () => {
    const skipped = ['x/corp', 'y/guest'].map(address => ({
      ...ended(address, 'skipped'),
      reason: failedWave
    }))
    const stopped = { ...report, outcomes: [...outcomes.slice(0, 3), ...skipped] }
    const { first, changes } = overviewOf(stopped, {})
    expect(
      changes.filter(({ state }) => state === 'skipped').map(({ results }) => results)
    ).toEqual([[], []])
    expect(formats.text(stopped, plain).split(failedWave)).toHaveLength(2)
    expect(first.map(({ text, count }) => [textOf(text), count])).toEqual([
      ['The rollout stopped: wave many: b/guest failed', 0],
      ['guest was not changed at b', 1],
      ['2 changes were skipped at 2 sites', 2]
    ])
    const alone = overviewOf({ kind: 'outcomes', plan, outcomes: skipped }, {})
    expect(alone.first.map(({ text, effect = [] }) => [textOf(text), textOf(effect)])).toEqual([
      ['2 changes were skipped at 2 sites', 'wave many: b/guest failed']
    ])
    expect(alone.first[0]?.command).toBe('wlanctl plan --site x --site y')
  })

  it('has in a record the reason of skipped changes once', () => {
    const [started, problem] = ['2026-11-20T10:00:00.000Z', 'b/guest failed']
    const about = {
      id: 'a',
      command: 'apply',
      tool: 't',
      baseUrl: 'https://a.example',
      digest: 'd'
    }
    const changes = plan.changes.map((change, line) => {
      const outcome = { ...ended(change.address, 'skipped'), reason: failedWave }
      return { change, lostSecrets: [], outcome, at: started, timeline: [], line }
    })
    const run = { ...about, command: 'apply', started, ended: started, changes } as const
    const runs = [{ ...run, waves: [{ name: 'many', changes: 4, started, problem }] }]
    expect(formats.text({ kind: 'record', runs }, plain).split(problem)).toHaveLength(2)
  })

  it('begins with the danger that it left, and has the reason as a detail', () => {
    const close = changeOf('b/guest', 'outage', { 'auth.type': ['open', 'psk'] }, { ends: 'open' })
    const others = plan.changes.filter(({ address }) => address !== close.address)
    const left = { ...plan, changes: [...others, close] }
    const failed = { ...ended('b/guest', 'failed'), reason: 'the token cannot write' }
    const run = {
      kind: 'outcomes',
      plan: left,
      outcomes: [...outcomes.slice(2, 3), failed]
    } as const
    const { headline, first, changes } = overviewOf(run, {})
    expect(textOf(headline)).toBe(
      'guest is still open to anybody at b: 1 of 2 changes was not applied'
    )
    expect(formats.text(run, plain)).toContain(`\n${textOf(headline)}\nApply: `)
    expect(first[0]).toMatchObject({
      effect: ['the token cannot write'],
      command: 'wlanctl plan --wlan guest --site b'
    })
    expect(changes[0]?.effect).toBe(undefined)
  })

  it('counts the danger that it left with its failures, and has its sites first', () => {
    const open = changeOf('b/guest', 'outage', { 'auth.type': ['open', 'psk'] }, { ends: 'open' })
    const off = changeOf('c/guest', undefined, { enabled: [false, true] }, { ends: 'off' })
    const harmless = changeOf('a/guest', undefined, { dtim: [1, 2] })
    const changes = [harmless, off, open]
    const run = {
      kind: 'outcomes',
      plan: planOf(changes),
      outcomes: changes.map(({ address }) => ended(address, 'failed'))
    } as const
    const overview = overviewOf(run, {})
    expect(overview.states[0]).toEqual({
      state: 'failed',
      label: 'failed (1 still open, 1 still off)',
      count: 3
    })
    expect(overview.sites.map(({ name }) => name)).toEqual(['b', 'c', 'a'])
    expect(overview.changes.map(({ left }) => left)).toEqual(['open', 'off', undefined])
    expect(formats.html(run, plain)).toContain('guest failed, still open to anybody')
  })

  it.each([
    [{}, 'wave many: the check failed', 'The rollout stopped: 1 change applied and verified'],
    [{ sites_failed: 1 }, undefined, 'Incomplete: 1 site not read. 1 change applied and verified']
  ])('is not only good news if all was applied: %j, %s', (summary, failedWave, headline) => {
    const applied = {
      kind: 'outcomes' as const,
      plan: { ...plan, summary: { ...plan.summary, ...summary } },
      outcomes: [ended('hq/guest', 'applied')],
      ...(failedWave !== undefined && { failedWave })
    }
    const overview = overviewOf(applied, {})
    expect(textOf(overview.headline)).toBe(headline)
    expect(overview.tone).toBe(failedWave === undefined ? 'good' : 'bad')
  })

  it('is a member of the data', () => {
    expect(JSON.parse(formats.json(report))).toMatchObject({
      failed_wave: failedWave,
      outcomes: [{ wave: 'many' }, { wave: 'many' }, { wave: 'canary' }, { status: 'skipped' }]
    })
  })
})
