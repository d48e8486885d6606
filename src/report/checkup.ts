import type { DoctorCheck } from '../model/finding.ts'
import { plural } from '../model/text.ts'
import { escapeInside, escapeJson } from './escape.ts'
import { widest, wrap } from './layout.ts'
import type { RenderOptions } from './report.ts'
import { type Style, styleOf } from './style.ts'

/**
 * A check-up for people, a line for each check, and below what is not ok the one thing to do:
 *
 *     ok     address  https://api.example.com
 *     wrong  token    the API token is missing
 *                     set WLANCTL_API_TOKEN, or give --token-file
 */
export function checkupText(checks: readonly DoctorCheck[], manner: RenderOptions): string {
  const style = styleOf(manner)
  const names = widest(checks.map(({ about }) => about))
  const lines = checks.flatMap(check => checkLines(check, names, manner.width, style))
  return [...lines, '', verdict(checks, style), ''].join('\n')
}

/** A check-up as JSON for programs. */
export function checkupJson(checks: readonly DoctorCheck[]): string {
  const of = (state: DoctorCheck['state']) => checks.filter(check => check.state === state).length
  const summary = { ok: of('ok'), notes: of('note'), wrong: of('wrong') }
  return `${escapeJson(JSON.stringify({ format: 'wlanctl-checkup/1', summary, checks }, null, 2))}\n`
}

function checkLines(
  { about, state, said, todo }: DoctorCheck,
  names: number,
  width: number,
  style: Style
): string[] {
  const colour = { ok: style.good, note: style.warn, wrong: style.bad }[state]
  const head = `${colour(state.padEnd('wrong'.length))}  ${escapeInside(about).padEnd(names)}  `
  const margin = ' '.repeat('wrong'.length + names + 4)
  const room = Math.max(width - margin.length, 20)
  const [first = '', ...more] = wrap(escapeInside(said).split(' '), ' ', room)
  const advice = todo === undefined ? [] : wrap(escapeInside(todo).split(' '), ' ', room)
  return [head + first, ...more.map(line => margin + line), ...advice.map(line => margin + line)]
}

function verdict(checks: readonly DoctorCheck[], style: Style): string {
  const wrong = checks.filter(({ state }) => state === 'wrong').length
  const notes = checks.filter(({ state }) => state === 'note').length
  const beside = notes === 0 ? '' : `, ${plural(notes, 'note')}`
  if (wrong > 0) return style.bad(`${plural(wrong, 'thing')} to mend${beside}`)
  return style.good(`Ready${beside}`)
}
