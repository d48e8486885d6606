import { dangerKinds } from '../../core/model/danger.ts'
import { countUnresolved, type Finding, isError } from '../../core/model/finding.ts'
import type { Change, Plan } from '../../core/model/plan.ts'
import type { RecordedWave } from '../../core/model/record.ts'
import { groupBy } from '../../core/values/collections.ts'
import { formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { deferredNote, plannedForNote } from '../calendar.ts'
import { dangerTexts, worstDanger } from '../danger.ts'
import { type ImpactCount, impactCounts } from '../effects.ts'
import { type Severity, severityOf } from '../field-changes.ts'
import { thousands } from '../format-value.ts'
import { addressPartsOf, groupFindings } from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import { isListedWithLint } from '../lint-findings.ts'
import { allChanges } from '../periods.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { formatWaveSize, REST, waveOutcomes, wavesWithChanges } from '../rollout.ts'
import { sentUncompared } from '../secret-fields.ts'
import { unwatchedNote } from '../unwatched.ts'
import {
  clientsNote,
  countKnownFields,
  formatMissing,
  formatPlanVerdict,
  formatRefused,
  formatTotals,
  ignoredNote,
  partNote,
  refusalGroups,
  snapshotAge,
  splitFindings,
  WEAKENED
} from '../verdict.ts'
import { codeSpan, fieldSpan } from './cells.ts'
import { type ChangeGroup, changesSection, groupChanges, kindsSection } from './changes.ts'
import {
  findingsSection,
  inheritedSection,
  lintSections,
  notComparedSection,
  periodsSection,
  timesSection,
  unmanagedSection,
  unwatchedSection
} from './findings.ts'
import { type AlertLevel, alert, marker, page, paragraphs } from './page.ts'

/**
 * A plan as a comment: verdict, alerts on impact and downgrades, totals, digest and the command for the full
 * report; then tables, which may be truncated.
 */
export function planMarkdown(report: PlanReport, options: RenderOptions, limit: number): string {
  const { kind, plan, command } = report
  const { weakened, dangers, others: findings } = splitFindings(plan, command)
  const { source } = options
  const listing = { ...report, ...(options.verbose && { verbose: options.verbose }) }
  const direction = kind === 'plan' ? 'before → after' : 'live → declared'
  const sections = [
    findingsSection(weakened, 1 / 4, `#### ${WEAKENED}`, source),
    kindsSection(plan),
    changesSection(plan, direction, kind, source),
    findingsSection(dangers, 1 / 4, '#### Not declared', source),
    periodsSection(plan, source),
    timesSection('deferred', plan),
    timesSection('upcoming', plan),
    ...refusalGroups(plan, command).map(({ title, findings: refusals }) =>
      findingsSection(refusals, 1 / 4, `#### ${title}`, source)
    ),
    findingsSection(
      findings.filter(
        found => !isUnresolved(found) && !isRemoved(found) && !isListedWithLint(found)
      ),
      1 / 4,
      undefined,
      source
    ),
    ...lintSections(findings, listing, 1 / 8, source),
    findingsSection(plan.findings.filter(isRemoved), 1 / 8, '#### No longer declared', source),
    unmanagedSection(plan),
    inheritedSection(plan),
    notComparedSection(plan),
    ...(options.verbose ? [unwatchedSection(plan)] : []),
    findingsSection(plan.findings.filter(isUnresolved), 1 / 8, '', source)
  ]
  const head = headOf(report, options, fullReports[kind])
  if (kind === 'plan') return page(head, sections, limit)
  const short = headOf(report, options, '')
  const shown = page(short, sections, limit)
  const isWhole = shown === page(short, sections, Number.POSITIVE_INFINITY)
  return isWhole ? shown : page(head, sections, limit)
}

/**
 * How to get the full report. A plan is usually saved; the report of a drift check is not, so that it is only
 * mentioned if the comment is truncated.
 */
const fullReports: Readonly<Record<PlanReport['kind'], string>> = {
  plan: ' Full report: `wlanctl show plan.json`, with the plan saved by this run.',
  drift:
    ' Full report: run `wlanctl drift --report json=drift.json`, then `wlanctl show drift.json`.'
}

/**
 * True for warnings about unresolved secrets, which come last: where a plan is made, secrets are often
 * unavailable on purpose.
 */
function isUnresolved({ code, level }: Finding): boolean {
  return code === 'SECRET_UNRESOLVED' && level === 'warning'
}

function isRemoved({ code }: Finding): boolean {
  return code === 'NO_LONGER_DECLARED'
}

function headOf(
  { kind, plan, command }: PlanReport,
  options: RenderOptions,
  fullReport: string
): string {
  const style = styleOf({ ...options, colour: false })
  const text = thousands(formatPlanVerdict(kind, plan, style, command))
  return [
    `${marker(kind, options.fleet)}\n`,
    paragraphs(
      `### ${signOf(plan)} ${text}`,
      ...partAlert(plan),
      ...ageAlert(plan),
      ...refusedAlert(plan, command),
      ...[plannedForNote(plan, codeSpan) ?? []].flat().map(note => alert('IMPORTANT', `${note}.`)),
      ...impactAlerts(kind, plan),
      ...uncomparedAlert(kind, plan),
      [
        thousands(formatTotals(plan.summary)),
        ...[clientsNote(plan) ?? []].flat(),
        ...sinceLine(plan),
        ...[unwatchedNote(plan, codeSpan) ?? [], ignoredNote(plan) ?? []].flat().map(thousands),
        ...[deferredNote(plan, codeSpan) ?? []].flat(),
        ...(kind === 'plan' ? rolloutLine(plan) : [])
      ].join('<br>'),
      originOf(plan, fullReport)
    )
  ].join('')
}

/** An alert that the plan covers only a part of the fleet. */
function partAlert(plan: Plan): string[] {
  const part = partNote(plan, codeSpan)
  return part === undefined ? [] : [alert('IMPORTANT', `${part}.`)]
}

/** The reasons why the command would refuse the plan. */
function refusedAlert(plan: Plan, command: PlanReport['command']): string[] {
  const reasons = formatRefused(plan)
  if (reasons === undefined) return []
  const what = `**Refused** by \`${command ?? 'apply'}\`: ${thousands(reasons)}.`
  return [alert('CAUTION', `${what} The table below lists what allows each.`)]
}

/** An alert that live WLANs may have changed since the snapshot. */
function ageAlert(plan: Plan): string[] {
  const age = snapshotAge(plan)
  if (age === undefined) return []
  return [
    alert('IMPORTANT', `Planned against a **snapshot** ${codeSpan(age)}, not the live service.`)
  ]
}

/** The secrets that `apply` sends, or may send, although this plan could not compare them. */
function uncomparedAlert(kind: PlanReport['kind'], plan: Plan): string[] {
  if (kind === 'drift') return []
  const sent = plan.changes
    .map(change => ({ change, fields: sentUncompared(change) }))
    .filter(({ fields }) => fields.length > 0)
  const count = sent.reduce((sum, { fields }) => sum + fields.length, 0)
  const equal = groupFindings(sent, ({ change, fields }) =>
    JSON.stringify([addressPartsOf(change).key, fields])
  )
  const names = equal.map(group => {
    const [{ change, fields }] = group
    return `${placeOf(change, group.length)} (${listFirst(fields.map(fieldSpan), 3)})`
  })
  const why = 'the secret is unavailable to this plan, or the service hides the live one'
  const what = `**${plural(count, 'secret')} written without comparison**: ${why}`
  const unavailable = countUnresolved(plan.findings)
  const rest = `**${plural(unavailable, 'secret')} unavailable** to this plan: \`apply\` compares the secrets, and writes those that differ`
  return [
    ...(count > 0 ? [alert('WARNING', `${what}: ${listFirst(names, MAX_NAMES)}`)] : []),
    ...(unavailable > 0 ? [alert('NOTE', rest)] : [])
  ]
}

/** The number of new fields since the earlier report, if there is one. */
function sinceLine({ since, changes }: Plan): string[] {
  if (since === undefined) return []
  const fresh = plural(since.new_fields, 'field')
  const before = formatNumber(countKnownFields({ changes }))
  const than = codeSpan(formatTime(since.created))
  return [`Compared with ${than}: **${fresh} first seen now**, ${before} known before`]
}

/** The digest and origin of the plan, and `fullReport`. */
function originOf({ digest, base_url, created, tool }: Plan, fullReport: string): string {
  const origin = `Made ${codeSpan(created)} by ${codeSpan(tool)} for ${codeSpan(base_url)}.`
  return `<sub>Digest ${codeSpan(digest)}<br>${origin}${fullReport}</sub>`
}

function signOf(plan: Plan): string {
  const { findings, refusals = [] } = plan
  const changes = allChanges(plan)
  if ([...findings, ...refusals].some(isError) || formatMissing(plan) !== undefined) return '🔴'
  if (changes.length === 0) return '🟢'
  const isHarm = changes.some(change => severityOf(change) !== 'none')
  return isHarm ? '🟠' : '🔵'
}

/** An alert lists at most this many WLANs. */
const MAX_NAMES = 5

const levels: Readonly<Partial<Record<Severity, AlertLevel>>> = {
  downgrade: 'CAUTION',
  outage: 'WARNING'
}

const effects: Readonly<Record<Severity, string>> = {
  downgrade: 'the network becomes less secure',
  outage: 'all or most clients lose this network',
  reconnect: 'clients disconnect and reconnect',
  some: 'some clients stay out',
  'guest-login': 'new guests may be unable to log in',
  'radio-reset': 'other WLANs of the access points drop for seconds',
  none: ''
}

/** Alerts on impact and downgrades by severity, and on WLANs that the plan does not cover. */
function impactAlerts(kind: PlanReport['kind'], plan: Plan): string[] {
  const groups = groupChanges(plan.changes)
  const counts = impactCounts(groups.flatMap(({ changes }) => changes))
  const lines = counts.map(count => alertLine(count, kind === 'drift'))
  const [worst = 'none'] = counts[0]?.severities ?? []
  return [
    ...dangerAlert(groups, splitFindings(plan).dangers),
    ...(lines.length === 0 ? [] : [alert(levels[worst] ?? 'NOTE', lines.join('<br>'))]),
    ...incomplete(plan)
  ]
}

/** The dangers of the live WLANs in order of severity; empty if there are none. */
function dangerAlert(groups: readonly ChangeGroup[], undeclared: readonly Finding[]): string[] {
  const byDanger = groupBy(groups, ({ changes: [change] }) => worstDanger(change))
  const lines = dangerKinds.flatMap(danger => {
    const affected = byDanger.get(danger) ?? []
    const changes = affected.flatMap(group => group.changes)
    const others = undeclared.filter(found => found.danger === danger)
    if (changes.length + others.length === 0) return []
    const declared = `(${plural(changes.length, 'WLAN')}): ${namesOf(changes)}`
    const parts = [
      ...(changes.length === 0 ? [] : [declared]),
      ...(others.length === 0 ? [] : [`not declared: ${addressList(others)}`])
    ]
    return [`**${dangerTexts[danger]}** ${parts.join('; ')}`]
  })
  return lines.length === 0 ? [] : [alert('CAUTION', `Live now: ${lines.join('<br>')}`)]
}

function addressList(findings: readonly Finding[]): string {
  const addresses = new Set(findings.map(({ address = '' }) => address))
  return listFirst([...addresses].map(codeSpan), MAX_NAMES)
}

function alertLine({ severities, changes, text }: ImpactCount, isDrift: boolean): string {
  const effect = severities.map(severity => effects[severity]).join('; ')
  return `**${text}**${isDrift ? ' to fix it' : ''}: ${effect}: ${namesOf(changes, severities)}`
}

/** An alert lists at most this many sites for a WLAN key. */
const MAX_ALERTED = 3

/**
 * The changes by address, with those of the same WLAN key merged to their sites, regardless of values;
 * downgrades include their fields.
 */
function namesOf(changes: readonly Change[], severities: readonly Severity[] = []): string {
  const isDowngrade = severities.includes('downgrade')
  const fieldsOf = ({ downgrades = [] }: Change) => (isDowngrade ? downgrades : [])
  const alike = groupFindings(changes, change =>
    JSON.stringify([addressPartsOf(change).key, fieldsOf(change)])
  )
  const names = alike.map(([change, ...others]) => {
    const sites = [change, ...others].map(({ site }) => codeSpan(site.name))
    const isOne = others.length === 0
    const where = placeOf(change, sites.length)
    const fields = listFirst(fieldsOf(change).map(fieldSpan), 3)
    const details = [isOne ? '' : listFirst(sites, MAX_ALERTED), fields].filter(text => text !== '')
    return details.length === 0 ? where : `${where} (${details.join('; ')})`
  })
  return listFirst(names, MAX_NAMES)
}

/** The address of a change, or the WLAN key of several changes and the number of their sites. */
function placeOf(change: Change, count: number): string {
  if (count === 1) return codeSpan(change.address)
  return `${codeSpan(addressPartsOf(change).key)} on ${plural(count, 'site')}`
}

function incomplete(plan: Plan): string[] {
  const missing = formatMissing(plan)
  if (missing === undefined) return []
  const what = `**Incomplete**: ${thousands(missing)}.`
  return [alert('IMPORTANT', `${what} The findings list the reasons.`)]
}

/** The maximum number of waves, and of sites in each, because the head of a page is never truncated. */
const MAX_WAVES = 8
const MAX_SITES = 3

/**
 * The waves of a plan with their sites, on one line; empty without a rollout.
 *
 *     **Rollout**: `canary` (2 changes on 1 site: `hq`) → _rest_ (29 changes on 29 sites: …)
 */
export function rolloutLine(plan: Plan): string[] {
  const waves = wavesWithChanges(plan)
  const [first] = waves
  if (first === undefined || (waves.length === 1 && first.name === undefined)) return []
  const texts = waves.map(wave => {
    const sites = listFirst(wave.sites.map(codeSpan), MAX_SITES)
    return `${waveLabel(wave)} (${thousands(formatWaveSize(wave))}: ${sites})`
  })
  return [rolloutText(texts)]
}

/** The outcomes of a run by wave, on one line; empty with fewer than two waves. */
export function waveOutcomesLine(...run: Parameters<typeof waveOutcomes>): string[] {
  const results = waveOutcomes(...run)
  if (results.length < 2) return []
  return [rolloutText(results.map(wave => `${waveLabel(wave)}: ${thousands(wave.counts)}`))]
}

/** The waves of a recorded run, on one line. */
export function wavesLine(waves: readonly RecordedWave[] = []): string[] {
  if (waves.length === 0) return []
  const texts = waves.map(wave => {
    const problem = wave.problem === undefined ? '' : `, failed: ${codeSpan(wave.problem)}`
    return `${waveLabel(wave)} (${plural(wave.changes, 'change')}${problem})`
  })
  return [rolloutText(texts)]
}

function waveLabel({ name }: { readonly name?: string }): string {
  return name === undefined ? `_${REST}_` : codeSpan(name)
}

function rolloutText(texts: readonly string[]): string {
  const rest = texts.length - MAX_WAVES
  const more = rest > 0 ? [plural(rest, 'more wave')] : []
  return `**Rollout**: ${[...texts.slice(0, MAX_WAVES), ...more].join(' → ')}`
}
