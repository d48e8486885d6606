import { describe, expect, it } from 'vitest'
import { auditFormats } from '../../src/report/audit.ts'
import { diffFormats } from '../../src/report/estate-diff.ts'
import { formats } from '../../src/report/formats.ts'
import { formatNames, type RenderOptions } from '../../src/report/report.ts'
import { skeleton } from './markdown/skeleton.ts'
import { plain } from './plans.ts'
import { richAudit, richDiff, richReports } from './rich.ts'

/** In each mark; shows where external text ends up. */
const PLANT = 'PLANT'

/** Short enough that no format truncates them. */
const marks: readonly string[] = [
  `##[stop-commands]${PLANT}`,
  `##vso[task.x]${PLANT}`,
  `::stop-commands::${PLANT}`,
  `  ::add-mask::${PLANT}`,
  `a\n${PLANT}`,
  `a\r\n::stop-commands::${PLANT}`,
  `\u001b]0;${PLANT}\u0007\u001b[2J\u009b31m`,
  `\u202e${PLANT}\u200b\u2028\u{e0041}`,
  `<img src=x onerror=${PLANT}>`,
  `" onmouseover="${PLANT}`,
  `</script><script>${PLANT}`,
  `<!-- wlanctl:plan:. -->${PLANT}`,
  `\n### 🟢 ${PLANT}`,
  `![${PLANT}](//e.example)`,
  `[${PLANT}](//e.example)`,
  `@${PLANT} #1`,
  `\`\`\`${PLANT}`,
  `\`|${PLANT}|`,
  `\ud800${PLANT}\u00ad\ufeff`
]

/** All kinds of marks in one, for strings of which only some are replaced. */
const MIXED = '`\n::add-mask::PLANT ##[x]PLANT<img>"'

/** The names of members, and of lists, whose strings are words of wlanctl and not from outside. */
const words = new Set(
  [
    'kind level code status impact op event command format method role cause step odd rule.id',
    'secrets causes downgrade_levels result'
  ]
    .join(' ')
    .split(' ')
)

/** The page of HTML computes with times, which the schemas of saved files guarantee. */
const times = new Set('at until created started ended'.split(' '))

/** The paths of all strings from outside in a value. */
function stringsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const isWord = path.some(step => words.has(step)) || path.join('.').includes('.rule.')
  if (typeof value === 'string') return isWord ? [] : [path]
  if (!Array.isArray(value) && Object.getPrototypeOf(value ?? 0) !== Object.prototype) return []
  return Object.entries(value as object).flatMap(([name, member]) =>
    stringsIn(member, [...path, name])
  )
}

/** A copy of a value with another string at these paths. */
function planted<T>(value: T, paths: readonly (readonly string[])[], mark: string): T {
  return paths.reduce((copy, path) => withAt(copy, path, mark) as T, value)
}

function withAt(value: unknown, [step, ...rest]: readonly string[], mark: string): unknown {
  if (step === undefined) return mark
  const [copy, below] = Array.isArray(value)
    ? [[...value], value[Number(step)]]
    : [{ ...(value as object) }, (value as Record<string, unknown>)[step]]
  return Object.assign(copy, { [step]: withAt(below, rest, mark) })
}

const ACTIVE = /[^\P{C}\n]|[\p{Zl}\p{Zp}]|##\w*\[/u

/** Text on lines of wlanctl, of which none begins with external text that has an effect. */
function checkLines(text: string): void {
  expect(text).not.toMatch(ACTIVE)
  expect(text).not.toMatch(/^\s*::(?:stop-commands|add-mask)/m)
  expect(text).not.toMatch(/^(?:PLANT$|### 🟢 PLANT)/m)
}

/** External text is in code spans, apart from words without a mark of Markdown or HTML next to them. */
function checkMarkdown(text: string): void {
  expect(text).not.toMatch(ACTIVE)
  const shown = skeleton(text)
  expect(shown).not.toMatch(/[^\p{L}\p{N}\s.,;:()>|*]PLANT|PLANT[^\p{L}\p{N}\s.,;:()<|*]/u)
  expect(shown).not.toMatch(/<img|<script|\/\/e\.example|@|### 🟢 PLANT|\[PLANT/)
  expect(text.match(/<!--/g) ?? []).toHaveLength(/^<!--/.test(text) ? 1 : 0)
}

function checkHtml(text: string): void {
  expect(text).not.toMatch(ACTIVE)
  expect(text).not.toMatch(/<img|" onmouseover="|<script>PLANT|<!-- wlanctl/)
}

const noControls = (text: string) => expect(text).not.toMatch(ACTIVE)

/** The check of each format: its structure holds, and no mark has an effect. */
const checks: Readonly<Record<(typeof formatNames)[number], (text: string) => void>> = {
  text: checkLines,
  github: checkLines,
  markdown: checkMarkdown,
  html: checkHtml,
  json: text => {
    noControls(text)
    JSON.parse(text)
  }
}

/** The path of each string in `value`, apart from those that the format cannot take. */
function pathsIn(value: unknown, format: (typeof formatNames)[number]): (readonly string[])[] {
  const paths = stringsIn(value).filter(path => format !== 'html' || !times.has(path.at(-1) ?? ''))
  expect(paths.length).toBeGreaterThan(10)
  return paths
}

/** Checks outputs with each mark in all strings at once. */
function checkAll<T>(value: T, format: (typeof formatNames)[number], render: (value: T) => string) {
  const paths = pathsIn(value, format)
  for (const mark of marks) checks[format](render(planted(value, paths, mark)))
}

/**
 * Halves of a list by each bit of the index: of any two entries, some half contains the first and not the
 * second.
 */
function halves<T>(list: readonly T[]): (readonly T[])[] {
  const bits = Array.from({ length: Math.ceil(Math.log2(list.length)) }, (_, bit) => bit)
  return bits.flatMap(bit =>
    [0, 1].map(value => list.filter((_, index) => ((index >> bit) & 1) === value))
  )
}

/** Checks outputs with a mark in some strings, next to any other string that is as it was. */
function checkHalves<T>(
  value: T,
  format: (typeof formatNames)[number],
  render: (value: T) => string
) {
  for (const half of halves(pathsIn(value, format))) {
    const text = render(planted(value, half, MIXED))
    const paths = half.map(path => path.join('.')).join(', ')
    expect(() => checks[format](text), paths).not.toThrow()
  }
}

/** Lines do not wrap: a break within external text is a mark's. */
const wide: RenderOptions = { ...plain, width: Number.POSITIVE_INFINITY }
const verbose: RenderOptions = { ...wide, verbose: true }

describe.each(formatNames)('%s', format => {
  it.each(richReports.map(report => [report.kind, report] as const))(
    'a %s whose strings are replaced has no effect on a reader or a machine',
    (_, report) => {
      checkAll(report, format, changed => formats[format](changed, wide))
      checkHalves(report, format, changed => formats[format](changed, verbose))
    }
  )

  it('contains no secret', () => {
    for (const report of richReports)
      expect(formats[format](report, verbose)).not.toMatch(/value-of-|what-the-service-has/)
  })
})

it.each(Object.entries(auditFormats))('an audit as %s: neither', (name, render) => {
  const format = name as keyof typeof auditFormats
  checkAll(richAudit, format, changed => render(changed, wide))
  checkHalves(richAudit, format, changed => render(changed, wide))
})

it.each(Object.entries(diffFormats))('a diff as %s: neither', (name, render) => {
  const format = name as keyof typeof diffFormats
  checkAll(richDiff, format, changed => render(changed, wide))
  checkHalves(richDiff, format, changed => render(changed, wide))
})
