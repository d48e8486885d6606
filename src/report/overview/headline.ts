import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import { byCodeUnit, compact, groupsBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import type { Make } from '../fleet-command.ts'
import { type Inline, name, type Text, textOf } from '../render/document.ts'
import type { NextStep } from '../report.ts'
import { dangerWords } from './danger-words.ts'
import type { NetworkState } from './network-states.ts'
import type { ChangeGroup, Problem } from './overview.ts'
import { byState, placementWords, stateRank } from './states.ts'

/** What is wrong with one network at some sites. */
export interface Trouble {
  readonly state: NetworkState
  readonly danger?: DangerKind
  readonly name: Inline
  readonly key: string
  /** Sorted by name. */
  readonly sites: readonly string[]
  readonly effect?: Text
  /** `vlan_id`: what differs, for a network that is neither off nor open nor less secure. */
  readonly fields: readonly string[]
  /** No live network has the name. */
  readonly isMissing?: true
  /** A field that no file declares causes it. */
  readonly isUndeclared?: true
  /** The files declare it so. */
  readonly isDeclared?: true
  /** They are networks that no file declares: their number. */
  readonly unmanaged?: number
}

/** Orders troubles, the worst first, then those at the most sites. */
function byTrouble(a: Trouble, b: Trouble): number {
  return (
    byState(a, b) || dangerRank(a.danger) - dangerRank(b.danger) || b.sites.length - a.sites.length
  )
}

/** The changes that share a subject and a state, each one problem to solve. */
export function troublesOf(groups: readonly ChangeGroup[]): Trouble[] {
  return groupsBy(groups, ({ state, danger, isUndeclared, key }) =>
    JSON.stringify([state, danger, isUndeclared, key])
  ).map(same => {
    const [{ state, danger, isUndeclared, key, effect, title }, ...others] = same
    const isOneName = others.every(
      other => textOf(other.title.slice(0, 1)) === textOf(title.slice(0, 1))
    )
    const sites = same.flatMap(({ networks }) => networks.map(({ site }) => site))
    return {
      state,
      ...compact({ danger, isUndeclared }),
      ...(effect !== undefined && !isUndeclared && { effect: [effect] }),
      name: (isOneName && title[0]) || name(key),
      key,
      sites: [...new Set(sites)].sort(byCodeUnit),
      fields: [...new Set(same.flatMap(({ fields }) => fields.map(field => field.name)))]
    }
  })
}

/** Another network of the site has a name that is much like the declared one. */
const MISSING_OR_RENAMED = ['have', 'has', 'no ', ' Wi-Fi, or another name for it'] as const

/** What sites have, or do: `3 sites have no Corp Wi-Fi`, `hq has an open IoT network`. */
function clauseOf(trouble: Trouble, isFirst: boolean): Text {
  const { danger, sites, fields, unmanaged } = trouble
  const [site = ''] = sites
  const isMany = sites.length !== 1
  const count = isFirst ? plural(sites.length, 'site') : formatNumber(sites.length)
  const subject = isMany ? count : name(site)
  const have = isMany ? ' have ' : ' has '
  if (unmanaged !== undefined) return [subject, `${have}an open network that no file declares`]
  if (danger === undefined) return [subject, have, trouble.name, placementWords(fields).with]
  const [many, one, before, behind] =
    danger === 'renamed' && trouble.isMissing ? MISSING_OR_RENAMED : dangerWords[danger].clause
  return [subject, ` ${isMany ? many : one} ${before}`, trouble.name, behind]
}

/**
 * The one or two worst troubles of a drift report as a sentence; a network that is switched off at some sites and missing
 * at others is off at all of them. Empty if none is worse than `differs`.
 */
export function driftHeadline(troubles: readonly Trouble[]): Text {
  const severe = troubles.filter(({ state }) => stateRank(state) <= stateRank('wrong'))
  const [first, second] = mergeTroubles(severe, ({ key, state, danger }) => [key, state, danger])
  if (first === undefined) return []
  if (second === undefined) return clauseOf(first, true)
  const [site] = first.sites
  const isOneSite = [...first.sites, ...second.sites].every(each => each === site)
  const [subject = '', ...predicate] = clauseOf(second, first.sites.length === 1)
  return [...clauseOf(first, true), ', and', ...(isOneSite ? [] : [' ', subject]), ...predicate]
}

/** The troubles with those that agree in `parts` as one, worst first. */
export function mergeTroubles(
  troubles: readonly Trouble[],
  parts: (trouble: Trouble) => readonly unknown[]
): Trouble[] {
  return groupsBy(troubles, trouble => JSON.stringify(parts(trouble)))
    .map(same => {
      const sites = new Set(same.flatMap(each => each.sites))
      return { ...same[0], sites: [...sites].sort(byCodeUnit) }
    })
    .sort(byTrouble)
}

/** What a plan does to the networks, worst first: `switches off Corp at 3 sites`; empty for other changes. */
export function planHeadline(troubles: readonly Trouble[]): Text {
  const [first, second] = troubles.flatMap(({ danger, name: network, sites }): Text[] => {
    if (danger === undefined) return []
    const [before, behind] = dangerWords[danger].action
    return [[before, network, `${behind} at `, ...placeText(sites)]]
  })
  if (first === undefined) return []
  return ['The changes ', ...first, ...(second ? [', and ', ...second] : [])]
}

/** The one or two worst problems as a sentence. */
export function sentenceOf([first, second]: readonly Problem[]): Text {
  return [...(first?.text ?? []), ...(second === undefined ? [] : [', and ', ...second.text])]
}

/** `hq`, or `3 sites`. */
export function placeText(sites: readonly string[]): Text {
  return sites.length === 1 ? [name(sites[0] ?? '')] : [plural(sites.length, 'site')]
}

/** What explains a network that is open as its files, or all of its sites, have it. */
export const EXPLAIN_OPEN = 'wlanctl explain open-without-login'

const MAX_SITES = 3

/** A command names at most this number of sites. */
export const MAX_SELECTED = 5

export function problemAt(
  state: NetworkState,
  text: Text,
  sites: readonly string[],
  about: Pick<Problem, 'effect' | 'command'> = {}
): Problem {
  const where = [...text, ' at ', ...placeText(sites)]
  return { state, text: where, sites: sites.slice(0, MAX_SITES), count: sites.length, ...about }
}

/** A trouble as a problem with the command that solves or shows it. */
export function problemOf(
  trouble: Trouble,
  kind: 'plan' | 'drift',
  command: Make,
  {
    isRefused,
    others,
    since
  }: {
    readonly isRefused: boolean
    readonly others: number
    readonly since: string | undefined
  }
): Problem {
  const { state, danger, key, sites, effect, fields, isMissing, isUndeclared } = trouble
  const { unmanaged = 0, isDeclared } = trouble
  const words = danger === undefined ? placementWords(fields).is : dangerWords[danger].verbs[kind]
  const missing = danger === 'renamed' ? ' is missing or renamed' : ' is missing'
  const verb = isMissing ? missing : words
  const openNetworks = `${plural(unmanaged, 'open network')} that no file declares`
  const selected = sites.length <= MAX_SELECTED ? sites.flatMap(site => ['--site', site]) : []
  const selection = ['--wlan', key, ...selected]
  const fixes = kind === 'drift' && !isMissing && !isRefused && !isDeclared
  return {
    ...problemAt(state, unmanaged > 0 ? [openNetworks] : [trouble.name, verb], sites),
    ...compact({ effect }),
    ...((fixes || kind === 'plan') &&
      others > 0 && { purpose: `and ${plural(others, 'other change')} of this network` }),
    ...(isRefused && kind === 'drift' && { purpose: 'shows why `apply` refuses it' }),
    ...(!isMissing && !isUndeclared && !isDeclared && { isChange: true }),
    ...(unmanaged === 0 && {
      command: isDeclared
        ? EXPLAIN_OPEN
        : isUndeclared
          ? undeclaredSteps(command, since, ...selection)[0][0]
          : command(fixes ? 'apply' : 'plan', ...selection)
    })
  }
}

/**
 * How to undo changes of fields that no file declares, and how to keep them. `since`: the name of the state that they
 * changed since.
 */
export function undeclaredSteps(
  command: Make,
  since?: string,
  ...selection: string[]
): [undo: NextStep, keep: NextStep] {
  const adopt = command('adopt', ...selection, '--undeclared')
  const keep = [adopt, 'declares the live values of the undeclared fields instead'] as const
  if (since !== undefined) {
    const undo = command('revert', ...selection, '--to', since)
    return [[undo, 'puts back what changed since the snapshot'], keep]
  }
  const purpose = 'lists the undeclared fields: declare and apply the right values to undo changes'
  return [[`${adopt} --dry-run`, purpose], keep]
}
