import { byCodeUnit } from '../model/collections.ts'
import { escapeInside, escapeText } from './escape.ts'
import { casesOf, type Problem, type TestCase } from './junit-cases.ts'
import type { Report } from './report.ts'

/**
 * A report as JUnit XML, which CI systems show as tests: a suite for each site, a case for each WLAN.
 *
 * | the WLAN, or the site             | is                                  |
 * |-----------------------------------|-------------------------------------|
 * | is as declared, was applied       | a case that passed                  |
 * | differs, is blocked, not applied  | a failure                           |
 * | could not be read, is unknown     | an error; its WLANs are skipped     |
 */
export function junit(report: Report): string {
  const cases = casesOf(report)
  const suites = new Map<string, TestCase[]>()
  for (const each of cases) {
    const suite = suites.get(each.suite)
    if (suite) suite.push(each)
    else suites.set(each.suite, [each])
  }
  const sorted = [...suites].sort(([a], [b]) => byCodeUnit(a, b))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="wlanctl ${report.kind}" ${counts(cases)}>`,
    ...sorted.flatMap(([name, members]) => [
      `  <testsuite name="${xml(name)}" ${counts(members)}>`,
      ...members.flatMap(shownCase),
      '  </testsuite>'
    ]),
    '</testsuites>\n'
  ].join('\n')
}

function shownCase({ suite, name, place, problem }: TestCase): string[] {
  const where = place === undefined ? '' : ` file="${xml(place.file)}" line="${place.line}"`
  const head = `    <testcase classname="${xml(suite)}" name="${xml(name)}"${where} time="0"`
  if (problem === undefined) return [`${head}/>`]
  const { element, message, type, details = [] } = problem
  const kind = type === undefined ? '' : ` type="${xml(type)}"`
  const open = `      <${element} message="${xml(message)}"${kind}`
  const body =
    details.length === 0 ? `${open}/>` : `${open}>${details.map(xmlLine).join('\n')}</${element}>`
  return [`${head}>`, body, '    </testcase>']
}

function counts(cases: readonly TestCase[]): string {
  const of = (element: Problem['element']) =>
    cases.filter(({ problem }) => problem?.element === element).length
  return `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}" time="0"`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;'
}

/** Text for XML 1.0, whose characters `escapeInside` leaves, and no others. */
function xml(text: string): string {
  return marked(escapeInside(text))
}

/** The same on a line of its own, where a runner that shows it could take it for a command. */
function xmlLine(text: string): string {
  return marked(escapeText(text))
}

function marked(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? '')
}
