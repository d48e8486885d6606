import { describe, expect, it } from 'vitest'
import type { MetricLimit } from '../../../src/core/model/desired.ts'
import { judge, type SiteCounts } from '../../../src/core/plan/judge.ts'

const LOWER: MetricLimit = { worse: 'lower', by: 0.2, min: 150 }

type Pair = readonly [before: number | undefined, after: number | undefined]

function sites(changed: readonly Pair[], waiting: readonly Pair[]): SiteCounts[] {
  const of = (isChanged: boolean) => (pair: Pair) => {
    const [before, after] = pair
    return { changed: isChanged, before, after }
  }
  return [...changed.map(of(true)), ...waiting.map(of(false))]
}

/** Sites of 50 clients whose counts vary by a few; the counts after are `ratio` times those before. */
function shops(count: number, ratio: number): Pair[] {
  return Array.from({ length: count }, (_, at): Pair => {
    const before = 50 + ((at * 7) % 11) - 5
    return [before, Math.round((before + ((at * 5) % 7) - 3) * ratio)]
  })
}

describe('judge', () => {
  const waiting = shops(32, 0.69)
  it.each<[what: string, given: SiteCounts[], limit: MetricLimit, result: string, reason?: string]>(
    [
      ['fewer clients than at the others', sites(shops(8, 0.42), waiting), LOWER, 'worse'],
      ['an evening that empties all shops', sites(shops(8, 0.69), waiting), LOWER, 'good'],
      ['more clients than at the others', sites(shops(8, 0.9), waiting), LOWER, 'good'],
      ['no client left', sites(shops(8, 0), waiting), LOWER, 'worse'],
      [
        'no client left anywhere',
        sites(shops(8, 0), shops(32, 0)),
        LOWER,
        'not_judged',
        'the difference may be chance'
      ],
      [
        'a loss almost as large as the limit',
        sites(shops(8, 0.56), waiting),
        LOWER,
        'not_judged',
        'the difference may be chance'
      ],
      ['a loss a little larger than the limit', sites(shops(8, 0.54), waiting), LOWER, 'worse'],
      [
        'a loss that few sites cannot show',
        sites(
          [[100, 60]],
          [
            [80, 78],
            [120, 115]
          ]
        ),
        { ...LOWER, min: 100 },
        'not_judged',
        'the difference may be chance'
      ],
      ['a single canary', sites([[400, 150]], waiting), LOWER, 'worse'],
      ['a single canary, and nothing happened', sites([[400, 280]], waiting), LOWER, 'good'],
      [
        'one changed and one waiting site',
        sites([[400, 100]], [[400, 400]]),
        LOWER,
        'not_judged',
        'so few sites do not show how much they differ by chance'
      ],
      [
        'too few clients at the changed sites',
        sites(
          [
            [100, 10],
            [49, 5]
          ],
          waiting
        ),
        LOWER,
        'not_judged',
        '149 before at 2 changed sites, fewer than 150'
      ],
      [
        'too few clients at the others',
        sites(shops(8, 0.1), shops(2, 1)),
        LOWER,
        'not_judged',
        '97 before at 2 waiting sites, fewer than 150'
      ],
      [
        'no control group',
        sites(shops(40, 0.1), []),
        LOWER,
        'not_judged',
        'there is no waiting site to compare with'
      ],
      [
        'no changed site',
        sites([], waiting),
        LOWER,
        'not_judged',
        'there is no changed site to compare with'
      ],
      [
        'no answer',
        sites(
          shops(8, 1).map(([before]) => [before, undefined]),
          waiting
        ),
        LOWER,
        'not_judged',
        'none of 8 changed sites answered twice'
      ],
      [
        'sites that differ too much',
        sites(
          [
            [50, 5],
            [50, 95],
            [50, 10],
            [50, 90]
          ],
          [
            [50, 2],
            [50, 98],
            [50, 80]
          ]
        ),
        { ...LOWER, min: 100 },
        'not_judged',
        'the difference may be chance'
      ],
      [
        'more failures than at the others',
        sites(shops(8, 2), shops(32, 1)),
        { ...LOWER, worse: 'higher' },
        'worse'
      ],
      [
        'as many failures as at the others',
        sites(shops(8, 1), shops(32, 1)),
        { ...LOWER, worse: 'higher' },
        'good'
      ],
      [
        'fewer failures than at the others',
        sites(shops(8, 0.5), shops(32, 1)),
        { ...LOWER, worse: 'higher' },
        'good'
      ]
    ]
  )('%s', (_what, given, limit, result, reason) => {
    const { changed: _, waiting: __, confidence, ...verdict } = judge(given, limit)
    expect(verdict).toEqual({ result, ...(reason !== undefined && { reason }) })
    if (result !== 'not_judged') expect(confidence).toBeGreaterThanOrEqual(0.95)
  })

  it('counts sites without an answer, and takes them for neither full nor empty', () => {
    const counted = judge(sites(shops(8, 1), shops(32, 1)), LOWER)
    const silent: Pair[] = [
      [undefined, undefined],
      [200, undefined],
      [undefined, 0]
    ]
    const verdict = judge(
      sites([...shops(8, 1), ...silent], [...shops(32, 1), [90, undefined]]),
      LOWER
    )
    expect(verdict).toEqual({
      ...counted,
      changed: { ...counted.changed, sites: 8, unanswered: 3 },
      waiting: { ...counted.waiting, sites: 32, unanswered: 1 }
    })
  })

  it('finds no confidence in sites that have no clients at all', () => {
    const closed: Pair[] = Array.from({ length: 30 }, () => [0, 0])
    const open: Pair[] = [
      [200, 150],
      [200, 190]
    ]
    const alone = judge(sites(open, open), LOWER)
    const { confidence } = judge(sites([...open, ...closed], [...open, ...closed]), LOWER)
    expect(confidence).toBe(alone.confidence)
  })

  /** Computed independently, with the density of the distribution integrated numerically. */
  it.each<[result: string, changed: Pair[], waiting: Pair[], confidence: number]>([
    [
      'worse',
      [
        [400, 100],
        [300, 90]
      ],
      [
        [80, 78],
        [120, 115],
        [160, 175]
      ],
      0.99937829
    ],
    [
      'worse',
      [
        [400, 100],
        [300, 120]
      ],
      [
        [300, 345],
        [600, 520],
        [900, 935],
        [500, 500]
      ],
      0.99611173
    ],
    [
      'good',
      [
        [400, 410],
        [300, 290]
      ],
      [
        [300, 320],
        [600, 570],
        [900, 915]
      ],
      0.98025928
    ],
    [
      'good',
      [
        [400, 430],
        [300, 290]
      ],
      [
        [300, 345],
        [600, 540],
        [900, 935],
        [500, 500]
      ],
      0.98759948
    ]
  ])('is %s with a known confidence', (result, changed, others, confidence) => {
    const verdict = judge(sites(changed, others), { ...LOWER, min: 1 })
    expect(verdict.result).toBe(result)
    expect(verdict.confidence).toBeCloseTo(confidence, 6)
  })
})
