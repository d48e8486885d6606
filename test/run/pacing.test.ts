import { describe, expect, it } from 'vitest'
import type { JudgePolicy } from '../../src/core/model/desired.ts'
import type { Judgement, Measurement } from '../../src/core/model/judgement.ts'
import type { PlannedWave } from '../../src/core/plan/rollout.ts'
import type { RunContext } from '../../src/run/context.ts'
import { type MetricsQuestion, pacingOf, type RolloutPacing } from '../../src/run/pacing.ts'
import type { Progress } from '../../src/run/record/progress.ts'
import type { RunStep } from '../../src/run/record/write.ts'

const JUDGE: JudgePolicy = {
  metrics: { clients: { worse: 'lower', by: 0.2, min: 1 } },
  after: 300,
  unknown: 'hold',
  dryRun: false
}

const sites = ['canary', 'rest'].map((wave, n) => ({ id: `S${n}`, name: `s${n}`, wave }))

const BEFORE: Measurement = {
  wave: 'canary',
  phase: 'before',
  of: '2026-10-24T09:00:00Z',
  sites: sites.map(({ id, name, wave }) => ({
    id,
    name,
    role: wave === 'canary' ? 'changed' : 'waiting',
    wlans: [],
    metrics: { clients: 10 }
  }))
}

const never = new AbortController().signal

/** The pacing of a canary that ended, and of the others, at a time that a test sets. */
async function paced(
  given: { soak?: number; judge?: JudgePolicy },
  ended: string,
  {
    judgement,
    answered,
    zones = ['Europe/Berlin', 'Europe/Berlin']
  }: { judgement?: Judgement; answered?: string; zones?: string[] } = {}
) {
  let now = ended
  const asked: MetricsQuestion[] = []
  const progress: Progress = {
    wave: 'canary',
    ended,
    before: BEFORE,
    ...(judgement && { judgement }),
    runs: [],
    declared: new Set(['s0', 's1']),
    changed: new Set()
  }
  const run: RunContext = {
    tool: 'wlanctl/test',
    now: () => new Date(now),
    interrupted: never,
    abortSignal: never,
    on: () => undefined
  }
  const input = {
    rollout: sites.map(({ wave, name }) => ({ name: wave, sites: [name] })),
    calendar: {
      windows: [],
      freezes: [],
      timezones: new Map(zones.map((zone, n) => [`s${n}`, zone]))
    },
    policy: { soak: 0, ...given },
    progress,
    ask: async (question: MetricsQuestion) => {
      asked.push(question)
      now = answered ?? now
      return new Map(question.sites.map(({ id }) => [id.toLowerCase(), { clients: 10 }]))
    }
  }
  const pacing: RolloutPacing = await pacingOf(input, run)
  return {
    pacing,
    asked,
    at(time: string) {
      now = time
      return pacing
    }
  }
}

it('a soak begins after the judgement of its wave, as in the record', async () => {
  const judge = { ...JUDGE, after: 0 }
  const answered = '2026-10-24T22:00:30Z'
  const { pacing } = await paced({ soak: 60, judge }, '2026-10-24T22:00:00Z', { answered })
  const changes = [{}] as unknown as PlannedWave['changes']
  const recorder = { record: () => undefined }
  await pacing.ends({ name: 'canary', sites: [], changes }, recorder)
  expect(untilOf(pacing.wait('rest'))).toBe('2026-10-24T22:01:30Z')
})

const untilOf = (gate: ReturnType<RolloutPacing['wait']>) =>
  gate && 'until' in gate ? gate.until : undefined

