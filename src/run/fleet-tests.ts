import { createHash } from 'node:crypto'
import {
  countManaged,
  type Desired,
  type DesiredSite,
  type DesiredWlan
} from '../core/model/desired.ts'
import { Failure } from '../core/model/failure.ts'
import {
  type Finding,
  type FindingCode,
  finding,
  isError,
  type Where
} from '../core/model/finding.ts'
import { classesOf, impacts } from '../core/model/impact.ts'
import type { Change, Plan } from '../core/model/plan.ts'
import { compact, groupBy } from '../core/values/collections.ts'
import { matchesGlob } from '../core/values/glob.ts'
import { child, isAtOrBelow, type Pointer, steps } from '../core/values/pointer.ts'
import { formatLocation, listFirst, plural, quote } from '../core/values/text.ts'
import { canonical } from '../core/values/value.ts'
import { withoutSecrets } from '../files/redacted-secrets.ts'
import type { StoredSite } from '../files/snapshot.ts'
import type { FleetTests } from '../fleet/load.ts'
import { isSameSite } from '../fleet/since/same.ts'
import type { DeclaredTest, ExpectedChange, Refusal } from '../fleet/tests/declared.ts'
import { checkTest, type Failed, testedWlans, wouldHold } from '../fleet/tests/expectations.ts'
import type { RunContext } from './context.ts'
import { makePlanAgainst, type PlannedSnapshot } from './make-plan.ts'

/** The result of a test: it holds if there are no findings. */
export interface TestResult {
  readonly name: string
  readonly where: Where
  readonly findings: readonly Finding[]
}

/** What tests need besides the fleet. */
export interface TestRun extends Pick<RunContext, 'tool' | 'now' | 'interrupted'> {
  /** Reads a snapshot; the name is relative to the working directory. */
  readonly readState: (name: string) => Promise<PlannedSnapshot>
}

/** Runs the tests of a fleet, in the order of the files. Each fleet that several tests are about is loaded once. */
export async function runTests(
  { declared, fleetOf, time }: FleetTests,
  desired: Desired,
  run: TestRun
): Promise<TestResult[]> {
  const results = new Map<DeclaredTest, readonly Finding[]>()
  const groups = groupBy(declared, ({ given, at }) => JSON.stringify([given, at]))
  for (const tests of groups.values()) {
    const [{ given, at }] = tests
    await time.test()
    const isOwn = given === undefined && at === undefined
    const loaded = isOwn ? { desired, findings: [] } : await fleetOf(compact({ given, at }))
    const tested = loaded.desired && testedWlans(loaded.desired)
    for (const test of tests) {
      await time.test()
      const found =
        tested === undefined
          ? [unloaded(test, loaded.findings)]
          : [
              ...checkTest(test, tested),
              ...(await checkPlans(test, tested.desired, desired, run).catch(unreadable(test)))
            ]
      results.set(test, found)
    }
  }
  return declared.map(test => ({ ...test, findings: results.get(test) ?? [] }))
}

function invalid({ name, where }: DeclaredTest, problem: string, hint?: string): Finding {
  return finding('TEST_INVALID', where, name, problem, hint)
}

function unloaded(test: DeclaredTest, findings: readonly Finding[]): Finding {
  const { place, message = '', hint } = findings.find(isError) ?? {}
  const cause = test.given === undefined ? 'at its time' : `with ${test.given}`
  const at = place === undefined ? '' : `${formatLocation(place)}: `
  return invalid(test, `${cause}, the fleet has errors: ${at}${message}`, hint)
}

/** A snapshot that cannot be read makes its test invalid, and no other. */
function unreadable(test: DeclaredTest): (thrown: unknown) => Finding[] {
  return thrown => {
    if (!(thrown instanceof Failure)) throw thrown
    return [invalid(test, thrown.message, thrown.hint)]
  }
}

/** Checks the expectations about plans. Live is the snapshot of the test, or the fleet as its files declare it. */
async function checkPlans(
  test: DeclaredTest,
  desired: Desired,
  files: Desired,
  run: TestRun
): Promise<Finding[]> {
  const { name, expectations, against, covers } = test
  const expected = expectations.filter(({ kind }) => kind === 'refused' || kind === 'changes')
  if (expected.length === 0) return []
  const namesRule = expected.some(each => each.kind === 'refused' && 'rule' in each.by)
  const planned = namesRule ? desired : withoutLint(desired)
  const plan =
    against === undefined
      ? await planFrom(files, planned, run)
      : (await makePlanAgainst(planned, await run.readState(against), run)).plan
  const sites = desired.sites.filter(covers)
  const unread = plan.findings.filter(({ code }) => code === 'SITE_NOT_READ')
  const names = new Set(unread.map(({ address }) => address))
  const missing = sites.filter(site => names.has(site.name)).map(site => site.name)
  if (missing.length > 0) {
    const count = plural(missing.length, 'site')
    return [invalid(test, `${quote(against ?? '')} lacks ${count}: ${listFirst(missing, SHOWN)}`)]
  }
  return expected.flatMap(expectation => {
    const { where } = expectation
    const failed = (found: Failed | undefined) =>
      found === undefined
        ? []
        : [finding('TEST_FAILED', where, name, found.expected, found.found, found.holds)]
    if (expectation.kind === 'refused') return failed(refusedBy(expectation.by, plan))
    if (expectation.kind !== 'changes') return []
    const unmatched = expectation.changes.find(
      ({ glob }) =>
        !sites.some(({ wlans }) => wlans.some(({ address }) => matchesGlob(address, glob)))
    )
    if (unmatched !== undefined) {
      return [finding('TEST_INVALID', where, name, `no WLAN matches ${quote(unmatched.glob)}`)]
    }
    return failed(changedFields(expectation.changes, sites, plan))
  })
}

