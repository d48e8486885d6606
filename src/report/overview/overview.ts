import type { DangerKind } from '../../core/model/danger.ts'
import type { Finding, FindingLevel, Location } from '../../core/model/finding.ts'
import type { Impact } from '../../core/model/impact.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import { present } from '../../core/values/collections.ts'
import { danger, type Section, type Text, type Tone, textOf } from '../render/document.ts'
import type { NextStep } from '../report.ts'
import type { NetworkState } from './network-states.ts'
import type { Where } from './where.ts'

export type OverviewKind =
  | 'plan'
  | 'drift'
  | 'apply'
  | 'revert'
  | 'audit'
  | 'record'
  | 'findings'
  | 'diff'

export interface StateCount {
  readonly state: NetworkState
  /** `off`, `as declared`: what follows the number. */
  readonly label: string
  readonly count: number
}

/**
 * The result of a command as facts to show, in the order in which a person asks: is it all right, what is wrong and
 * where, what to do, and what that does to people. Renderers set it and decide nothing. No text is escaped.
 */
export interface Overview {
  readonly kind: OverviewKind
  /** Changes were made: each group has results. */
  readonly isRun?: true
  /** The name of its comment, if that is not of its kind. */
  readonly comment?: 'snapshot' | 'tests' | 'adoption' | 'checks' | 'list'
  /** `bad`: a network is off, open or unknown; `good`: all is as declared. */
  readonly tone: Tone
  /** The subject first: `3 sites have no Corp Wi-Fi, and 4 have an open IoT network`. */
  readonly headline: Text
  /** What the run could not look at or restore: `1 WLAN blocked, 3 sites not read`; empty or absent for nothing. */
  readonly incomplete?: string
  /** What else keeps it from being good news, a sentence each: `Refused: …`. */
  readonly alarms: readonly string[]
  /**
   * The result of the run in one line behind the alarms: `Plan: …`. Empty for a plan that is about to be executed and has
   * no changes: the outcomes have the same verdict.
   */
  readonly verdict: Text
  /** The counts behind it: networks, sites, requests. */
  readonly totals?: string
  /** What was looked at, a sentence each. */
  readonly coverage: readonly Text[]
  /** What was not, in a sentence. An alarm or the verdict says it, too, for those who do not see the states. */
  readonly unread?: Text
  readonly states: readonly StateCount[]
  /** The number of live networks that no file declares. */
  readonly notDeclared: number
  /** At most four problems, worst first. */
  readonly first: readonly Problem[]
  /** Worst first. Each changed network is in exactly one group. */
  readonly changes: readonly ChangeGroup[]
  /** In the order of the result, what comes before it first. */
  readonly findings: readonly FindingGroup[]
  /** Worst first; of a saved plan only those that need attention. */
  readonly sites: readonly SiteRow[]
  /** The groups of the sites in the order of the rollout; absent without waves. */
  readonly waves?: readonly string[]
  /** All else that the result says: secrets that were not compared, networks without a declaration, times, waves. */
  readonly sections: readonly Section[]
  /** What stopped a rollout: `wave canary: hq/guest is diverged`. */
  readonly failedWave?: string
  /** When, by what and for which service it was made; absent if that is not known. */
  readonly origin?: Text
  /** The same in a few words: `2026-11-20 10:00:00 UTC · commit 9cf2414`. */
  readonly made?: string
  readonly digest?: string
  /** The time of a drift report, to which the last modification of a network is relative. */
  readonly asOf?: string
}

export const emptyOverview = {
  alarms: [],
  coverage: [],
  states: [],
  notDeclared: 0,
  first: [],
  changes: [],
  findings: [],
  sites: [],
  sections: []
} as const satisfies Partial<Overview>

type Alarming = Pick<Overview, 'incomplete' | 'alarms'>

export function alarmsOf({ incomplete, alarms }: Alarming): string[] {
  return present(incomplete && `Incomplete: ${incomplete}.`, ...alarms)
}

/** The alarms that the headline does not say. */
export function furtherAlarms(overview: Alarming & Pick<Overview, 'headline'>): string[] {
  const headline = `${textOf(overview.headline)}.`
  return alarmsOf(overview).filter(text => !headline.includes(text))
}

/** True for a plan, of a revert, too. */
export function isPlan({ kind, isRun }: Pick<Overview, 'kind' | 'isRun'>): boolean {
  return kind === 'plan' || (kind === 'revert' && !isRun)
}

/** True for a result whose headline, states and problems say what its verdict counts, to readers who see them. */
export function isVerdictSaid(overview: Pick<Overview, 'kind' | 'isRun'>): boolean {
  return isPlan(overview) || overview.kind === 'drift' || overview.kind === 'audit'
}

/** The alarms and the verdict in one line. */
export function verdictLine(overview: Alarming & Pick<Overview, 'verdict'>): Text {
  return [...alarmsOf(overview).flatMap(text => [danger(text), ' ']), ...overview.verdict]
}

