import type { LintPolicy, Policy } from '../../core/model/desired.ts'
import { findingLevels } from '../../core/model/finding.ts'
import { quote } from '../../core/values/text.ts'
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
  const all = [...guards, ...(await guardsOfLinter(was.policy.lint, is.policy.lint))]
  return [
    ...all.flatMap(guard => weakenedGuard(guard, was, is)),
    ...was.rules.flatMap(rule => weakenedRule(rule, is.rules)),
    ...weakenedWaves(was, is, sites),
    ...newWaivers(was.waivers, is.waivers)
  ]
}

type Setting = string | number | boolean | undefined

/** A setting that guards a run, by its key in the policy. The higher its weakness, the less is enforced. */
type Guard = readonly [
  key: string,
  read: (policy: Policy) => Setting,
  weakness: (setting: Setting) => number
]

const lessIsStricter = (setting: Setting) => Number(setting ?? Number.POSITIVE_INFINITY)
/** NaN, which is not compared, if the setting is undefined. */
const moreIsStricter = (setting: Setting) => -Number(setting)
/** Of words with the strictest first. */
const byOrder = (words: readonly Setting[]) => (setting: Setting) => words.indexOf(setting)

const guards: readonly Guard[] = [
  ['max_changes', policy => policy.maxChanges, lessIsStricter],
  ['max_change_percent', policy => policy.maxChangePercent, lessIsStricter],
  ['unknown_fields', policy => policy.unknownFields, byOrder(policyWords.unknown_fields)],
  ['unknown_values', policy => policy.unknownValues, byOrder(policyWords.unknown_values)],
  ['plaintext_secrets', policy => policy.plaintextSecrets, byOrder(policyWords.plaintext_secrets)],
  ['unmanaged', policy => policy.unmanaged, byOrder(policyWords.unmanaged)],
  ['unwatched', policy => policy.unwatched, byOrder(policyWords.unwatched)],
  ['lint.level', ({ lint }) => lint?.level ?? 'off', byOrder(['info', 'warning', 'error', 'off'])],
  ['lint.strict', ({ lint }) => lint?.strict, moreIsStricter],
  ['rollout.pause', ({ rollout }) => rollout.pause, moreIsStricter]
]

/** The levels of single rules of the linter. Loads the rules only if the policies name different levels. */
async function guardsOfLinter(was?: LintPolicy, is?: LintPolicy): Promise<Guard[]> {
  if (was === undefined || is === undefined) return []
  const named = [...new Set([...Object.keys(was.rules), ...Object.keys(is.rules)])]
  const different = named.filter(id => was.rules[id] !== is.rules[id])
  if (different.length === 0) return []
  const { lintRules } = await import('../../core/lint/catalogue.ts')
  const own = new Map(lintRules.map(({ id, severity }) => [id, severity]))
  const weakness = byOrder([...findingLevels, 'off'])
  return different.map(id => [
    `lint.rules.${id}`,
    ({ lint }) => lint?.rules[id] ?? own.get(id),
    weakness
  ])
}

function weakenedGuard(
  [key, read, weakness]: Guard,
  was: DeclaredPolicy,
  is: DeclaredPolicy
): Weakening[] {
  const [before, now] = [read(was.policy), read(is.policy)]
  if (!(weakness(now) > weakness(before))) return []
  return [changed(key, [`${before}`, `${now ?? 'no limit'}`], { was, is })]
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

function weakenedWaves(
  was: DeclaredPolicy,
  is: DeclaredPolicy,
  sites: readonly FleetSite[]
): Weakening[] {
  const [before = '', after = ''] = [was, is].map(({ waves }) => waves.map(textOfWave).join(', '))
  const isWeaker = before !== after && isWeakerRollout(was.waves, is.waves, sites)
  return isWeaker ? [changed('rollout', [before, after || 'none'], { was, is })] : []
}

function textOfWave({ name, holds }: DeclaredWave): string {
  const sites = 'percent' in holds ? `${holds.percent}%` : holds.map(({ text }) => text).join(' ')
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
    const wider = was.filter(
      ({ rule, site = waiver.site, wlan = waiver.wlan }) =>
        rule === waiver.rule && site === waiver.site && wlan === waiver.wlan
    )
    return dated(`the waiver of ${quote(waiver.rule)}`, waiver, wider)
  })
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
