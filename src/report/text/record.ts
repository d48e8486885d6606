import type { RecordedChange, RecordedRun } from '../../model/record.ts'
import { plural } from '../../model/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { table, wrap } from '../layout.ts'
import type { RecordReport, RenderOptions } from '../report.ts'
import { shownField, shownMessage, withShortIds } from '../shown.ts'
import { type Style, styleOf } from '../style.ts'
import { changeText } from './changes.ts'
import { counts, mark, nameOf, outcomeDetails } from './outcomes.ts'
import { waveName } from './rollout.ts'

/** Where what is said of a change begins. */
const INDENT = '    '

/**
 * The runs of a record: of each when and where it was, what became of each change, and last whether
 * anything is open.
 *
 *     Run 3f9c2a1b: apply on https://api.example.com
 *     2026-11-20 10:00:00 to 10:00:04 UTC, wlanctl/0.1.0
 *
 *       hq/guest  hq.yaml:12  "Visitors"
 *         vlan_id  20 → 40
 *         applied at 10:00:03
 *
 *     Apply: 1 applied
 */
export function recordText({ runs }: RecordReport, manner: RenderOptions): string {
  const style = styleOf(manner)
  return runs
    .map(run =>
      [
        heading(run, style),
        ...run.changes.map(change => recordedText(change, run, manner, style)),
        ...wavesText(run, style),
        verdict(run, manner, style)
      ].join('\n\n')
    )
    .map(text => `${text}\n`)
    .join('\n')
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
  manner: RenderOptions,
  style: Style
): string {
  const { status, reason } = outcome
  const width = manner.width - INDENT.length
  const when = at === undefined ? '' : ` at ${timeFrom(started, at)}`
  const said = reason === undefined ? '' : `: ${shownMessage(withShortIds(reason))}`
  const [first = '', ...others] = wrap(`${status}${when}${said}`.split(' '), ' ', width)
  const lost = lostSecrets.map(shownField).join(', ')
  return [
    changeText(change, manner, style),
    INDENT + first.replace(status, mark(status, style)),
    ...others.map(line => INDENT + escapeText(line)),
    ...outcomeDetails(outcome, width, style).map(line => INDENT + line),
    ...(lost === '' ? [] : [INDENT + style.warn(`cannot be reverted: ${lost}`)])
  ].join('\n')
}

/** When each wave was worked on, and why the last one was not good, if it was not. */
function wavesText({ waves = [], started }: RecordedRun, style: Style): string[] {
  if (waves.length === 0) return []
  const lines = table(
    waves.map(waveName),
    waves.map(wave => plural(wave.changes, 'change')),
    waves.map(wave => {
      const to = wave.ended === undefined ? '' : ` to ${timeFrom(started, wave.ended)}`
      const problem = wave.problem === undefined ? '' : `: ${escapeInside(wave.problem)}`
      return `${timeFrom(started, wave.started)}${to}${problem}`
    })
  )
  return [[style.strong('Waves'), ...lines].join('\n')]
}

function verdict(
  { command, changes, ended }: RecordedRun,
  manner: RenderOptions,
  style: Style
): string {
  const outcomes = changes.map(({ outcome }) => outcome)
  const open = outcomes.filter(({ status }) => status === 'unknown')
  const name = `${nameOf(command)}:`
  const cut = 'The record ends before the run did: it was killed, or it goes on still.'
  const list = [`In an unknown state: ${escapeText(open[0]?.address ?? '')}`].concat(
    open.slice(1).map(({ address }) => escapeText(address))
  )
  return [
    ...(ended === undefined ? [style.warn(cut)] : []),
    ...(open.length === 0 ? [] : wrap(list, ', ', manner.width).map(style.bad)),
    ...(open.length === 0 && ended !== undefined
      ? []
      : ['Plan again: that shows what is missing.']),
    outcomes.length === 0
      ? 'Nothing was to be changed'
      : `${style.strong(name)} ${counts(outcomes, style)}`
  ].join('\n')
}

function date(at: string): string {
  if (Number.isNaN(Date.parse(at))) return 'an invalid time'
  return at.slice(0, 10)
}

function time(at: string): string {
  return at.slice(11, 19)
}

/** The time of day; with the date, where that is not the one on which the run began. */
function timeFrom(started: string, at: string): string {
  if (Number.isNaN(Date.parse(at))) return date(at)
  return date(at) === date(started) ? time(at) : `${date(at)} ${time(at)}`
}
