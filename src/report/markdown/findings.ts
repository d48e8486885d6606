import { type Finding, isError, levelRank } from '../../core/model/finding.ts'
import { countUnwatched, type Plan, type Unmanaged } from '../../core/model/plan.ts'
import { compact } from '../../core/values/collections.ts'
import { formatLocation, listFirst, plural } from '../../core/values/text.ts'
import {
  deferredRows,
  deferredTitle,
  UPCOMING,
  upcomingColumns,
  upcomingRows
} from '../calendar.ts'
import { formatValue, thousands } from '../format-value.ts'
import {
  addressesOf,
  addressPartsOf,
  codeOf,
  type GroupedFindings,
  groupEqualFindings,
  groupFindings,
  groupMessage,
  isAboutSite,
  splitAddress,
  unmanagedKey
} from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import {
  existingFindings,
  isListedWithLint,
  type LintListing,
  listedFindings,
  waivedFindings
} from '../lint-findings.ts'
import { PERIODS, periodGroups } from '../periods.ts'
import type { FindingsReport, RenderOptions } from '../report.ts'
import { elementPointer, notComparedPointers } from '../secret-fields.ts'
import { formatFindingsVerdict } from '../text/findings.ts'
import { undeclaredNote } from '../unwatched.ts'
import {
  codeSpan,
  fieldSpan,
  fieldsCell,
  manyCell,
  messageSpan,
  placeLink,
  siteCell,
  wlanCell
} from './cells.ts'
import { impactBadges } from './changes.ts'
import { marker, page, paragraphs, type Section, type TableRow } from './page.ts'

/**
 * The findings, with equal ones in one row; if they do not fit, warnings are omitted first. `source`: the
 * address of the files, to link their places.
 */
export function findingsSection(
  findings: readonly Finding[],
  share: number,
  lead = '#### Findings',
  source?: string
): Section {
  return {
    lead: findings.length === 0 ? '' : lead,
    columns: ['', 'Location', 'Finding'],
    rows: groupEqualFindings(findings).map(group => row(group, source)),
    noun: 'finding',
    share
  }
}

const signs = { error: '🔴&nbsp;error', warning: '🟡&nbsp;warning', info: '⚪&nbsp;info' } as const

function row(group: GroupedFindings<Finding>, source: string | undefined): TableRow {
  const [found] = group
  const { hint } = found
  const advice = hint === undefined ? '' : `<br>→ ${messageSpan(hint)}`
  return {
    cells: [
      signs[found.level],
      whereCell(group, source),
      `${messageSpan(groupMessage(group))}${advice}<br><sub>${codeSpan(codeOf(found))}</sub>`
    ],
    weight: group.length,
    rank: levelRank(found.level)
  }
}

function whereCell(group: GroupedFindings<Finding>, source: string | undefined): string {
  const [found] = group
  const { place, path, owner } = found
  const addresses = addressesOf(group)
  const about = path === undefined || group.length > 1 ? addresses : [path]
  return [
    ...(place === undefined ? [] : [placeLink(formatLocation(place), place, source)]),
    ...(about.length === 0 ? [] : [manyCell(about, isAboutSite(found) ? 'site' : 'WLAN')]),
    ...(owner === undefined ? [] : [`owner ${codeSpan(owner)}`])
  ].join('<br>')
}

/** The new findings of the linter in a plan, and the existing ones in a fold. */
export function lintSections(
  findings: readonly Finding[],
  listing: LintListing,
  share: number,
  source?: string
): Section[] {
  const ofLinter = findings.filter(isListedWithLint)
  const waived = waivedFindings(ofLinter)
  const existing = existingFindings(ofLinter, listing)
  const listed = listedFindings(ofLinter, listing).filter(
    found => !existing.includes(found) && !waived.includes(found)
  )
  const isOfRules = existing.some(({ code }) => code !== 'LINT')
  const count = plural(existing.length, `existing ${isOfRules ? '' : 'lint '}finding`)
  const waivedCount = plural(waived.length, 'finding')
  return [
    findingsSection(listed, share, '#### Lint', source),
    { ...findingsSection(existing, share / 2, '', source), fold: `${count}: already live` },
    { ...findingsSection(waived, share / 2, '', source), fold: `${waivedCount} waived` }
  ]
}

/** A row lists at most this many pointers. */
const MAX_POINTERS = 20

/** The declared secrets that could not be compared, of changed and unchanged WLANs. */
export function notComparedSection({ changes, not_compared }: Plan): Section {
  const all = [
    ...changes.map(change => ({
      place: addressPartsOf(change),
      pointers: (change.not_compared ?? []).map(at => elementPointer(change.request.body, at))
    })),
    ...not_compared.map(entry => ({
      place: splitAddress(entry.address),
      pointers: notComparedPointers(entry)
    }))
  ].filter(({ pointers }) => pointers.length > 0)
  const groups = groupFindings(all, ({ place, pointers }) => JSON.stringify([place.key, pointers]))
  return {
    lead: '',
    columns: ['Site', 'WLAN', 'Secrets that are unavailable or hidden by the service'],
    fold: `${plural(all.length, 'WLAN')} with secrets that were not compared`,
    rows: groups.map(([first, ...others]) => {
      const places = [first.place, ...others.map(({ place }) => place)]
      const pointers = listFirst(first.pointers.map(fieldSpan), MAX_POINTERS)
      return { cells: [siteCell(places), wlanCell(first.place), pointers], weight: places.length }
    }),
    noun: 'WLAN',
    share: 1 / 8
  }
}

