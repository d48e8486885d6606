import type { JudgePolicy, MetricLimit } from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { parseDuration } from '../../core/values/time.ts'
import { checkName, expectMap, Members } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { type Node, nodeKindOf, textOf } from '../yaml/tree.ts'
import { requireKeys, timeOfDay } from './declared-calendar.ts'

/** The maximum wait before a wave is judged, in seconds: one day. */
const DAY = 86_400

/** Reads how waves are judged. Reports invalid parts; undefined if no metric is valid. */
export function judgeIn(node: Node | undefined, findings: Findings): JudgePolicy | undefined {
  const map = node && expectMap(node, findings)
  if (map === undefined) return undefined
  const members = new Members(map, findings)
  const metrics = metricsIn(members.node('metrics'), findings)
  const judge = {
    metrics,
    after: members.integer('after', DAY) ?? 300,
    ...compact({ at: timeOfDay(members.node('at'), false, findings) }),
    unknown: members.choice('unknown', ['hold', 'continue']) ?? 'hold',
    dryRun: members.flag('dry_run') ?? false
  }
  members.done()
  requireKeys(map, ['metrics'], findings)
  return Object.keys(metrics).length === 0 ? undefined : judge
}

function metricsIn(node: Node | undefined, findings: Findings): Record<string, MetricLimit> {
  const map = node && expectMap(node, findings)
  if (map === undefined) return {}
  if (map.entries.size === 0) {
    findings.push(finding('VALUE_MISSING', at(map), 'a metric', '{ clients: { by: 20% } }'))
  }
  const metrics = [...map.entries].flatMap(([name, entry]) => {
    const limit = checkName(name, entry, findings) && metricIn(entry.value, findings)
    return limit ? [[name, limit] as const] : []
  })
  return Object.fromEntries(metrics)
}

function metricIn(node: Node, findings: Findings): MetricLimit | undefined {
  const map = expectMap(node, findings)
  if (map === undefined) return undefined
  const members = new Members(map, findings)
  const worse = members.choice('worse', ['lower', 'higher']) ?? 'lower'
  const by = percentIn(members.node('by'), findings)
  const min = members.integer('min', Number.MAX_SAFE_INTEGER, 1) ?? 150
  members.done()
  requireKeys(map, ['by'], findings)
  return by === undefined ? undefined : { worse, by, min }
}

/** A fraction: 0.2 for `20%`. */
function percentIn(node: Node | undefined, findings: Findings): number | undefined {
  if (node === undefined) return undefined
  const [, digits] = /^([1-9]\d?)%$/.exec(textOf(node) ?? '') ?? []
  if (digits !== undefined) return Number(digits) / 100
  findings.push(finding('METRIC_PERCENT', at(node)))
  return undefined
}

/** Seconds: 86400 for `24h`. */
export function durationIn(node: Node | undefined, findings: Findings): number | undefined {
  if (node === undefined) return undefined
  const text = textOf(node)
  const seconds = text === undefined ? undefined : parseDuration(text)
  if (seconds === undefined) findings.push(finding('DURATION', at(node), text ?? nodeKindOf(node)))
  return seconds
}
