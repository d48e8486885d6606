import { deferralReason } from '../../core/model/calendar.ts'
import {
  countUnread,
  countUnwatched,
  type NotCompared,
  type Plan,
  type PlanSummary,
  type Unmanaged
} from '../../core/model/plan.ts'
import { byCodeUnit, groupBy, groupsBy, present } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { addressPartsOf } from '../fields/change-key.ts'
import { formatField, formatValue } from '../fields/format-value.ts'
import { elementPointer, notComparedPointers } from '../fields/secret-fields.ts'
import {
  code,
  type Inline,
  listText,
  muted,
  name,
  type Section,
  type Table,
  type TableRow,
  type Text,
  type Tone
} from '../render/document.ts'
import type { PlanReport } from '../report.ts'
import { commonText, messageText, shapeOf } from '../wording/message.ts'
import type { UnwatchedPart } from '../wording/unwatched.ts'

import { emptyOverview, type Overview } from './overview.ts'
import { REST } from './sites.ts'
import { Networks, whereOf } from './where.ts'

export function row(...cells: readonly (Text | string)[]): TableRow {
  return { cells: cells.map(cell => [typeof cell === 'string' ? [cell] : cell]) }
}

/** The table of a section; none without rows. */
export function section(
  { isNamed, ...about }: Omit<Section, 'blocks'> & Pick<Table, 'isNamed'>,
  columns: readonly string[],
  rows: readonly TableRow[]
): Section[] {
  const table: Table = { kind: 'table', columns, rows, ...(isNamed && { isNamed }) }
  return rows.length === 0 ? [] : [{ ...about, blocks: [table] }]
}

/** The overview of a result that is a verdict over a few tables. */
export function tablesOverview(
  comment: NonNullable<Overview['comment']>,
  tone: Tone,
  verdict: string,
  sections: readonly Section[]
): Overview {
  const text = [verdict]
  return {
    ...emptyOverview,
    kind: 'findings',
    comment,
    tone,
    headline: text,
    verdict: text,
    sections
  }
}

export function nameTexts(names: readonly string[]): Text[] {
  return names.map(each => [name(each)])
}

/** A name, or the number of names and the first ones. */
export function namesText(names: readonly string[], noun: string, most = 3): Text {
  const list = listText(nameTexts(names), most)
  return names.length === 1 ? list : [`${plural(names.length, noun)}: `, ...list]
}

export function fieldsText(pointers: readonly string[], most = 20): Text {
  const fields = pointers.map(pointer => [code(formatField(pointer))])
  return listText(fields, most)
}

/** What a plan or a run did not look at; undefined for nothing. `isSaid`: the headline says the number of sites. */
export function unreadOf(summary: PlanSummary, isSaid: boolean): Text | undefined {
  const { sites_failed: failed } = summary
  const unread = countUnread(summary)
  const networks = `${plural(unread, 'network')} ${unread === 1 ? 'is' : 'are'} unchecked`
  const sentence = present(!isSaid && notReadText(failed), unread > 0 && networks).join(', so ')
  return failed === 0 ? undefined : withReason(sentence, 'findings')
}

/** `3 sites could not be read`. */
export function notReadText(sites: number): string {
  return `${plural(sites, 'site')} could not be read`
}

/** What an audit or a diff did not look at; undefined for nothing. */
export function unreadText({ length }: readonly unknown[]): Text | undefined {
  return length === 0 ? undefined : withReason(notReadText(length), 'not-read')
}

function withReason(sentence: string, section: string): Text {
  const why = { kind: 'link', text: ['See why'], to: { section } } as const
  return sentence === '' ? [why] : [`${sentence}. `, why]
}

export function planSections({ kind, plan }: PlanReport, networks: Networks): Section[] {
  return [
    ...(kind === 'plan' ? waveSection(plan) : []),
    ...deferredSection(plan, networks),
    ...notComparedSection(plan, networks),
    ...unmanagedSection('unmanaged', 'Unmanaged: live but not declared', plan.unmanaged),
    ...unmanagedSection(
      'inherited',
      'Inherited from the organization: a site cannot change them',
      plan.inherited ?? []
    ),
    ...unwatchedSection(plan, networks)
  ]
}

function waveSection({ rollout = [], changes }: Plan): Section[] {
  const bySite = groupBy(changes, ({ site }) => site.name)
  const waves = rollout.flatMap(({ name, sites: all }) => {
    const sites = all.filter(site => bySite.has(site))
    const count = sites.reduce((sum, site) => sum + (bySite.get(site)?.length ?? 0), 0)
    return count === 0 ? [] : [{ name, sites, count }]
  })
  const [only] = waves
  const about = { id: 'rollout', noun: 'wave' }
  if (waves.length < 2) {
    if (only?.name === undefined) return []
    return [{ ...about, title: `Rollout: all changes in wave ${only.name}`, blocks: [] }]
  }
  const rows = waves.map(wave => {
    const { sites, count } = wave
    const size = `${plural(count, 'change')} on ${plural(sites.length, 'site')}: `
    return row([waveName(wave)], [size, ...listText(nameTexts(sites), MAX_SITES)])
  })
  const title = `Rollout: ${waves.length} waves, each checked before the next starts`
  return section({ ...about, title }, ['Wave', 'Changes'], rows)
}

