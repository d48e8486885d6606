import type { FindingLevel } from '../../core/model/finding.ts'
import { compact, present } from '../../core/values/collections.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'
import { type CommandOptions, fleetCommand } from '../fleet-command.ts'
import { name, type Section, type TableRow, type Text, type Tone } from '../render/document.ts'
import type { FindingsReport, ImportSummary, RenderOptions } from '../report.ts'
import { messageText } from '../wording/message.ts'
import { unwatchedNote } from '../wording/unwatched.ts'
import { unreadSitesText } from '../wording/verdict.ts'
import { countOf, findingGroups } from './findings.ts'
import { emptyOverview, type Overview, verdictLine } from './overview.ts'
import { row, section, unwatchedSection } from './sections.ts'

export function findingsOverview(
  report: FindingsReport,
  options: CommandOptions & Pick<RenderOptions, 'verbose'>,
  isTerminal: boolean
): Overview {
  const { verbose } = options
  const { text, tone, incomplete } = resultOf(report)
  const { findings, lintLevel, secretFindings = [], read, imported, tests } = report
  const make = fleetCommand(options)
  const adopt = make('adopt', '--undeclared')
  const comment = tests ? ('tests' as const) : (read ?? imported) && ('snapshot' as const)
  return {
    ...emptyOverview,
    kind: 'findings',
    ...compact({ comment }),
    tone,
    headline: verdictLine({ alarms: [], verdict: text, ...compact({ incomplete }) }),
    ...compact({ incomplete }),
    verdict: text,
    coverage: present(unwatchedNote(report.unwatched ?? {}, adopt, 'files')).map(messageText),
    findings: findingGroups([...findings, ...(isTerminal ? secretFindings : [])], {
      make,
      ...compact({ lintLevel })
    }),
    sections: [
      ...(verbose ? unwatchedSection(report.unwatched ?? {}) : []),
      ...(imported === undefined ? [] : importedSections(imported, verbose))
    ]
  }
}

/** The result of an import lists at most this number of secrets, except with `--verbose`. */
const MAX_SECRETS = 10

function importedSections(imported: ImportSummary, verbose = false): Section[] {
  const { files, secrets, waivers, secretValues, dryRun } = imported
  const listed = verbose ? secrets : secrets.slice(0, MAX_SECRETS)
  const more = secrets.length - listed.length
  const list = (title: string, noun: string, rows: readonly TableRow[], count = rows.length) => {
    const columns = rows[0]?.cells.map((_, at) => (at === 0 ? capitalised(noun) : '')) ?? []
    return section({ id: `${noun}s`, title, count, noun }, columns, rows)
  }
  const fileRows = files.map(({ file, wlans, profiles: all = 0 }) => {
    const contents = [all > 0 && plural(all, 'profile'), wlans > 0 && plural(wlans, 'WLAN')]
    return row([name(file)], present(...contents).join(', '))
  })
  const secretRows = present(
    ...listed.map(secretRow),
    more > 0 && row(`and ${formatNumber(more)} more; \`--verbose\` lists all`),
    secrets.length > 0 && secretValues && row(secretValues)
  )
  return [
    ...list(dryRun ? 'To write' : 'Written', 'file', fileRows),
    ...(waivers ? list('Waivers', 'waiver', waiverRows(waivers), waivers.entries.length) : []),
    ...list('Secrets referenced by the files', 'secret', secretRows, secrets.length)
  ]
}

function waiverRows({ file, entries }: NonNullable<ImportSummary['waivers']>): TableRow[] {
  const repair = ' waives the lint errors of live networks for a while: repair the networks, and'
  if (file !== undefined) return [row([name(file), `${repair} remove the waivers`])]
  const add = 'add them to `policy.waivers`, until the live networks are repaired:'
  return [row(messageText(add)), ...entries.map(entry => row(['- ', name(entry)]))]
}

function secretRow({ name: secret, hidden, uses }: ImportSummary['secrets'][0]): TableRow {
  const places = uses === undefined ? '' : ` (${plural(uses, 'field')})`
  return row([name(secret), `${places}${hidden ? ' (hidden by the service)' : ''}`])
}

interface Result {
  readonly incomplete?: string
  readonly text: Text
  readonly tone: Tone
}

function resultOf({ findings, declared, read, imported, tests }: FindingsReport): Result {
  if (read !== undefined) {
    const requests = plural(read.requests, 'request')
    return incomplete(read.sites_failed, `Snapshot: ${sizeOf(read)}, without secrets; ${requests}`)
  }
  if (imported !== undefined) return importResult(imported)
  if (tests !== undefined) return testsResult(tests, declared)
  const groups = findingGroups(findings)
  const count = (level: FindingLevel) => countOf(groups.filter(group => group.level === level))
  const [errors, warnings] = [count('error'), count('warning')]
  const suffix = warnings === 0 ? '' : `, ${plural(warnings, 'warning')}`
  if (errors > 0) return { text: [`${plural(errors, 'error')}${suffix}`], tone: 'bad' }
  if (declared === undefined) return { text: [plural(warnings, 'warning')], tone: 'warn' }
  return { text: [`Valid: ${sizeOf(declared)}${suffix}`], tone: warnings === 0 ? 'good' : 'warn' }
}

type Size = Pick<ImportSummary, 'wlans' | 'sites'> & Partial<Pick<ImportSummary, 'sites_failed'>>

function sizeOf({ wlans, sites, sites_failed = 0 }: Size): string {
  return `${plural(wlans, 'WLAN')} on ${plural(sites - sites_failed, 'site')}`
}

function testsResult(
  tests: NonNullable<FindingsReport['tests']>,
  declared: FindingsReport['declared'] = { wlans: 0, sites: 0 }
): Result {
  const failed = tests.filter(({ findings }) => findings.length > 0).length
  if (tests.length === 0) return { text: ['The fleet declares no tests'], tone: 'warn' }
  const all = plural(tests.length, 'test')
  const fail = failed === 1 ? 'fails' : 'fail'
  return failed > 0
    ? { text: [`${formatNumber(failed)} of ${all} ${fail}`], tone: 'bad' }
    : { text: [`${all} passed: ${sizeOf(declared)}`], tone: 'good' }
}

function importResult(imported: ImportSummary): Result {
  const { sites, sites_failed: failed, secrets, lines } = imported
  const requests = plural(imported.requests, 'request')
  if (failed === sites) {
    const none =
      sites === 1 ? 'the site could not be read' : `none of ${plural(sites, 'site')} could be read`
    return { text: [`Import: ${none}; nothing was written; ${requests}`], tone: 'bad' }
  }
  const counts = `${plural(secrets.length, 'secret')}; ${requests}`
  const saved =
    lines && `; ${formatNumber(lines.factored)} lines instead of ${formatNumber(lines.plain)}`
  return incomplete(failed, `Import: ${sizeOf(imported)}, ${counts}${saved ?? ''}`)
}

function incomplete(failed: number, text: string): Result {
  const tone = failed === 0 ? 'good' : 'warn'
  return { incomplete: unreadSitesText(failed), text: [text], tone }
}
