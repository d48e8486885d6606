import { agreesExactly } from '../../core/diff/agree.ts'
import type { Desired, DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { type Finding, finding, type Where } from '../../core/model/finding.ts'
import { problemIn } from '../../core/query/condition.ts'
import { type NamedField, type Subject, unknownField, valuesOf } from '../../core/query/field.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { groupBy } from '../../core/values/collections.ts'
import { matchesGlob } from '../../core/values/glob.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { Secret } from '../../core/values/secret.ts'
import { formatNumber, listFirst, plural, truncate } from '../../core/values/text.ts'
import { mapValue, type Value, type ValueObject } from '../../core/values/value.ts'
import { Budget, limits } from '../limits.ts'
import { completed } from '../policy/rules/effective.ts'
import { Evaluation, RuleTimeout } from '../policy/rules/evaluation.ts'
import type { Schema } from '../policy/rules/schema.ts'
import { deepestErrorPath } from '../policy/rules/violations.ts'
import { isSameValue } from '../since/same.ts'
import type { Bounds, DeclaredTest, Expectation, FleetTests } from './declared.ts'

/** The result of a test: it holds if there are no findings. */
export interface TestResult {
  readonly name: string
  readonly where: Where
  readonly findings: readonly Finding[]
}

/** Runs the tests of a fleet, in the order of the files. */
export async function runTests(
  { declared, time }: FleetTests,
  desired: Desired
): Promise<TestResult[]> {
  const tested = testedWlans(desired)
  const results: TestResult[] = []
  for (const test of declared) {
    await time.test()
    results.push({ ...test, findings: checkTest(test, tested) })
  }
  return results
}

/** A fleet that tests are about, with its WLANs as conditions read them. */
interface TestedWlans {
  readonly desired: Desired
  readonly sites: readonly SiteRows[]
  readonly subjects: readonly Subject[]
}

interface SiteRows {
  readonly site: DesiredSite
  readonly rows: readonly Row[]
}

interface Row {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
  readonly subject: Subject
}

/** The managed WLANs of a fleet. */
function testedWlans(desired: Desired): TestedWlans {
  const sites = desired.sites.map(site => ({
    site,
    rows: site.wlans
      .filter(({ managed }) => managed !== false)
      .map(wlan => {
        const { key, fields } = wlan
        return { site, wlan, subject: { site: site.name, wlan: key, groups: site.groups, fields } }
      })
  }))
  return { desired, sites, subjects: sites.flatMap(({ rows }) => rows.map(row => row.subject)) }
}

/** What is wrong with a test, or with the fleet; empty if it holds. */
function checkTest(test: DeclaredTest, fleet: TestedWlans): Finding[] {
  const named = test.expectations.flatMap(each => (each.kind === 'same' ? each.fields : []))
  const problem = problemIn(test.conditions, fleet.subjects) ?? unknownField(named, fleet.subjects)
  if (problem !== undefined) {
    return [finding('TEST_INVALID', test.where, test.name, problem.problem, problem.hint)]
  }
  const useless = uselessKey(test, fleet)
  if (useless !== undefined) return [useless]
  const selection = selected(test, fleet)
  if (selection.sites.length === 0) {
    return [finding('TEST_CANNOT_FAIL', test.where, test.name, 'it is about no site')]
  }
  return test.expectations.flatMap(expectation => {
    const { where } = expectation
    const result = judged(expectation, selection, test)
    if (result === undefined) return []
    if ('cannotFail' in result) {
      return [finding('TEST_CANNOT_FAIL', where, test.name, result.cannotFail)]
    }
    if ('invalid' in result) return [finding('TEST_INVALID', where, test.name, result.invalid)]
    return [finding('TEST_FAILED', where, test.name, result.expected, result.found, result.holds)]
  })
}

function uselessKey({ key, name, where }: DeclaredTest, { sites }: TestedWlans) {
  if (key === undefined) return undefined
  const wlans = sites.flatMap(({ rows }) => rows.map(({ wlan }) => wlan))
  if (wlans.some(wlan => hasKey(wlan, key))) return undefined
  const near = nearest(key, new Set(wlans.map(wlan => wlan.key)))
  const reason = `no WLAN has the key ${JSON.stringify(key)}`
  return finding('TEST_CANNOT_FAIL', where, name, reason, near)
}

function hasKey({ key, address }: DesiredWlan, glob: string): boolean {
  return matchesGlob(key, glob) || matchesGlob(address, glob)
}

/** The selected WLANs by site; a site without one has an empty list. `all`: those of the site, selected or not. */
interface Selected {
  readonly desired: Desired
  readonly sites: readonly (SiteRows & { readonly all: readonly Row[] })[]
  readonly rows: readonly Row[]
}

function selected({ covers, key, conditions }: DeclaredTest, fleet: TestedWlans): Selected {
  const isSelected = ({ wlan, subject }: Row) =>
    (key === undefined || hasKey(wlan, key)) && conditions.every(each => each.isMet(subject))
  const sites = fleet.sites
    .filter(({ site }) => covers(site))
    .map(({ site, rows: all }) => ({ site, rows: all.filter(isSelected), all }))
  return { desired: fleet.desired, sites, rows: sites.flatMap(({ rows }) => rows) }
}

/** Why an expectation does not hold, and others that would. */
interface Failed {
  readonly expected: string
  readonly found: string
  readonly holds?: string | undefined
}

/** Why an expectation does not hold, or cannot be judged; undefined if it holds. */
type Judgement = Failed | { readonly cannotFail: string } | { readonly invalid: string }

function judged(
  expectation: Expectation,
  selection: Selected,
  test: DeclaredTest
): Judgement | undefined {
  switch (expectation.kind) {
    case 'count':
      return judgedCount(expectation, selection, test)
    case 'total':
      return judgedTotal(expectation, selection)
    case 'same':
      return judgedSame(expectation.fields, selection)
    case 'require':
      return judgedRequire(expectation.schema, selection)
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
  { sites, desired }: Selected,
  test: DeclaredTest
): Judgement | undefined {
  const wrong = sites.filter(({ rows }) => !isWithin(rows.length, bounds))
  if (wrong.length === 0) return undefined
  const parts = [...groupBy(wrong, ({ rows }) => rows.length)].map(([count, alike]) => {
    const names = few(alike, 'site', ({ site, rows: [first], all }) => {
      const where = first ? placeText(desired, first) : missedText(all, test, desired)
      return site.name + where
    })
    return `${formatNumber(count)} at ${names}`
  })
  const counts = sites.map(({ rows }) => rows.length).sort((a, b) => a - b)
  const [least, most] = [counts[0], counts.at(-1)]
  const range = least === 0 ? `{ max: ${most} }` : `{ min: ${least}, max: ${most} }`
  const holding = `count: ${least === most ? least : range}`
  return {
    expected: `${boundsText(bounds)} at each of ${plural(sites.length, 'site')}`,
    found: parts.join(', '),
    holds: holdsHint(holding, wrong, sites.length)
  }
}

/** The first condition that the WLAN that meets the most does not meet; of several, one that declares the field. */
function missedText(rows: readonly Row[], { key, conditions }: DeclaredTest, desired: Desired) {
  const candidates = rows
    .filter(({ wlan }) => key === undefined || hasKey(wlan, key))
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
  const place = placeText(desired, row, first.field.path)
  return ` (${row.wlan.key} fails ${first.text}${place.replace(' (', ', ')}`
}

function judgedTotal(bounds: Bounds, { rows, desired }: Selected): Judgement | undefined {
  if (isWithin(rows.length, bounds)) return undefined
  const which = rows.length === 0 ? '' : `: ${few(rows, 'WLAN', row => placed(desired, row))}`
  return {
    expected: `${boundsText(bounds)} in all`,
    found: `${formatNumber(rows.length)}${which}`,
    holds: `\`total: ${rows.length}\` would hold`
  }
}

/** WLANs with the same value of a field. */
interface Alike {
  readonly value: Value
  readonly rows: Row[]
}

function judgedSame(
  fields: readonly NamedField[],
  { rows, sites, desired }: Selected
): Judgement | undefined {
  if (rows.length < 2) {
    const count = rows.length === 0 ? 'no WLAN' : 'only 1 WLAN'
    return { cannotFail: `it selects ${count}, so there is nothing to compare` }
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
      const names = few(odd, 'WLAN', row => placed(desired, row, field.path))
      return `${text === most ? 'another secret' : text} at ${names}`
    })
    const usually = `${most} at ${plural(usual?.rows.length ?? 0, 'WLAN')}`
    return `${field.name} ${listFirst([usually, ...parts], SHOWN + 1, 'values')}`
  })
  const odd = differing.flatMap(({ values }) => values.slice(1).flatMap(({ rows: of }) => of))
  const kept = fields.filter(field => !differing.some(each => each.field === field))
  const holding =
    kept.length === 0 ? undefined : `same: [${kept.map(({ name }) => name).join(', ')}]`
  return {
    expected: `the same ${differing.map(({ field }) => field.name).join(', ')} at ${plural(rows.length, 'WLAN')}`,
    found: found.join('; '),
    holds: holdsHint(holding, odd, sites.length)
  }
}