const MAX_SITES = 3

/** The name of a wave; `rest` for the last one, with the sites in no declared wave. */
export function waveName({ name: own }: { readonly name?: string | undefined }): Inline {
  return own === undefined ? REST : name(own)
}

function deferredSection({ deferred = [] }: Plan, networks: Networks): Section[] {
  const waiting = groupsBy(deferred, ({ address, ...wait }) =>
    JSON.stringify([networks.at(address).key, wait])
  )
  return section(
    {
      id: 'deferred',
      title: 'Deferred: changes that wait',
      count: deferred.length,
      tone: 'warn',
      isFolded: true,
      noun: 'change'
    },
    ['Network', 'Waits'],
    waiting.map(group => networksRow(group, networks, [name(deferralReason(group[0]))]))
  )
}

function notComparedSection({ changes, not_compared }: Plan, networks: Networks): Section[] {
  const entries = [
    ...changes.map(change => ({
      address: change.address,
      key: addressPartsOf(change).key,
      pointers: (change.not_compared ?? []).map(at => elementPointer(change.request.body, at))
    })),
    ...not_compared.map((entry: NotCompared) => ({
      address: entry.address,
      key: networks.at(entry.address).key,
      pointers: notComparedPointers(entry)
    }))
  ].filter(({ pointers }) => pointers.length > 0)
  const groups = groupsBy(entries, ({ key, pointers }) =>
    JSON.stringify([key, withoutNames(pointers)])
  )
  return section(
    {
      id: 'not-compared',
      title: 'Not compared: secrets that are unavailable or hidden by the service',
      count: entries.length,
      tone: 'warn',
      isFolded: true,
      noun: 'network'
    },
    ['Network', 'Secrets'],
    groups.map(group => {
      const [{ pointers }] = group
      const areSame = group.every(each => each.pointers.join() === pointers.join())
      return networksRow(group, networks, fieldsText(areSame ? pointers : withoutNames(pointers)))
    })
  )
}

/** The places with all elements of a list as one: each site has servers of its own. */
function withoutNames(pointers: readonly string[]): string[] {
  return [...new Set(pointers.map(pointer => pointer.replaceAll(/\[[^/]*\]/g, '[]')))]
}

/** Networks of which the same is said. */
function networksRow(
  group: readonly { readonly address: string }[],
  networks: Networks,
  about: Text
): TableRow {
  return { ...row(whereText(group, networks), about), weight: group.length }
}

export function whereText(
  group: readonly { readonly address: string }[],
  networks: Networks
): Text {
  return whereOf(group.map(({ address }) => networks.at(address))).text
}

function unmanagedSection(id: string, title: string, networks: readonly Unmanaged[]): Section[] {
  const groups = groupsBy(networks, ({ ssid, template, network }) =>
    JSON.stringify([ssid, template, network])
  )
  const hasIds = groups.some(({ length }) => length === 1)
  const rows = groups.map((group): TableRow => {
    const [{ ssid, id: wlanId, network, template }] = group
    const details = [network, template && `template ${template}`]
    const sites = [...new Set(group.map(({ site }) => site))].sort(byCodeUnit)
    const about = details.flatMap(each => each ?? []).join(', ')
    return {
      ...row(
        namesText(sites, 'site'),
        [name(formatValue(ssid))],
        about === '' ? [] : [name(about)],
        ...(hasIds ? [group.length === 1 ? [muted(code(wlanId))] : []] : [])
      ),
      weight: group.length
    }
  })
  const columns = ['Where', 'Network', 'Details', ...(hasIds ? ['Id'] : [])]
  return section({ id, title, count: networks.length, noun: 'network' }, columns, rows)
}

/** Sites that were not read for one reason are named up to this number. */
const MAX_UNREAD = 10

export function notReadSection(
  unread: readonly { readonly site: string; readonly reason: string }[]
): Section[] {
  return section(
    { id: 'not-read', title: 'Not read', count: unread.length, noun: 'site', tone: 'warn' },
    ['Site', 'Reason'],
    groupsBy(unread, ({ reason }) => shapeOf(reason)).map(items => {
      const sites = items.map(({ site }) => site)
      const reason = commonText(items.map(each => each.reason))
      return {
        ...row(namesText(sites, 'site', MAX_UNREAD), messageText(reason)),
        weight: items.length
      }
    })
  )
}

export function unwatchedSection(plan: UnwatchedPart, networks = new Networks()): Section[] {
  const { unwatched = [] } = plan
  const groups = groupsBy(unwatched, ({ address, pointers }) =>
    JSON.stringify([networks.at(address).key, pointers])
  )
  const total = countUnwatched(plan).wlans
  const more = total - unwatched.length
  return section(
    {
      id: 'unwatched',
      title: 'Not watched: fields that can change unnoticed',
      count: total,
      isFolded: true,
      isDetail: true,
      noun: 'network'
    },
    ['Network', 'Fields'],
    [
      ...groups.map(group => networksRow(group, networks, fieldsText(group[0].pointers))),
      ...(more === 0 ? [] : [row(`and ${plural(more, 'other network')}`, [])])
    ]
  )
}
