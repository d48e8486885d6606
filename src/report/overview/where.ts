import { addressesIn } from '../../core/model/finding.ts'
import type { Plan } from '../../core/model/plan.ts'
import { groupBy, groupsBy, type NonEmpty } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { member } from '../../core/values/value.ts'
import { addressPartsOf, splitAddress, ssidOf } from '../fields/change-key.ts'
import { listText, name, type Text } from '../render/document.ts'
import type { SitePlan } from '../report.ts'
import type { ChangeKind } from '../wording/effects.ts'

/** The networks of a plan, with the names that its files declare; of a plan from a file, not all of these. */
export class Networks {
  readonly #ssids: ReadonlyMap<string, string>
  /** The sites whose names make it hard to find the end of theirs in an address. */
  readonly #slashed: readonly string[]

  constructor(
    { changes, findings }: Pick<Plan, 'changes' | 'findings'> = { changes: [], findings: [] },
    planned: readonly SitePlan[] = [],
    kind: ChangeKind = 'plan'
  ) {
    const found = findings.flatMap(each => addressesIn(each).map(address => [address, each.ssid]))
    const declared = planned.flatMap(site =>
      site.declared.map(({ address, fields }) => [address, member(fields, 'ssid')] as const)
    )
    const isKnown = (each: readonly unknown[]): each is readonly [string, string] =>
      typeof each[1] === 'string'
    this.#ssids = new Map([
      ...[...found, ...declared].filter(isKnown),
      ...changes.map(change => [change.address, ssidOf(change, kind) ?? change.wlan.ssid] as const)
    ])
    const sites = [...planned, ...changes].map(({ site }) => site.name)
    this.#slashed = [...new Set(sites.filter(each => each.includes('/')))].sort(
      (a, b) => b.length - a.length
    )
  }

  at(address: string): Subject {
    const site = this.#slashed.find(each => `${address}/`.startsWith(`${each}/`))
    const parts =
      site === undefined ? splitAddress(address) : addressPartsOf({ address, site: { name: site } })
    return { ...parts, name: this.#ssids.get(address) ?? parts.key }
  }
}

/** Where something is, as people say it. */
export interface Where {
  /** `Guest at hq`, `Guest at 3 sites, IoT at lab`, `3 sites`; `9 networks` if more than a few names are theirs. */
  readonly text: Text
  /** Each of them: `hq` if all have one name, `Guest at hq` otherwise. */
  readonly places: readonly string[]
  /** True if the text names each of them. */
  readonly isWhole: boolean
}

/** A network; or a site, whose key and name are empty. */
export interface Subject {
  readonly site: string
  readonly key: string
  /** The SSID; the key if that is unknown. Several networks of a site may have one. */
  readonly name: string
}

const MAX_NAMES = 3

/** `more`: the number of networks or sites that are not among those given. */
export function whereOf(given: readonly Subject[], more = 0): Where {
  const subjects = toldApart(given)
  const alike = groupsBy(subjects, ({ key }) => key)
  const groups = alike.length === 1 ? alike : groupsBy(subjects, subject => subject.name)
  const isShort = groups.length === 1 || (groups.length <= MAX_NAMES && more === 0)
  const count = plural(subjects.length + more, 'network')
  return {
    text: isShort ? listText(groups.map(group => groupText(group, more))) : [count],
    places: subjects.map(({ site, name: own }) =>
      groups.length === 1 ? site : `${own} at ${site}`
    ),
    isWhole: isShort && more === 0 && groups.every(group => sitesOf(group).size === 1)
  }
}

/** The networks, those of one name at a site by their keys. */
export function toldApart(subjects: readonly Subject[]): Subject[] {
  const idOf = ({ site, name: own }: Subject) => JSON.stringify([site, own])
  const alike = groupBy(subjects, idOf)
  return subjects.map(each =>
    alike.get(idOf(each))?.length === 1 ? each : { ...each, name: each.key }
  )
}

/** The name of networks with one key: the key if their names differ. */
export function sharedName([one, ...others]: NonEmpty<Pick<Subject, 'key' | 'name'>>): string {
  return others.every(each => each.name === one.name) ? one.name : one.key
}

function sitesOf(group: readonly Subject[]): ReadonlySet<string> {
  return new Set(group.map(({ site }) => site))
}

/** Networks of one name or of one key, or sites. */
function groupText(group: NonEmpty<Subject>, more: number): Text {
  const [{ site }] = group
  const sites = sitesOf(group).size + more
  const at = sites === 1 ? name(site) : plural(sites, 'site')
  const shared = sharedName(group)
  return shared === '' ? [at] : [name(shared), ' at ', at]
}