/** The live WLANs that are not declared. */
export function unmanagedSection({ unmanaged }: Plan): Section {
  const n = plural(unmanaged.length, 'WLAN')
  return liveSection(`#### Unmanaged: ${n} live but not declared`, unmanaged)
}

/** The inherited live WLANs that are not declared. */
export function inheritedSection({ inherited = [] }: Plan): Section {
  const n = plural(inherited.length, 'WLAN')
  return liveSection(`#### Inherited from the organization: ${n}`, inherited)
}

/** Undeclared WLANs; those that differ only in the site and the id share a row. */
function liveSection(title: string, unmanaged: readonly Unmanaged[]): Section {
  const hasNetworks = unmanaged.some(({ network }) => network !== undefined)
  const hasOwners = unmanaged.some(({ owner }) => owner !== undefined)
  const hasTemplates = unmanaged.some(({ template }) => template !== undefined)
  const optional = (text: string | undefined) => (text === undefined ? '' : codeSpan(text))
  return {
    lead: unmanaged.length === 0 ? '' : title,
    columns: [
      'Site',
      'SSID',
      ...(hasNetworks ? ['Network'] : []),
      'Id',
      ...(hasTemplates ? ['Template'] : []),
      ...(hasOwners ? ['Owner'] : [])
    ],
    rows: groupFindings(unmanaged, unmanagedKey).map(group => ({
      cells: [
        manyCell(
          group.map(({ site }) => site),
          'WLAN'
        ),
        codeSpan(formatValue(group[0].ssid)),
        ...(hasNetworks ? [optional(group[0].network)] : []),
        group.length === 1 ? codeSpan(group[0].id) : '',
        ...(hasTemplates ? [optional(group[0].template)] : []),
        ...(hasOwners ? [optional(group[0].owner)] : [])
      ],
      weight: group.length
    })),
    noun: 'WLAN',
    share: 1 / 8
  }
}

/** The unwatched fields of each WLAN as a Markdown table. */
export function unwatchedSection(plan: Plan): Section {
  const { unwatched = [] } = plan
  const groups = groupFindings(unwatched, ({ pointers }) => JSON.stringify(pointers))
  return {
    lead: '',
    columns: ['WLAN', 'Fields that are not watched'],
    fold: `${plural(countUnwatched(plan).wlans, 'WLAN')} with fields that are not watched`,
    rows: groups.map(group => ({
      cells: [
        group.length === 1
          ? codeSpan(group[0].address)
          : manyCell(
              group.map(({ address }) => address),
              'WLAN'
            ),
        group[0].pointers.map(fieldSpan).join(', ')
      ],
      weight: group.length
    })),
    noun: 'WLAN',
    share: 1 / 8
  }
}

/** The changes of the periods that the files add or change. */
export function periodsSection(plan: Plan, source: string | undefined): Section {
  const groups = periodGroups(plan)
  const options = { open: groups.length <= 4, dated: false, ...compact({ source }) }
  return {
    lead: groups.length === 0 ? '' : `#### ${PERIODS}`,
    columns: ['When', 'WLAN', 'Period', 'Impact', 'Fields, before → after'],
    rows: groups.map(({ when, where, event, without, changes }) => ({
      cells: [
        ...[when, where, event].map(cell => codeSpan(cell)),
        ...(changes === undefined
          ? ['', without]
          : [impactBadges(changes[0]), fieldsCell(changes, options)])
      ],
      weight: changes?.length ?? 1
    })),
    noun: 'period',
    share: 1 / 4
  }
}

/** The changes that wait for their window, or the upcoming starts and ends of periods and freezes. */
export function timesSection(part: 'deferred' | 'upcoming', plan: Plan): Section {
  const isDeferred = part === 'deferred'
  const rows: readonly (readonly string[])[] = isDeferred ? deferredRows(plan) : upcomingRows(plan)
  return {
    lead: '',
    columns: isDeferred ? ['WLAN', 'Waits'] : upcomingColumns,
    fold: isDeferred ? deferredTitle(plan) : UPCOMING,
    rows: rows.map(cells => ({ cells: cells.map(cell => codeSpan(cell)), weight: 1 })),
    noun: isDeferred ? 'change' : 'event',
    share: 1 / 8
  }
}

export function findingsMarkdown(
  report: FindingsReport,
  options: RenderOptions,
  limit: number
): string {
  const { findings } = report
  const isLive = (report.read ?? report.imported) !== undefined
  const head = paragraphs(
    `### ${signOf(report)} ${thousands(formatFindingsVerdict(report, styleOf({ ...options, colour: false })))}`,
    thousands(undeclaredNote(report.unwatched, codeSpan) ?? ''),
    findings.length === 0 || isLive ? '' : 'Full report: run `wlanctl validate` in a checkout.'
  )
  const kind = isLive ? 'snapshot' : 'plan'
  const listing = { ...report, ...(options.verbose && { verbose: options.verbose }) }
  const others = findings.filter(found => !isListedWithLint(found))
  const sections = [
    findingsSection(others, 1, '', options.source),
    ...lintSections(findings, listing, 1 / 4, options.source)
  ]
  return page(`${marker(kind, options.fleet)}\n${head}`, sections, limit)
}

function signOf({ findings, declared, read, imported }: FindingsReport): string {
  if (findings.some(isError) || (declared ?? read ?? imported) === undefined) return '🔴'
  return findings.length === 0 ? '🟢' : '🟡'
}