/** The linter takes half of the time of a plan, and only a test that names a rule needs it. */
function withoutLint({ policy: { lint: _, ...policy }, ...desired }: Desired): Desired {
  return { ...desired, policy }
}

/** The plan from one fleet to another, of the sites that differ. */
async function planFrom(files: Desired, desired: Desired, run: TestRun): Promise<Plan> {
  const before = new Map(files.sites.map(site => [site.id.toLowerCase(), site]))
  const differing = desired.sites.filter(
    site => !isSameSite(site, before.get(site.id.toLowerCase()))
  )
  const live = differing.flatMap(({ id }) => before.get(id.toLowerCase()) ?? [])
  const state = { sites: live.map(storedSite), unread: [], created: '', digest: '', base_url: '' }
  const changed = { ...desired, sites: differing.map(withIds) }
  return (await makePlanAgainst(changed, state, run, countManaged(desired.sites))).plan
}

function withIds(site: DesiredSite): DesiredSite {
  return { ...site, wlans: site.wlans.map(wlan => ({ ...wlan, id: idOf(wlan) })) }
}

/** The WLANs of a site as if the service had them. */
function storedSite({ id, name, wlans }: DesiredSite): StoredSite {
  return {
    id,
    name,
    wlans: wlans.map(wlan => canonical(withoutSecrets({ ...wlan.fields, id: idOf(wlan) })))
  }
}

/** The id of a WLAN, or one made from its address. */
function idOf({ id, address }: DesiredWlan): string {
  if (id !== undefined) return id
  const hash = createHash('sha256').update(address).digest('hex')
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

const limitsByCode: Readonly<Partial<Record<FindingCode, string>>> = {
  OVER_MAX_CHANGES: 'max_changes',
  OVER_MAX_PERCENT: 'max_change_percent'
}

/** A refusal as in `refused`. */
function refusalText({ code, rule }: Finding): string {
  if (rule !== undefined) return `rule: ${rule}`
  if (code === 'DOWNGRADE_REFUSED') return 'downgrade: true'
  const limit = limitsByCode[code]
  return limit === undefined ? code : `limit: ${limit}`
}

/** Undefined if the plan is refused for this reason; a run that allows less than the worst impact refuses it. */
function refusedBy(by: Refusal, { refusals = [], changes }: Plan): Failed | undefined {
  const [[key, value] = []] = Object.entries(by)
  const found = [...new Set(refusals.filter(isError).map(refusalText))]
  const worst = impacts.findLast(impact =>
    changes.some(change => classesOf(change).includes(impact))
  )
  const all = [...found, ...(worst === undefined ? [] : [`impact: ${worst}`])]
  if (all.includes(`${key}: ${value}`)) return undefined
  const reasons = found.map(each => `\`${each}\``).join(', ')
  const ways = all.filter(each => each.includes(': ') && each !== 'impact: none')
  return {
    expected: `\`${key}: ${value}\` to refuse the plan`,
    found: `${reasons || 'no refusal'} of ${plural(changes.length, 'change')}`,
    holds: wouldHold(ways.map(each => `\`refused: { ${each} }\``))
  }
}

/** The number of WLANs that a message names; it counts the others. */
const SHOWN = 3

const MAX_FIELDS = 10

/** Compares the changed fields of the plan with the expected ones; undefined if they are these. */
function changedFields(
  expected: readonly ExpectedChange[],
  sites: readonly DesiredSite[],
  plan: Plan
): Failed | undefined {
  const names = new Set(sites.map(({ name }) => name))
  const changed = new Map(
    plan.changes.flatMap(change =>
      names.has(change.site.name) ? [[change.address, pointersOf(change)]] : []
    )
  )
  const differences: string[] = []
  for (const { address, managed } of sites.flatMap(({ wlans }) => wlans)) {
    if (managed === false) continue
    const wanted = expected
      .filter(({ glob }) => matchesGlob(address, glob))
      .flatMap(({ fields }) => fields.map(({ path }) => path.reduce(child, '')))
    const actual = changed.get(address) ?? []
    const more = actual.filter(pointer => !wanted.some(field => isAtOrBelow(pointer, field)))
    const less = wanted.filter(field => !actual.some(pointer => isAtOrBelow(pointer, field)))
    if (more.length > 0) differences.push(`${address} changes ${fieldList(more)}`)
    if (less.length > 0) differences.push(`${address} keeps ${fieldList(less)}`)
  }
  if (differences.length === 0) return undefined
  const wanted = expected.map(
    ({ glob, fields }) => `${glob} to change ${fields.map(({ name }) => name).join(', ')}`
  )
  const own = [...changed]
    .slice(0, SHOWN)
    .map(([address, fields]) => `${quote(address)}: [${fieldList(fields)}]`)
  const others = changed.size - own.length
  return {
    expected:
      wanted.length === 0 ? 'no change' : `${wanted.join(', ')}, and nothing else to change`,
    found: listFirst(differences, SHOWN),
    holds:
      changed.size === 0
        ? '`changes: {}` would hold'
        : `\`changes: { ${own.join(', ')} }\`${others > 0 ? ` with ${plural(others, 'more WLAN')}` : ''} would hold`
  }
}

function pointersOf({ patch }: Change): Pointer[] {
  return [...new Set(patch.filter(({ op }) => op !== 'test').map(({ path }) => path))]
}

function fieldList(pointers: readonly Pointer[]): string {
  return listFirst(
    pointers.map(pointer => steps(pointer).join('.')),
    MAX_FIELDS
  )
}