describe('a wave waits', () => {
  it.each<[what: string, ended: string, given: Parameters<typeof paced>[0], until: string]>([
    ['for the soak', '2026-10-24T22:00:00.500Z', { soak: 86_400 }, '2026-10-25T22:00:00Z'],
    ['for its judgement', '2026-10-24T22:00:00Z', { judge: JUDGE }, '2026-10-24T22:05:00Z'],
    [
      'for ten in summer',
      '2026-10-23T22:00:00Z',
      { judge: { ...JUDGE, at: '10:00' } },
      '2026-10-24T08:00:00Z'
    ],
    [
      'for ten after the clock went back',
      '2026-10-24T22:00:00Z',
      { judge: { ...JUDGE, at: '10:00' } },
      '2026-10-25T09:00:00Z'
    ],
    [
      'for ten after the clock went forward',
      '2027-03-27T22:00:00Z',
      { judge: { ...JUDGE, at: '10:00' } },
      '2027-03-28T08:00:00Z'
    ],
    [
      'for the first of two times',
      '2026-10-24T22:00:00Z',
      { judge: { ...JUDGE, at: '02:30' } },
      '2026-10-25T00:30:00Z'
    ],
    [
      'for a time that is skipped',
      '2027-03-27T22:00:00Z',
      { judge: { ...JUDGE, at: '02:30' } },
      '2027-03-28T01:30:00Z'
    ],
    [
      'for tomorrow, if `after` is beyond today',
      '2026-11-24T08:59:00Z',
      { judge: { ...JUDGE, at: '10:00' } },
      '2026-11-25T09:00:00Z'
    ]
  ])('%s', async (_what, ended, given, until) => {
    const { pacing, at } = await paced(given, ended)
    expect(untilOf(pacing.wait('rest'))).toBe(until)
    const due = Date.parse(until) + (ended.endsWith('.500Z') ? 500 : 0)
    expect(at(new Date(due - 1).toISOString()).wait('rest')).toBeDefined()
    expect(at(new Date(due).toISOString()).wait('rest')).toBeUndefined()
  })

  it('for ten in every time zone', async () => {
    const zones = ['America/New_York', 'Europe/Berlin']
    const { pacing } = await paced({ judge: { ...JUDGE, at: '10:00' } }, '2026-11-24T01:00:00Z', {
      zones
    })
    expect(untilOf(pacing.wait('rest'))).toBe('2026-11-24T15:00:00Z')
  })

  it('also after the clock moved back', async () => {
    const { at } = await paced({ soak: 3600 }, '2026-11-24T10:00:00Z')
    expect(untilOf(at('2026-11-20T00:00:00Z').wait('rest'))).toBe('2026-11-24T11:00:00Z')
  })

  it('and the waves before it do not', async () => {
    const { pacing } = await paced({ soak: 3600, judge: JUDGE }, '2026-11-24T10:00:00Z')
    expect(pacing.wait('canary')).toBeUndefined()
  })

  it.each<[unknown: JudgePolicy['unknown'], until: string | undefined]>([
    ['hold', '2026-11-24T10:15:00Z'],
    ['continue', undefined]
  ])('after a wave that was not judged: %s', async (unknown, until) => {
    const judgement = {
      wave: 'canary',
      at: '2026-11-24T10:10:00.000Z',
      result: 'not_judged' as const,
      metrics: {},
      reason: 'no answer'
    }
    const { at } = await paced({ judge: { ...JUDGE, unknown } }, '2026-11-24T10:00:00Z', {
      judgement
    })
    expect(untilOf(at('2026-11-24T10:10:01Z').wait('rest'))).toBe(until)
  })
})

describe('a wave of which an earlier run changed a part', () => {
  it('is compared with what that run measured', async () => {
    const { at, asked } = await paced({ judge: JUDGE }, '2026-11-24T10:00:00Z')
    const recorded: RunStep[] = []
    const recorder = { record: (step: RunStep) => recorded.push(step) }
    await at('2026-11-24T12:00:00Z').begins(
      { name: 'canary', sites: [], changes: [] },
      [],
      recorder
    )
    expect({ asked, recorded }).toEqual({ asked: [], recorded: [{ step: 'measured', ...BEFORE }] })
  })
})
