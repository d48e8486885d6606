import type { DoctorCheck } from '../model/finding.ts'
import { plural } from '../model/text.ts'
import { escapeInside, escapeJson } from './escape.ts'
import { type Style, styleOf, widest, wrap } from './layout.ts'
import type { RenderOptions } from './report.ts'

/**
 * The checks of `doctor`, a line each, with the fix below those that are not ok:
 *
 *     ok     address  https://api.example.com
 *     wrong  token    the API token is missing
 *                     set WLANCTL_API_TOKEN, or give --token-file
 */
export function renderDoctorText(checks: readonly DoctorCheck[], options: RenderOptions): string {
  const style = styleOf(options)
  const names = widest(checks.map(({ about }) => about))
  const lines = checks.flatMap(check => checkLines(check, names, options.width, style))
  return [...lines, '', verdict(checks, style), ''].join('\n')
}

/** The checks of `doctor` as JSON. */
export function renderDoctorJson(checks: readonly DoctorCheck[]): string {
  const count = (state: DoctorCheck['state']) =>
    checks.filter(check => check.state === state).length
  const summary = { ok: count('ok'), notes: count('note'), wrong: count('wrong') }
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
  const columns = Math.max(width - margin.length, 20)
  const [first = '', ...more] = wrap(escapeInside(said).split(' '), ' ', columns)
  const advice = todo === undefined ? [] : wrap(escapeInside(todo).split(' '), ' ', columns)
  return [head + first, ...more.map(line => margin + line), ...advice.map(line => margin + line)]
}

function verdict(checks: readonly DoctorCheck[], style: Style): string {
  const wrong = checks.filter(({ state }) => state === 'wrong').length
  const notes = checks.filter(({ state }) => state === 'note').length
  const suffix = notes === 0 ? '' : `, ${plural(notes, 'note')}`
  if (wrong > 0) return style.bad(`${plural(wrong, 'problem')} found${suffix}`)
  return style.good(`Ready${suffix}`)
}
