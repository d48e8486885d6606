import { source } from './source.js'

/** @typedef {{ changed: boolean, before: number | undefined, after: number | undefined }} SiteCounts */
/** @typedef {'worse' | 'good' | 'not_judged'} Result */

const SITES = 40
const CANARY = 8
const DAYS = 1000
const HOUR = 3_600_000
const LOSS = 0.4
const limit = { worse: 'lower', by: 0.2, min: 150 }

/** The first seed of the simulated people; the tests use 1 and 2. */
const SEED = 1000
const MONDAY = Date.parse('2026-01-05T00:00:00Z')

/** Fleets and hours (from, and up to) of the first reading. */
const variants = [
  { name: 'stores, 08:00 to 20:00', kinds: ['Store'], from: 8, to: 20, missing: 0 },
  { name: 'stores, 18:00 to 20:00', kinds: ['Store'], from: 18, to: 20, missing: 0 },
  { name: 'stores, 01:00 to 05:00', kinds: ['Store'], from: 1, to: 5, missing: 0 },
  {
    name: 'hospitals, stores and offices, at any hour',
    kinds: ['Hospital', 'Store', 'Office'],
    from: 0,
    to: 24,
    missing: 0
  },
  {
    name: 'stores, 08:00 to 20:00, 5 % of answers missing',
    kinds: ['Store'],
    from: 8,
    to: 20,
    missing: 0.05
  }
]

/** The columns of `benchJudge`. */
export const judgeHead = [
  ...['rollout', 'compared with', 'false alarms, %', 'at most', 'loss of 40 % seen, %'],
  ...['at least', 'not judged, %', 'not judged with the loss, %']
]

/**
 * Judges a wave of 8 of 40 sites on 1,000 simulated days, by readings half an hour apart, where nothing is wrong and where 40 % of
 * the clients are lost; by the waiting sites, and by the past of the changed ones.
 */
export async function benchJudge() {
  const { clientsOf } = await source('simulator/people.ts')
  const { seededRandom } = await source('simulator/fleet/random.ts')
  const { judge } = await source('core/plan/judge.ts')

  /**
   * The readings of a day.
   * @param {typeof variants[number]} variant
   * @param {number} day
   * @param {number} loss
   * @returns {SiteCounts[]}
   */
  const readings = ({ name, kinds, from, to, missing }, day, loss) => {
    const seed = SEED + day
    const random = seededRandom(name, day)
    const at = MONDAY + (day * 24 + from + (to - from) * random()) * HOUR
    return Array.from({ length: SITES }, (_, n) => {
      const site = { id: `site-${n}`, name: `${kinds[n % kinds.length]} ${n}` }
      const wlan = { id: `wlan-${n}`, ssid: 'Guest' }
      const read = (/** @type {number} */ time) =>
        random() < missing ? undefined : clientsOf(site, wlan, wlan, time, seed)
      const changed = n < CANARY
      const [before, after] = [read(at), read(at + HOUR / 2)]
      const kept = (/** @type {number} */ count) =>
        Array.from({ length: count }).filter(() => random() >= loss).length
      return { changed, before, after: changed && after !== undefined ? kept(after) : after }
    })
  }

  const methods = [
    {
      name: 'waiting sites',
      judge: (/** @type {SiteCounts[]} */ sites) => judge(sites, limit).result
    },
    { name: 'own past', judge: byOwnPast }
  ]
  return variants.flatMap(variant => {
    const days = Array.from({ length: DAYS }, (_, day) => day)
    const [fine, lost] = [0, LOSS].map(loss => days.map(day => readings(variant, day, loss)))
    return methods.map(method => {
      const [unchanged, harmed] = [fine, lost].map(all => all.map(method.judge))
      return [
        variant.name,
        method.name,
        share(unchanged, 'worse', unchanged.length),
        '2',
        share(harmed, 'worse', harmed.filter(result => result !== 'not_judged').length),
        '98',
        share(unchanged, 'not_judged', unchanged.length),
        share(harmed, 'not_judged', harmed.length)
      ]
    })
  })
}

/**
 * The alarm that needs no control group.
 * @param {readonly SiteCounts[]} sites
 * @returns {Result}
 */
function byOwnPast(sites) {
  const read = sites.filter(
    ({ changed, before, after }) => changed && before !== undefined && after !== undefined
  )
  const sum = (/** @type {'before' | 'after'} */ time) =>
    read.reduce((total, site) => total + site[time], 0)
  if (sum('before') < limit.min) return 'not_judged'
  return sum('after') < (1 - limit.by) * sum('before') ? 'worse' : 'good'
}

/**
 * The share of a result, in percent.
 * @param {readonly Result[]} results
 * @param {Result} result
 * @param {number} of
 */
function share(results, result, of) {
  return of === 0 ? '' : ((100 * results.filter(each => each === result).length) / of).toFixed(1)
}
