import type { SiteMetrics } from '../core/model/judgement.ts'
import { isJsonObject } from '../core/values/value.ts'
import type { AskMetrics, MetricsAnswer, MetricsQuestion } from '../run/pacing.ts'
import { tokensOf } from './connect.ts'
import type { PlanningOptions, RolloutOptions } from './options.ts'
import { askProgram, withoutCredentials } from './terminal/child-process.ts'
import type { Io } from './terminal/io.ts'

type Options = PlanningOptions & Pick<RolloutOptions, 'metricsCommand'>

/** Longer names of metrics are not plausible; in UTF-16 code units. */
const MAX_NAME_LENGTH = 100

/**
 * Asks the program of `--metrics-command`; undefined without it. It runs as the secrets command does, without the token and
 * the secrets of the run. Nothing that it prints is shown. `timeout` is in seconds. The token file is read now, because it may
 * be deleted during the run.
 */
export async function metricsOf(
  options: Options,
  timeout: number,
  io: Io
): Promise<AskMetrics | undefined> {
  const { metricsCommand: words, secretPrefix, tokenFile } = options
  if (words === undefined) return undefined
  const tokens = await tokensOf(options, io).catch(() => [])
  const env = withoutCredentials(io.env, { secretPrefix, tokens, tokenFile })
  const asking = { name: 'the metrics command', timeout: timeout * 1000, env }
  return async question => {
    try {
      const { problem, json } = await askProgram(words, question, asking, io)
      return problem === undefined ? metricsIn(json, question) : { problem }
    } catch (thrown) {
      if (io.interrupted.aborted) return { problem: 'the metrics command was interrupted' }
      throw thrown
    }
  }
}

/** The metrics in an answer. Any mistake makes all of it unusable, because the rest may be wrong, too. */
function metricsIn(json: unknown, { sites }: MetricsQuestion): MetricsAnswer {
  const wrong = (what: string) => ({ problem: `the metrics command answered ${what}` })
  const answered = isJsonObject(json) ? json['sites'] : undefined
  if (!Array.isArray(answered)) return wrong('without a list of sites')
  const asked = new Set(sites.map(({ id }) => id.toLowerCase()))
  const metrics = new Map<string, SiteMetrics>()
  for (const [at, site] of answered.entries()) {
    const { id, ...values } = isJsonObject(site) ? site : {}
    const key = typeof id === 'string' ? id.toLowerCase() : ''
    const which = `entry ${at + 1}`
    if (!asked.has(key)) return wrong(`with an id that it was not asked for: ${which}`)
    if (metrics.has(key)) return wrong(`twice for a site: ${which}`)
    const isMetric = ([name, value]: [string, unknown]) =>
      name.length <= MAX_NAME_LENGTH && Number.isFinite(value) && Number(value) >= 0
    if (!Object.entries(values).every(isMetric)) {
      return wrong(`with a value that is not a number, or is below 0: ${which}`)
    }
    metrics.set(key, values as SiteMetrics)
  }
  return metrics
}
