import { Argument, Option } from 'commander'
import type { Desired, DesiredSite } from '../../core/model/desired.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import { finding } from '../../core/model/finding.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { type Condition, parseCondition, problemIn } from '../../core/query/condition.ts'
import {
  fieldNamed,
  type NamedField,
  type Problem,
  type Subject,
  unknownField
} from '../../core/query/field.ts'
import {
  countTable,
  matrixTable,
  type QueryTable,
  type SortKey,
  wlanTable
} from '../../core/query/table.ts'
import { secretsShownAt } from '../../core/schema/shown-secrets.ts'
import { sortBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { listFormats } from '../../report/commands/list.ts'
import type { NextStep } from '../../report/report.ts'
import type { CommandRow } from '../command.ts'
import { WlanSelection, withLiveSites } from '../import/live-sites.ts'
import { fromOption, orgOption, type SiteListOptions } from '../import/requested-sites.ts'
import { loadDesired } from '../load-desired.ts'
import { repeatable } from '../option-values.ts'
import { groups, optionSets, type ReadingOptions, under } from '../options.ts'
import { writeFormats, writeReportToStderr } from '../output.ts'
import { type Io, writeLine } from '../terminal/io.ts'
import { printNextSteps, sameSelection } from '../terminal/next-steps.ts'

interface Options
  extends Omit<ReadingOptions, 'format'>,
    SiteListOptions,
    Pick<SecretOptions, 'secretPrefix'> {
  readonly format: keyof typeof listFormats
  readonly live?: true
  readonly against?: string
  readonly where: readonly string[]
  readonly columns?: readonly string[]
  readonly sort: readonly string[]
  readonly countBy?: string
  readonly by?: string
}

export const command: CommandRow = {
  arguments: [
    new Argument('[fleet]', 'the directory with the YAML files; default: the current one')
  ],
  options: [
    optionSets.part,
    optionSets.service,
    optionSets.secretPrefix,
    under(
      groups.selection,
      repeatable(
        '--where <condition>',
        'only WLANs that meet this condition; repeatable: all have to hold'
      ),
      new Option('--live', 'the live WLANs of the sites instead of the declared ones'),
      new Option('--against <state>', 'the WLANs of a snapshot: its file or its folder').conflicts([
        'live',
        'from',
        'org'
      ]),
      fromOption(),
      orgOption()
    ),
    optionSets.reportOrCsv,
    under(
      groups.output,
      new Option('--columns <fields>', 'the fields to show, such as ssid,vlan,auth.type').argParser(
        namesIn
      ),
      new Option('--sort <fields>', 'the fields to sort by, such as vlan,-ssid (descending)')
        .argParser(namesIn)
        .default([], 'site'),
      new Option('--count-by <field>', 'the number of WLANs for each value of a field').conflicts([
        'columns',
        'sort',
        'by'
      ]),
      new Option(
        '--by <field>',
        'a row for each site and a column for each value of a field, such as ssid; the cells show the first of --columns, or the number of WLANs'
      ).conflicts('sort')
    )
  ],
  notes: `Conditions: auth.type=open  !isolation  vlan_id>100  "ssid~Guest*"
            auth.pairwise=[wpa3]  portal.enabled  "roam_mode!=11r"
A field is one of the service, such as auth_servers.host, or site, wlan, groups,
security or vlan. An absent one has its documented default.`,
  examples: [
    'wlanctl list examples/quickstart --where auth.type=open',
    'wlanctl list examples/quickstart --by ssid --columns vlan'
  ],
  run: ({ io }, fleet: string | undefined, options: Options) => list(fleet, options, io)
}

function namesIn(text: string): readonly string[] {
  return text.split(',').map(name => name.trim())
}

interface Source {
  readonly subjects: readonly Subject[]
  readonly sites: number
  readonly unread: readonly UnreadSite[]
}

async function list(fleet: string | undefined, options: Options, io: Io): Promise<ExitCode> {
  const { columns, countBy, by } = options
  const conditions = options.where.map(text => valid(parseCondition(text), '--where'))
  const keys = options.sort.map(sortKey)
  const source = await sourceOf(fleet, options, io)
  const { subjects, unread } = source
  refuse(problemIn(conditions, subjects), '--where')
  const named = (option: string, names: readonly string[]): NamedField[] => {
    const fields = names.map(fieldNamed)
    refuse(unknownField(fields, subjects), option)
    return fields
  }
  named(
    '--sort',
    keys.map(({ field }) => field.name)
  )
  const found = subjects.filter(subject => conditions.every(each => each.isMet(subject)))
  const shown = named('--columns', [...new Set(columns ?? defaultColumns(subjects))])
  const table = (): QueryTable => {
    const [counted] = countBy === undefined ? [] : named('--count-by', [countBy])
    if (counted !== undefined) return countTable(found, counted)
    const [column] = by === undefined ? [] : named('--by', [by])
    if (column === undefined) return wlanTable(found, shown, keys)
    return matrixTable(found, column, columns === undefined ? undefined : shown[0])
  }
  const about = countsText(found.length, source, conditions)
  const result = { ...table(), about, unread: unread.map(({ site }) => site.name) }
  await writeFormats(listFormats, result, {}, options, io)
  await printCounts(about, unread, options, io)
  if (fleet !== undefined) await printNextSteps([stepAfter(fleet, options)], options, io)
  return unread.length > 0 ? exit.incomplete : exit.done
}

function defaultColumns(subjects: readonly Subject[]): readonly string[] {
  const isKeyed = subjects.some(({ wlan }) => wlan !== undefined)
  return ['site', ...(isKeyed ? ['wlan'] : []), 'ssid', 'enabled', 'security', 'vlan']
}

function sortKey(text: string): SortKey {
  const isDescending = text.startsWith('-')
  return { field: fieldNamed(isDescending ? text.slice(1) : text), isDescending }
}

function valid(parsed: Condition | Problem, option: string): Condition {
  if (!('problem' in parsed)) return parsed
  throw refusal(parsed, option)
}

function refuse(problem: Problem | undefined, option: string): void {
  if (problem !== undefined) throw refusal(problem, option)
}

function refusal({ problem, hint }: Problem, option: string) {
  return wrongInput(`${option}: ${problem}`, hint)
}

function stepAfter(fleet: string, options: Options): NextStep {
  const part = { ...options, fleet }
  return options.live || options.against
    ? [sameSelection('drift', part), 'shows where live differs from the files']
    : [sameSelection('list', part, '--live'), 'lists the live values']
}

/** `12 of 40 WLANs at 5 sites`. */
function countsText(
  found: number,
  { subjects, sites }: Source,
  conditions: readonly Condition[]
): string {
  const all = `${plural(subjects.length, 'WLAN')} at ${plural(sites, 'site')}`
  if (found === 0 && subjects.length > 0) return `no match in ${all}`
  return conditions.length === 0 ? all : `${formatNumber(found)} of ${all}`
}

async function printCounts(
  about: string,
  unread: readonly UnreadSite[],
  options: Options,
  io: Io
): Promise<void> {
  const findings = unread.map(({ site, reason, hint }) =>
    finding('SITE_NOT_READ', { address: site.name }, reason, hint)
  )
  if (findings.length > 0) await writeReportToStderr({ kind: 'findings', findings }, options, io)
  if (!options.quiet) await writeLine(io, `wlanctl: ${about}`)
}

async function sourceOf(fleet: string | undefined, options: Options, io: Io): Promise<Source> {
  const { against, from, org, live } = options
  const isListed = from !== undefined || org !== undefined
  if (isListed && fleet !== undefined) {
    throw wrongInput('a fleet says its sites itself', 'give a fleet, or `--org` or `--from`')
  }
  if (against === undefined && !isListed && !live) return declaredIn(fleet ?? '.', options, io)
  const isOfFleet = fleet !== undefined || (against === undefined && !isListed)
  // `--wlan` selects live WLANs only once they are read.
  const desired = isOfFleet ? await fleetAt(fleet ?? '.', { ...options, wlan: [] }, io) : undefined
  return withLiveSites({ desired, verb: 'read' }, options, io, async ({ read }) =>
    collected(await read((site, found) => ({ site, live: found })), options)
  )
}

async function declaredIn(fleet: string, options: Options, io: Io): Promise<Source> {
  const { sites } = await fleetAt(fleet, options, io)
  const subjects = sites.flatMap(({ name, groups, wlans }) =>
    wlans
      .filter(({ excluded }) => !excluded)
      .map((wlan): Subject => {
        const { key, fields } = wlan
        return { site: name, wlan: key, groups, fields, isDeclared: true }
      })
  )
  return { subjects, sites: sites.length, unread: [] }
}

function fleetAt(fleet: string, options: Options, io: Io): Promise<Desired> {
  const display = { format: 'text', report: [], fleet } as const
  const loading = { ...options, ...display, isOffline: true, ignoresPolicy: true } as const
  return loadDesired(fleet, loading, io)
}

/** The live WLANs; one that a declaration of the fleet matches has its key. Throws a `Failure` (exit 3) for a glob without a match. */
function collected(
  read: readonly { readonly site: DesiredSite; readonly live: LiveSite | UnreadSite }[],
  { wlan: wlans }: Options
): Source {
  const unread: UnreadSite[] = []
  const selection = new WlanSelection(wlans)
  const subjects = read.flatMap(({ site, live }): Subject[] => {
    if (!('wlans' in live)) {
      unread.push(live)
      return []
    }
    const secretsShown = secretsShownAt(live)
    return sortBy(selection.of(site, live), ({ wlan }) => wlan.ssid).map(({ wlan, key }) => ({
      ...{ site: site.name, wlan: key, groups: site.groups, fields: wlan.record },
      get hidesSecrets() {
        return !secretsShown()
      }
    }))
  })
  if (unread.length === 0) selection.check()
  return { subjects, sites: read.length - unread.length, unread }
}