/** The WLANs by their values of a field, the most common value first. */
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

function judgedRequire(schema: Schema, { rows, sites, desired }: Selected): Judgement | undefined {
  if (rows.length === 0) return { cannotFail: 'it selects no WLAN' }
  const budget = new Budget(limits.rulesSteps)
  const readsSite = schema.named.has('$site')
  const named = [...schema.named].filter(name => !name.startsWith('$'))
  const known = new Map<ValueObject, Pointer | undefined>()
  const violation = ({ site, wlan: { fields } }: Row): Pointer | undefined => {
    if (!readsSite && known.has(fields)) return known.get(fields)
    budget.grant(limits.wlanRuleSteps)
    const { value, context } = completed(
      { fields, live: {}, site, showsSecrets: () => true },
      named,
      false
    )
    const evaluation = new Evaluation(budget)
    const isBroken = schema.check({ ...value, ...context }, '', evaluation) === false
    const pointer = isBroken ? deepestErrorPath(evaluation.errors) : undefined
    known.set(fields, pointer)
    return pointer
  }
  try {
    const wrong = rows.flatMap(row => {
      const pointer = violation(row)
      return pointer === undefined ? [] : [{ ...row, pointer }]
    })
    if (wrong.length === 0) return undefined
    const parts = few(wrong, 'WLAN', ({ pointer, ...row }) => {
      const path = pointer.split('/').slice(1)
      const field = pointer === '' ? '' : ` ${path.join('.')}`
      return row.wlan.address + field + placeText(desired, row, path)
    })
    return {
      expected: `${plural(rows.length, 'WLAN')} to be as \`require\` says`,
      found: `${plural(wrong.length, 'WLAN')} that ${wrong.length === 1 ? 'is' : 'are'} not: ${parts}`,
      holds: holdsHint(undefined, wrong, sites.length)
    }
  } catch (thrown) {
    if (thrown instanceof RuleTimeout) return { invalid: '`require` takes too long' }
    throw thrown
  }
}

/** The number of sites or WLANs that a message names; it counts the others. */
const SHOWN = 3

function few<T>(items: readonly T[], noun: string, textOf: (item: T) => string): string {
  const shown = items.slice(0, SHOWN).map(textOf).join(', ')
  const rest = items.length - SHOWN
  return rest <= 0 ? shown : `${shown} and ${plural(rest, `more ${noun}`)}`
}

function placed(desired: Desired, row: Row, path?: readonly string[]): string {
  return `${row.wlan.address}${placeText(desired, row, path)}`
}

/** The fields that decide the facts of a WLAN. */
const factFields: Readonly<Record<string, readonly string[]>> = {
  vlan: ['vlan_id'],
  security: ['auth', 'type']
}

/** ` (sites/hq.yaml:12)`: the value of the field, or the WLAN if nothing declares that. */
function placeText(desired: Desired, { site, wlan }: Row, path: readonly string[] = []): string {
  const pointer = (factFields[path.join('.')] ?? path).reduce(child, '')
  const places = pointer === '' ? {} : desired.placesOf?.(site, wlan.key, [pointer], 'cwd')
  const { file, line } = places?.[pointer] ?? wlan.place
  return ` (${file}:${line})`
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
