import { agreesExactly } from '../../core/diff/agree.ts'
import type { Desired, DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { type Finding, finding, type Where } from '../../core/model/finding.ts'
import { problemIn } from '../../core/query/condition.ts'
import { type NamedField, type Subject, unknownField, valuesOf } from '../../core/query/field.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { groupBy } from '../../core/values/collections.ts'
import { child, fieldName, type Pointer, steps } from '../../core/values/pointer.ts'
import { Secret } from '../../core/values/secret.ts'
import { formatNumber, listFirst, plural, truncate } from '../../core/values/text.ts'
import { mapValue, type Value, type ValueObject } from '../../core/values/value.ts'
import { Conditions } from '../policy/rules/conditions.ts'
import { completed } from '../policy/rules/effective.ts'
import { type Requirement, RuleTooLarge } from '../policy/rules/evaluation.ts'
import { deepestErrorPath } from '../policy/rules/violations.ts'
import { isWlan } from '../select.ts'
import { isSameValue } from '../since/same.ts'
import type { RunTime } from '../usage.ts'
import type { Bounds, DeclaredTest, Expectation, FleetTests } from './declared.ts'

/** The result of a test: it holds if there are no findings. */
export interface TestResult {
  readonly name: string
  readonly where: Where
  readonly findings: readonly Finding[]
}

/** Rejects with a `FleetTooLarge` if the tests take too long. */
export async function runTests(
  { declared, time }: FleetTests,
  desired: Desired
): Promise<TestResult[]> {
  const tested = testedSites(desired)
  const results: TestResult[] = []
  time.resume()
  try {
    for (const test of declared) {
      await time.pause()
      results.push({ ...test, findings: checkTest(test, tested, time) })
    }
  } finally {
    time.stop()
  }
  return results
}

interface SiteRows {
  readonly site: DesiredSite
  readonly rows: readonly Row[]
}

interface Row {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
  readonly subject: Subject
  /** ` (sites/hq.yaml:12)`: the value of a field, or the WLAN if nothing declares that. */
  readonly placeText: (path?: readonly string[]) => string
}

function testedSites({ sites, placesOf }: Desired): SiteRows[] {
  return sites.map(site => ({
    site,
    rows: site.wlans
      .filter(({ managed }) => managed !== false)
      .map(wlan => {
        const { key, fields, place } = wlan
        const placeText = (path: readonly string[] = []) => {
          const pointer = (factFields[path.join('.')] ?? path).reduce(child, '')
          const places = pointer === '' ? {} : placesOf?.(site, key, [pointer], 'cwd')
          const { file, line } = places?.[pointer] ?? place
          return ` (${file}:${line})`
        }
        const subject = { site: site.name, wlan: key, groups: site.groups, fields }
        return { site, wlan, subject, placeText }
      })
  }))
}

const factFields: Readonly<Record<string, readonly string[]>> = {
  vlan: ['vlan_id'],
  security: ['auth', 'type']
}

function checkTest(test: DeclaredTest, sites: readonly SiteRows[], time: RunTime): Finding[] {
  const { name, where } = test
  const rows = sites.flatMap(each => each.rows)
  const subjects = rows.map(({ subject }) => subject)
  const named = test.expectations.flatMap(each => (each.kind === 'same' ? each.fields : []))
  const met = test.expectations.flatMap(each =>
    each.kind === 'require' && each.requirement instanceof Conditions
      ? each.requirement.conditions
      : []
  )
  const problem = problemIn([...test.conditions, ...met], subjects) ?? unknownField(named, subjects)
  if (problem !== undefined) {
    return [finding('TEST_INVALID', where, name, problem.problem, problem.hint)]
  }
  const useless = uselessKey(test, rows)
  if (useless !== undefined) return [useless]
  const selection = selected(test, sites, time)
  if (selection.sites.length === 0) {
    return [finding('TEST_CANNOT_FAIL', where, name, 'it is about no site')]
  }
  return test.expectations.flatMap(expectation => {
    const judgement = judged(expectation, selection, test, time)
    if (judgement === undefined) return []
    const [code, ...details] = judgement
    return finding(code, expectation.where, name, ...details)
  })
}

function uselessKey({ key, name, where }: DeclaredTest, rows: readonly Row[]) {
  if (key === undefined || rows.some(({ wlan }) => isWlan(wlan, key))) return undefined
  const near = nearest(key, new Set(rows.map(({ wlan }) => wlan.key)))
  const reason = `no WLAN has the key ${JSON.stringify(key)}`
  return finding('TEST_CANNOT_FAIL', where, name, reason, near)
}

/** The selected WLANs by site; a site without one has an empty list. `all`: those of the site, selected or not. */
interface Selected {
  readonly sites: readonly (SiteRows & { readonly all: readonly Row[] })[]
  readonly rows: readonly Row[]
}

function selected(
  { covers, key, conditions }: DeclaredTest,
  all: readonly SiteRows[],
  time: RunTime
): Selected {
  const isSelected = ({ wlan, subject }: Row) => {
    time.check()
    return (key === undefined || isWlan(wlan, key)) && conditions.every(each => each.isMet(subject))
  }
  const sites = all
    .filter(({ site }) => covers(site))
    .map(({ site, rows }) => ({ site, rows: rows.filter(isSelected), all: rows }))
  return { sites, rows: sites.flatMap(({ rows }) => rows) }
}

/** Why an expectation does not hold, or cannot be judged, as a finding; undefined if it holds. */
type Judgement =
  | readonly ['TEST_FAILED', expected: string, found: string, holds: string | undefined]
  | readonly ['TEST_CANNOT_FAIL' | 'TEST_INVALID', reason: string]

function judged(
  expectation: Expectation,
  selection: Selected,
  test: DeclaredTest,
  time: RunTime
): Judgement | undefined {
  switch (expectation.kind) {
    case 'count':
      return judgedCount(expectation, selection, test)
    case 'total':
      return judgedTotal(expectation, selection)
    case 'same':
      return judgedSame(expectation.fields, selection)
    case 'require':
      return judgedRequire(expectation.requirement, selection, time)
  }
}

function isWithin(count: number, { min, max }: Bounds): boolean {
  return count >= min && count <= max
}

function boundsText({ min, max }: Bounds): string {
  if (min === max) return plural(min, 'WLAN')
  if (max === Number.POSITIVE_INFINITY) return `at least ${plural(min, 'WLAN')}`
  return min === 0
    ? `at most ${plural(max, 'WLAN')}`
    : `${formatNumber(min)} to ${plural(max, 'WLAN')}`
}

function judgedCount(
  bounds: Bounds,
  { sites }: Selected,
  test: DeclaredTest
): Judgement | undefined {
  const wrong = sites.filter(({ rows }) => !isWithin(rows.length, bounds))
  if (wrong.length === 0) return undefined
  const parts = [...groupBy(wrong, ({ rows }) => rows.length)].map(([count, alike]) => {
    const names = few(alike, 'site', ({ site, rows: [first], all }) => {
      const where = first ? first.placeText() : missedText(all, test)
      return site.name + where
    })
    return `${formatNumber(count)} at ${names}`
  })
  const counts = sites.map(({ rows }) => rows.length).sort((a, b) => a - b)
  const [least, most] = [counts[0], counts.at(-1)]
  const range = least === 0 ? `{ max: ${most} }` : `{ min: ${least}, max: ${most} }`
  const holding = `count: ${least === most ? least : range}`
  const expected = `${boundsText(bounds)} at each of ${plural(sites.length, 'site')}`
  return ['TEST_FAILED', expected, parts.join(', '), holdsHint(holding, wrong, sites.length)]
}

/** The first condition that the WLAN that meets the most does not meet; of several, one that declares the field. */
function missedText(rows: readonly Row[], { key, conditions }: DeclaredTest) {
  const candidates = rows
    .filter(({ wlan }) => key === undefined || isWlan(wlan, key))
    .flatMap(row => {
      const missed = conditions.filter(each => !each.isMet(row.subject))
      const [first] = missed
      const isDeclared = Object.hasOwn(row.wlan.fields, first?.field.path[0] ?? '')
      return first === undefined
        ? []
        : [{ row, first, far: missed.length - Number(isDeclared) / 2 }]
    })
  const [nearest] = candidates.sort((a, b) => a.far - b.far)
  if (nearest === undefined) return ''
  const { row, first } = nearest
  const place = row.placeText(first.field.path)
  return ` (${row.wlan.key} fails ${first.text}${place.replace(' (', ', ')}`
}

function judgedTotal(bounds: Bounds, { rows }: Selected): Judgement | undefined {
  if (isWithin(rows.length, bounds)) return undefined
  const which = rows.length === 0 ? '' : `: ${few(rows, 'WLAN', row => placed(row))}`
  const holds = `\`total: ${rows.length}\` would hold`
  const found = `${formatNumber(rows.length)}${which}`
  return ['TEST_FAILED', `${boundsText(bounds)} in all`, found, holds]
}

interface Alike {
  readonly value: Value
  readonly rows: Row[]
}

function judgedSame(
  fields: readonly NamedField[],
  { rows, sites }: Selected
): Judgement | undefined {
  if (rows.length < 2) {
    const count = rows.length === 0 ? 'no WLAN' : 'only 1 WLAN'
    return ['TEST_CANNOT_FAIL', `it selects ${count}, so there is nothing to compare`]
  }
  const differing = fields.flatMap(field => {
    const values = valuesByRow(field, rows)
    return values.length > 1 ? [{ field, values }] : []
  })
  if (differing.length === 0) return undefined
  const found = differing.map(({ field, values: [usual, ...others] }) => {
    const most = valueText(usual?.value ?? null)
    const parts = others.map(({ value, rows: odd }) => {
      const text = valueText(value)
      const names = few(odd, 'WLAN', row => placed(row, field.path))
      return `${text === most ? 'another secret' : text} at ${names}`
    })
    const usually = `${most} at ${plural(usual?.rows.length ?? 0, 'WLAN')}`
    return `${field.name} ${listFirst([usually, ...parts], SHOWN + 1, 'values')}`
  })
  const odd = differing.flatMap(({ values }) => values.slice(1).flatMap(({ rows: of }) => of))
  const kept = fields.filter(field => !differing.some(each => each.field === field))
  const holding =
    kept.length === 0 ? undefined : `same: [${kept.map(({ name }) => name).join(', ')}]`
  const names = differing.map(({ field }) => field.name).join(', ')
  const expected = `the same ${names} at ${plural(rows.length, 'WLAN')}`
  return ['TEST_FAILED', expected, found.join('; '), holdsHint(holding, odd, sites.length)]
}

function valuesByRow(field: NamedField, rows: readonly Row[]): Alike[] {
  const alike: Alike[] = []
  const known = new Map<string, Alike>()
  for (const row of rows) {
    const values = valuesOf(row.subject, field)
    const value = values.length === 1 ? (values[0] ?? null) : values
    // Secrets are not read: equal references are the same secret.
    const isSame = ({ value: other }: Alike) =>
      isSameValue(value, other) || agreesExactly(field.schema, value, other)
    const text = JSON.stringify(value)
    const likely = [known.get(text) ?? [], alike.slice(0, MAX_NOTATIONS)].flat()
    const group = likely.find(isSame) ?? { value, rows: [] }
    if (group.rows.length === 0) alike.push(group)
    known.set(text, group)
    group.rows.push(row)
  }
  return alike.sort((a, b) => b.rows.length - a.rows.length)
}

/** The values that each other one is compared with, since it may be another notation: a field with more is not the same. */
const MAX_NOTATIONS = 20

function judgedRequire(
  required: Requirement,
  { rows, sites }: Selected,
  time: RunTime
): Judgement | undefined {
  if (rows.length === 0) return ['TEST_CANNOT_FAIL', 'it selects no WLAN']
  const readsSite = required.named.has('$site')
  const known = new Map<ValueObject, Pointer | undefined>()
  const violation = ({ site, wlan: { key, fields } }: Row): Pointer | undefined => {
    if (!readsSite && known.has(fields)) return known.get(fields)
    const subject = { key, fields, live: {}, site, showsSecrets: () => true }
    const errors = required.errors(completed(subject, required.named, false), time)
    const pointer = errors.length > 0 ? deepestErrorPath(errors) : undefined
    known.set(fields, pointer)
    return pointer
  }
  try {
    const wrong = rows.flatMap(row => {
      const pointer = violation(row)
      return pointer === undefined ? [] : [{ ...row, pointer }]
    })
    return judgedWrong(wrong, { rows, sites })
  } catch (thrown) {
    if (thrown instanceof RuleTooLarge) return ['TEST_INVALID', `\`require\`: ${thrown.message}`]
    throw thrown
  }
}

/** `pointer`: what is wrong about the WLAN; empty for all of it. */
function judgedWrong(
  wrong: readonly (Row & { readonly pointer: Pointer })[],
  { rows, sites }: Selected
): Judgement | undefined {
  if (wrong.length === 0) return undefined
  const parts = few(wrong, 'WLAN', ({ pointer, ...row }) => {
    const field = pointer === '' ? '' : ` ${fieldName(pointer)}`
    return row.wlan.address + field + row.placeText(steps(pointer))
  })
  const expected = `${plural(rows.length, 'WLAN')} to be as \`require\` says`
  const found = `${plural(wrong.length, 'WLAN')} that ${wrong.length === 1 ? 'is' : 'are'} not: ${parts}`
  return ['TEST_FAILED', expected, found, holdsHint(undefined, wrong, sites.length)]
}

const SHOWN = 3

function few<T>(items: readonly T[], noun: string, textOf: (item: T) => string): string {
  const shown = items.slice(0, SHOWN).map(textOf).join(', ')
  const rest = items.length - SHOWN
  return rest <= 0 ? shown : `${shown} and ${plural(rest, `more ${noun}`)}`
}

function placed({ wlan, placeText }: Row, path?: readonly string[]): string {
  return `${wlan.address}${placeText(path)}`
}

function valueText(value: Value): string {
  if (value === null) return 'nothing'
  const shown = mapValue(value, each => (each instanceof Secret ? '(secret)' : undefined))
  return truncate(JSON.stringify(shown), 80)
}

/** The nearest expectation that would hold: another one, or an exception for a few of the sites. */
function holdsHint(
  holding: string | undefined,
  wrong: readonly Pick<Row, 'site'>[],
  all: number
): string | undefined {
  const names = [...new Set(wrong.map(({ site }) => site.name))]
  const except =
    names.length * 2 <= all ? `\`except\` for ${few(names, 'site', name => name)}` : undefined
  const ways = [holding && `\`${holding}\``, except].filter(way => way !== undefined)
  if (ways.length === 0) return undefined
  return `${ways.join(', or ')}${ways.length > 1 ? ',' : ''} would hold`
}
