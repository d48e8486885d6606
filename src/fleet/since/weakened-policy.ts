import type { LintPolicy, Policy, RolloutPolicy } from '../../core/model/desired.ts'
import { levelRank } from '../../core/model/finding.ts'
import { quote } from '../../core/values/text.ts'
import type { DeclaredExclusion } from '../excluded-sites.ts'
import { Findings } from '../findings.ts'
import { type DeclaredPolicy, type DeclaredWave, policyWords, type Rule } from '../policy/policy.ts'
import type { DeclaredWaiver } from '../policy/waivers.ts'
import { assignWaves } from '../policy/waves.ts'
import type { FleetSite } from '../sites.ts'
import { memberNode, type Node, sameNode } from '../yaml/tree.ts'
import type { Weakening } from './weakening.ts'

/** What a policy enforces less than at the base, apart from windows and freezes. `sites` are those of a rollout. */
export async function weakenedPolicy(
  was: DeclaredPolicy,
  is: DeclaredPolicy,
  sites: readonly FleetSite[]
): Promise<readonly Weakening[]> {
  return [
    ...weakenedLimits(was, is),
    ...weakenedWords(was, is),
    ...(await weakenedLint(was, is)),
    ...was.rules.flatMap(rule => weakenedRule(rule, is.rules)),
    ...weakenedRollout(was, is, sites),
    ...newWaivers(was.waivers, is.waivers),
    ...newExclusions(was.exclusions, is.exclusions)
  ]
}

/** `before → after` of a key of the policy, at its place now, or at the base if the files lack it. */
function changed(
  key: string,
  [was, is]: readonly [string, string],
  policies: { readonly was: DeclaredPolicy; readonly is: DeclaredPolicy }
): Weakening {
  const nodeIn = ({ node }: DeclaredPolicy) =>
    key.split('.').reduce<Node | undefined>(memberNode, node)
  const what = `\`policy.${key}\` ${was} → ${is}`
  return { what, now: nodeIn(policies.is), before: nodeIn(policies.was) }
}

/** The limits of a policy, by key: more is weaker. */
const limits: Readonly<Record<string, (policy: Policy) => number | undefined>> = {
  max_changes: ({ maxChanges }) => maxChanges,
  max_clients: ({ maxClients }) => maxClients,
  max_change_percent: ({ maxChangePercent }) => maxChangePercent,
  max_new_sites: ({ maxNewSites }) => maxNewSites
}

function weakenedLimits(was: DeclaredPolicy, is: DeclaredPolicy): Weakening[] {
  return Object.entries(limits).flatMap(([key, limitOf]) => {
    const [before, now] = [limitOf(was.policy), limitOf(is.policy)]
    if (before === undefined || (now !== undefined && now <= before)) return []
    return [changed(key, [`${before}`, `${now ?? 'no limit'}`], { was, is })]
  })
}

/** The value of each key of `policyWords`. */
const wordsOf: Readonly<Record<keyof typeof policyWords, (policy: Policy) => string>> = {
  unknown_fields: ({ unknownFields }) => unknownFields,
  unknown_values: ({ unknownValues }) => unknownValues,
  plaintext_secrets: ({ plaintextSecrets }) => plaintextSecrets,
  unmanaged: ({ unmanaged }) => unmanaged,
  unwatched: ({ unwatched }) => unwatched
}

function weakenedWords(was: DeclaredPolicy, is: DeclaredPolicy): Weakening[] {
  const words = Object.entries(wordsOf).flatMap(([key, wordOf]) => {
    const words: readonly string[] = policyWords[key as keyof typeof policyWords]
    const [before, now] = [wordOf(was.policy), wordOf(is.policy)]
    const isWeaker = words.indexOf(now) > words.indexOf(before)
    return isWeaker ? [changed(key, [before, now], { was, is })] : []
  })
  const isAllowed = is.policy.allowDowngrade && !was.policy.allowDowngrade
  return isAllowed ? [...words, changed('allow_downgrade', ['false', 'true'], { was, is })] : words
}

/** A level of a rule of the linter: a higher number is weaker. */
function rankOf(level: LintPolicy['rules'][string]): number {
  return level === 'off' ? Number.POSITIVE_INFINITY : levelRank(level)
}

async function weakenedLint(was: DeclaredPolicy, is: DeclaredPolicy): Promise<Weakening[]> {
  const [before, now] = [was.policy.lint, is.policy.lint]
  if (before === undefined) return []
  if (now === undefined) return [changed('lint.level', [before.level, 'off'], { was, is })]
  const isLess = rankOf(now.level) < rankOf(before.level)
  const isLax = before.strict && !now.strict
  return [
    ...(isLess ? [changed('lint.level', [before.level, now.level], { was, is })] : []),
    ...(isLax ? [changed('lint.strict', ['true', 'false'], { was, is })] : []),
    ...(await weakenedLintRules(before.rules, now.rules)).map(({ id, levels }) =>
      changed(`lint.rules.${id}`, levels, { was, is })
    )
  ]
}

type LintLevels = LintPolicy['rules']

