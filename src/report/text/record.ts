import type { RecordedChange, RecordedRun } from '../../core/model/record.ts'
import { plural } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { formatField, formatMessage, shortenIds } from '../format-value.ts'
import { formatTable, type Style, styleOf, wrap } from '../layout.ts'
import type { RecordReport, RenderOptions } from '../report.ts'
import { waveName } from '../rollout.ts'
import { INCOMPLETE_RECORD, UNCONFIRMED } from '../verdict.ts'
import { changeText } from './changes.ts'
import { commandTitle, formatStatusCounts, outcomeDetails, statusColour } from './outcomes.ts'

/** The indentation of an outcome below its change. */
const INDENT = '    '

/**
 * The runs of a record: time and service, the changes with their outcomes, the waves, and the verdict
 * with the changes whose state is unknown.
 *
 *     Run 3f9c2a1b: apply on https://api.example.com
 *     2026-11-20 10:00:00 to 10:00:04 UTC, wlanctl/0.1.0
 *
 *       hq/guest  hq.yaml:12  "Visitors"
 *         vlan_id  20 → 40
 *         applied at 10:00:03
 *
 *     Apply: 1 applied
 *
 * Several runs end with the outcomes of all.
 */
export function recordText({ runs }: RecordReport, options: RenderOptions): string {
  const style = styleOf(options)
  const texts = runs
    .map(run =>
      [
        heading(run, style),
        ...run.changes.map(change => recordedText(change, run, options, style)),
        ...wavesText(run, style),
        ...confirmationText(run, style),
        verdict(run, options, style)
      ].join('\n\n')
    )
    .concat(runs.length > 1 ? formatTotal(runs, style) : [])
  return texts.map(text => `${text}\n`).join('\n')
}

/** The outcomes of all runs: `2 runs: 36 applied, 1 failed`. */
export function formatTotal(runs: readonly RecordedRun[], style: Style): string {
  const outcomes = runs.flatMap(({ changes }) => changes.map(({ outcome }) => outcome))
  const counts = outcomes.length === 0 ? 'no changes' : formatStatusCounts(outcomes, style)
  return `${style.strong(`${plural(runs.length, 'run')}:`)} ${counts}`
}

function heading(run: RecordedRun, style: Style): string {
  const { id, command, baseUrl, started, ended, tool, digest } = run
  const to = ended === undefined ? '' : ` to ${timeFrom(started, ended)}`
  return [
    style.strong(`Run ${escapeInside(id)}: ${command} on ${escapeInside(baseUrl)}`),
    `${date(started)}${Number.isNaN(Date.parse(started)) ? '' : ` ${time(started)}`}${to} UTC, ${escapeInside(tool)}`,
    style.faint(`digest ${escapeInside(digest)}`)
  ].join('\n')
}

function recordedText(
  { change, outcome, at, lostSecrets }: RecordedChange,
  { started }: RecordedRun,
  options: RenderOptions,
  style: Style
): string {
  const { status, reason } = outcome
  const width = options.width - INDENT.length
  const when = at === undefined ? '' : ` at ${timeFrom(started, at)}`
  const message = reason === undefined ? '' : `: ${formatMessage(shortenIds(reason))}`
  const [first = '', ...others] = wrap(`${status}${when}${message}`.split(' '), ' ', width)
  const notRestored = lostSecrets.map(formatField).join(', ')
  return [
    changeText(change, options, style),
    INDENT + first.replace(status, statusColour(status, style)),
    ...others.map(line => INDENT + escapeText(line)),
    ...outcomeDetails(outcome, width, style).map(line => INDENT + line),
    ...(notRestored === '' ? [] : [INDENT + style.warn(`cannot be reverted: ${notRestored}`)])
  ].join('\n')
}

/** The start and end of each wave, and the problem that stopped the rollout. */
function wavesText({ waves = [], started }: RecordedRun, style: Style): string[] {
  if (waves.length === 0) return []
  const lines = formatTable(
    waves.map(waveName),
    waves.map(wave => plural(wave.changes, 'change')),
    waves.map(wave => {
      const to = wave.ended === undefined ? '' : ` to ${timeFrom(started, wave.ended)}`
      const problem = wave.problem === undefined ? '' : `: ${escapeInside(wave.problem)}`
      const hold = wave.hold === undefined ? '' : `, held ${wave.hold} s`
      return `${timeFrom(started, wave.started)}${to}${hold}${problem}`
    })
  )
  return [[style.strong('Waves'), ...lines].join('\n')]
}

/** The result of the confirmation, with the next step if the run was killed before it. */
function confirmationText({ confirmation, started }: RecordedRun, style: Style): string[] {
  if (confirmation === undefined) return []
  const { within, started: asked, ended, problem } = confirmation
  const wait = `Confirmation: asked at ${timeFrom(started, asked)}, within ${within} s`
  if (ended === undefined) return [style.warn(`${wait}; ${UNCONFIRMED}`)]
  const end = timeFrom(started, ended)
  if (problem === undefined) return [`${wait}; confirmed at ${end}`]
  return [style.warn(`${wait}; put back from ${end}: ${escapeInside(problem)}`)]
}

function verdict(
  { command, changes, ended }: RecordedRun,
  options: RenderOptions,
  style: Style
): string {
  const outcomes = changes.map(({ outcome }) => outcome)
  const unknown = outcomes.filter(({ status }) => status === 'unknown')
  const name = `${commandTitle(command)}:`
  const list = [`Unknown state: ${escapeText(unknown[0]?.address ?? '')}`].concat(
    unknown.slice(1).map(({ address }) => escapeText(address))
  )
  return [
    ...(ended === undefined ? [style.warn(INCOMPLETE_RECORD)] : []),
    ...(unknown.length === 0 ? [] : wrap(list, ', ', options.width).map(style.bad)),
    ...(unknown.length === 0 && ended !== undefined
      ? []
      : ['Run `wlanctl plan` to see what is missing.']),
    outcomes.length === 0
      ? 'No changes'
      : `${style.strong(name)} ${formatStatusCounts(outcomes, style)}`
  ].join('\n')
}

function date(at: string): string {
  if (Number.isNaN(Date.parse(at))) return 'an invalid time'
  return at.slice(0, 10)
}

function time(at: string): string {
  return at.slice(11, 19)
}

/** The time of day, with the date if it differs from that of `started`. */
function timeFrom(started: string, at: string): string {
  if (Number.isNaN(Date.parse(at))) return date(at)
  return date(at) === date(started) ? time(at) : `${date(at)} ${time(at)}`
}
