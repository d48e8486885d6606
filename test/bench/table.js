import { cpus } from 'node:os'
import { median } from './measure.js'

/** @typedef {import('./measure.js').Measurement} Measurement */

/** The columns of `compared`. */
export const comparedHead = [
  ...['run', 's', 'floor, s', 'ratio', 'at most', 'MB', 'floor, MB', 'simulator, % of a core']
]

/**
 * A row that compares a run with its floor, by the median of the rounds. Each ratio is that of one round. The
 * load of the simulator is that of the floor, which leaves it the least time.
 * @param {string} name
 * @param {readonly Measurement[]} own
 * @param {readonly Measurement[]} floor
 * @param {number | undefined} limit
 * @param {'seconds' | 'cpu'} figure the compared figure: the time of a run that waits for the service hides its computation
 */
export function compared(name, own, floor, limit, figure = 'seconds') {
  const ratios = own.map((measurement, round) => measurement[figure] / floor[round][figure])
  const busy = median(floor.map(({ serviceCpu, seconds }) => (100 * serviceCpu) / seconds))
  return [
    name,
    median(own.map(measurement => measurement[figure])).toFixed(2),
    median(floor.map(measurement => measurement[figure])).toFixed(2),
    median(ratios).toFixed(2),
    limit?.toFixed(2) ?? '',
    megabytesOf(own).toFixed(0),
    megabytesOf(floor).toFixed(0),
    busy > 0 ? busy.toFixed(0) : ''
  ]
}

/** @param {readonly Measurement[]} measurements */
export function megabytesOf(measurements) {
  return median(measurements.map(({ megabytes }) => megabytes))
}

/** The machine that the seconds were measured on. */
export function machine() {
  const [first] = cpus()
  return `${cpus().length} cores (${first?.model ?? 'unknown'}), Node ${process.version}`
}

/**
 * A table in Markdown.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |\n`
  return [head, head.map((_, place) => (place === 0 ? '---' : '--:')), ...rows].map(line).join('')
}