export interface Problem {
  readonly state: NetworkState
  /** `Corp is switched off at 3 sites`. */
  readonly text: Text
  /** The first three sites, and the number of all. */
  readonly sites: readonly string[]
  readonly count: number
  /**
   * What putting it right does to people: `fixing restarts the radio for seconds`; absent if it does nothing. Of a run:
   * why it went wrong.
   */
  readonly effect?: Text
  /** The command that does it, or that shows more. */
  readonly command?: string
  /** What the command does beyond that, or instead. */
  readonly purpose?: string
  /** The groups of changes show it, too. */
  readonly isChange?: true
}

/** Networks with the same key that change in the same way. */
export interface ChangeGroup {
  readonly state: NetworkState
  /** What causes the state. */
  readonly danger?: DangerKind
  /** A field that no file declares causes it. */
  readonly isUndeclared?: true
  /** The network, and what it does: `Corp is switched off`. */
  readonly title: Text
  /** The key of the network in the files. */
  readonly key: string
  /** One at least, by address. */
  readonly networks: readonly ChangedNetwork[]
  /** Those that cause the state first. */
  readonly fields: readonly FieldRow[]
  /** The class of the effect on people; absent if there is none. */
  readonly impact?: Impact
  /** What the change, or the fix of drift, does to people; absent if it does nothing. */
  readonly effect?: string
  /** Further effects and points to review, a sentence each. */
  readonly notes: readonly string[]
  /** Of a run: the danger of the live networks that the change would have ended. */
  readonly left?: DangerKind
  /** Of a run: why it has this state, what was found instead, and which other fields changed. */
  readonly results?: readonly Text[]
  /** Of a run: fields that no file declares changed, too. */
  readonly hasSideEffects?: true
}

export interface ChangedNetwork {
  readonly address: string
  readonly site: string
  readonly ssid: string
  /** The declaration, relative to the working directory; absent if it is unknown. */
  readonly origin?: Location
  /** The last modification of the live network, UTC. */
  readonly modified?: string
}

export interface FieldRow {
  /** `auth.type`. */
  readonly name: string
  /** The values before and after on one line. */
  readonly value: Text
  /** Instead of `value`, if it is too long for one line: what is removed, added and changed. */
  readonly lines?: readonly Text[]
  /** Set if it weakens security, in a plan by the change, in a drift report by the fix; `true` unless it is `medium`. */
  readonly isDowngrade?: true | 'medium'
  /** The place of its declared value, if all networks share it. */
  readonly place?: Location
  /** All declarations of its value in descending precedence, if there are several and all networks share them. */
  readonly sources?: readonly string[]
  /** `changed in the files`, or `drift, goes back with this change`. */
  readonly cause?: string
}

/** Findings that differ only in their places. */
export interface FindingGroup {
  /** The first of them. */
  readonly finding: Finding
  readonly level: FindingLevel
  /** With the rule of the linter: `LINT weak-key`. */
  readonly code: string
  /** With `…` in place of what differs, and code between backticks. */
  readonly message: string
  readonly hint?: string
  /** The addresses of the WLANs or sites; empty for a finding about the files. */
  readonly addresses: readonly string[]
  /** The same as people say it. */
  readonly where: Where
  /** The places in the files, without duplicates. */
  readonly places: readonly Location[]
  /** The path in the data of the file, if all share it. */
  readonly path?: string
  /** The number of findings; one of the linter counts for each of its WLANs or sites, unless it refuses the plan. */
  readonly count: number
  readonly status: FindingStatus
}

/**
 * Where findings stand in a report.
 *
 * | status     | the findings                                                                |
 * |------------|-----------------------------------------------------------------------------|
 * | `refused`  | for which `apply` would refuse the plan                                     |
 * | `left-out` | for which `apply` would leave out networks: they are protected              |
 * | `needed`   | what `apply` needs, and this plan did not                                   |
 * | `new`      | all others                                                                  |
 * | `removed`  | what the base declared, and the files no longer do                          |
 * | `known`    | there before, or waived: only counted at first                              |
 * | `note`     | of rules, below the level that is listed: only counted at first             |
 */
export type FindingStatus = 'refused' | 'left-out' | 'needed' | 'new' | 'removed' | 'known' | 'note'

export interface SiteRow {
  readonly name: string
  /** That of its worst network. */
  readonly state: NetworkState
  /** Its wave, else its group in the fleet; empty without either. */
  readonly group: string
  /** Those that are not as declared, worst first. */
  readonly networks: readonly NetworkRow[]
  /** The number of networks as declared; absent if it is unknown. */
  readonly clean?: number
  /** Why it could not be read. */
  readonly reason?: string
}

/** A network that is not as declared. */
export interface NetworkRow {
  readonly address: string
  readonly key: string
  /** What people call it: its SSID. */
  readonly name: string
  readonly state: NetworkState
  /** The change of the network, with all networks that share it; absent if it has none. */
  readonly change?: ChangeGroup
  readonly network?: ChangedNetwork
  /** Why it has no change: not read, blocked. */
  readonly reason?: string
  /** Of a run: its steps. */
  readonly timeline?: readonly TimelineEvent[]
  /** The commands about it: apply, adopt, explain. */
  readonly commands: readonly NextStep[]
}