/** The rules of the linter with a weaker level. Loads them only if the policies name different levels. */
async function weakenedLintRules(before: LintLevels, now: LintLevels) {
  const named = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const different = named.filter(id => before[id] !== now[id])
  if (different.length === 0) return []
  const { lintRules } = await import('../../core/lint/catalogue.ts')
  const own = new Map(lintRules.map(({ id, severity }) => [id, severity]))
  return different.flatMap(id => {
    const levels = [before[id] ?? own.get(id), now[id] ?? own.get(id)] as const
    const [old, fresh] = levels
    if (old === undefined || fresh === undefined || rankOf(fresh) <= rankOf(old)) return []
    return [{ id, levels: [old, fresh] as const }]
  })
}

/** The rule with the same name decides; of a changed condition it is unknown whether it is weaker. */
function weakenedRule(was: Rule, now: readonly Rule[]): Weakening[] {
  const is = now.find(({ name }) => name === was.name)
  const rule = `the rule ${quote(was.name)}`
  if (is === undefined) return [{ what: `${rule} removed`, now: undefined, before: was.node }]
  const isOtherText = (['when', 'require'] as const).filter(key => {
    const [before, after] = [memberNode(was.node, key), memberNode(is.node, key)]
    return !sameNode(before, after)
  })
  const parts = [
    ...(was.level === 'error' && is.level === 'warning' ? ['`level` error → warning'] : []),
    ...(was.over === 'all' && is.over === 'managed' ? ['`over` all → managed'] : []),
    ...isOtherText.map(key => `\`${key}\` changed`)
  ]
  if (parts.length === 0) return []
  return [{ what: `${rule}: ${parts.join(', ')}`, now: is.node, before: was.node }]
}

/** The settings of a rollout, by key: less is weaker, and false is less than true. */
const rolloutGuards: readonly (readonly [string, (rollout: RolloutPolicy) => number | boolean])[] =
  [
    ['pause', ({ pause }) => pause],
    ['hold', ({ hold }) => hold],
    ['fail_fast', ({ failFast }) => failFast],
    ['revert_on_failure', ({ revertOnFailure }) => revertOnFailure]
  ]

function weakenedRollout(
  was: DeclaredPolicy,
  is: DeclaredPolicy,
  sites: readonly FleetSite[]
): Weakening[] {
  const [earlier, now] = [was.policy.rollout, is.policy.rollout]
  const [before = '', after = ''] = [was, is].map(({ waves }) => waves.map(textOfWave).join(', '))
  const isWeaker = before !== after && isWeakerRollout(was.waves, is.waves, sites)
  return [
    ...(isWeaker ? [changed('rollout', [before, after || 'none'], { was, is })] : []),
    ...rolloutGuards.flatMap(([key, settingOf]) => {
      const [before, after] = [settingOf(earlier), settingOf(now)]
      const values = [`${before}`, `${after}`] as const
      return Number(after) < Number(before) ? [changed(`rollout.${key}`, values, { was, is })] : []
    })
  ]
}

function textOfWave({ name, holds }: DeclaredWave): string {
  const sites =
    'percent' in holds
      ? `${holds.percent}%${holds.ofClients ? ' of clients' : ''}`
      : holds.map(({ text }) => text).join(' ')
  return `${name}: ${sites}`
}

/**
 * True if after one of the waves more sites have changed than at the base. Both are assigned the sites of today, so that
 * a percentage of a larger fleet is no difference.
 */
function isWeakerRollout(
  was: readonly DeclaredWave[],
  is: readonly DeclaredWave[],
  sites: readonly FleetSite[]
): boolean {
  const [before = [], now = []] = [was, is].map(waves => {
    let reached = 0
    return assignWaves(waves, sites, new Findings()).map(wave => {
      reached += wave.sites.length
      return reached
    })
  })
  return now.some((reached, at) => reached > (before[at] ?? sites.length))
}

/** The waivers that cover more than any at the base, or for longer. */
function newWaivers(was: readonly DeclaredWaiver[], is: readonly DeclaredWaiver[]): Weakening[] {
  return is.flatMap(waiver => {
    const { rule, site, wlan, until, node } = waiver
    const wider = was.filter(
      each =>
        each.rule === rule &&
        (each.site === undefined || each.site === site) &&
        (each.wlan === undefined || each.wlan === wlan)
    )
    return dated(`the waiver of ${quote(rule)}`, { until, node }, wider)
  })
}

function newExclusions(
  was: readonly DeclaredExclusion[],
  is: readonly DeclaredExclusion[]
): Weakening[] {
  return is.flatMap(({ site, until, node }) =>
    dated(
      `the exclusion of ${quote(site)}`,
      { until, node },
      was.filter(each => each.site === site)
    )
  )
}

/** `before`: the entries of the base that cover as much; days in ISO notation sort as text. */
function dated(
  entry: string,
  { until, node }: Pick<DeclaredWaiver, 'until' | 'node'>,
  before: readonly Pick<DeclaredWaiver, 'until'>[]
): Weakening[] {
  const last = before
    .map(each => each.until)
    .sort()
    .at(-1)
  if (last !== undefined && until <= last) return []
  const what = last === undefined ? `added, until ${until}` : `prolonged, ${last} → ${until}`
  return [{ what: `${entry} ${what}`, now: node, before: undefined }]
}
