import type { LintPolicy, Policy } from '../../core/model/desired.ts'
import { findingLevels } from '../../core/model/finding.ts'
import { compact, lowest } from '../../core/values/collections.ts'
import { quote } from '../../core/values/text.ts'
import { endOfDay } from '../../core/values/time.ts'
import { type DeclaredPolicy, policyWords, type Rule } from '../policy/policy.ts'
import type { DeclaredWaiver } from '../policy/waivers.ts'
import { instantOf } from '../time/zone.ts'
import { memberNode, sameNode } from '../yaml/tree.ts'
import type { Base } from './base.ts'

export interface StricterPolicy {
  /** The stricter value of each key. */
  readonly policy: Policy
  readonly rules: readonly Rule[]
  /** What the files relax, e.g. `max_changes 20 → 50`: it holds from the next change on. */
  readonly relaxed: readonly string[]
}

/**
 * The policies of the base and of the files as one. Windows, freezes, waivers and protection are asked of both where they are
 * used. What only time has changed is not relaxed: a freeze that is over at the base, a waiver that has expired.
 */
export async function stricterPolicy(
  { name: revision, policy: base }: Pick<Base, 'name' | 'policy'>,
  files: DeclaredPolicy,
  now: Date
): Promise<StricterPolicy> {
  const lint = await stricterLint(base.policy.lint, files.policy.lint)
  const policy: Policy = {
    ...stricter(base.policy, files.policy),
    ...(base.waves.length > 0 && { rollout: base.policy.rollout }),
    ...compact({ lint })
  }
  const own = base.rules.filter(rule => !files.rules.some(each => demandsSame(each, rule)))
  const rules = [...files.rules, ...own.map(rule => ({ ...rule, revision }))]
  const isRefusing = ({ level }: Rule) => level === 'error'
  return {
    policy,
    // Of two equal findings of different levels the first one counts.
    rules: [...rules.filter(isRefusing), ...rules.filter(rule => !isRefusing(rule))],
    relaxed: [
      ...relaxedSettings(policy, files.policy),
      ...own.map(rule => relaxedRule(rule, files.rules)),
      ...files.waivers.flatMap(waiver => relaxedWaiver(waiver, base.waivers, now)),
      ...relaxedKeys(base, files, now)
    ]
  }
}

function demandsSame(a: Rule, b: Rule): boolean {
  const isSame = sameNode(a.when, b.when) && sameNode(a.require, b.require)
  return isSame && a.level === b.level && a.over === b.over
}

function stricter(base: Policy, files: Policy): Policy {
  const limits = [base.maxChanges, files.maxChanges].filter(limit => limit !== undefined)
  return {
    ...files,
    ...(limits.length > 0 && { maxChanges: lowest(limits) }),
    maxChangePercent: Math.min(base.maxChangePercent, files.maxChangePercent),
    unknownFields: first(policyWords.unknown_fields, base.unknownFields, files.unknownFields),
    unknownValues: first(policyWords.unknown_values, base.unknownValues, files.unknownValues),
    plaintextSecrets: first(
      policyWords.plaintext_secrets,
      base.plaintextSecrets,
      files.plaintextSecrets
    ),
    unmanaged: first(policyWords.unmanaged, base.unmanaged, files.unmanaged),
    unwatched: first(policyWords.unwatched, base.unwatched, files.unwatched),
    ...compact({ org: base.org ?? files.org })
  }
}

function first<Word extends string>(words: readonly Word[], a: Word, b: Word): Word {
  return words.indexOf(a) < words.indexOf(b) ? a : b
}

/** Loads the rules of the linter only if the policies name different levels. */
async function stricterLint(
  base: LintPolicy | undefined,
  files: LintPolicy | undefined
): Promise<LintPolicy | undefined> {
  if (base === undefined || files === undefined) return base ?? files
  const named = Object.keys({ ...base.rules, ...files.rules })
  const different = named.filter(id => base.rules[id] !== files.rules[id])
  const levels = await levelsOf(different)
  const levelIn = (id: string, { rules }: LintPolicy) => rules[id] ?? levels.get(id) ?? 'off'
  const words = [...findingLevels, 'off'] as const
  const rules = different
    .map(id => ({ id, was: levelIn(id, base), is: levelIn(id, files) }))
    .filter(({ was, is }) => first(words, was, is) !== is)
    .map(({ id, was }) => [id, was] as const)
  return {
    level: first(['info', 'warning', 'error'], base.level, files.level),
    strict: base.strict || files.strict,
    rules: { ...files.rules, ...Object.fromEntries(rules) }
  }
}

async function levelsOf(ids: readonly string[]) {
  if (ids.length === 0) return new Map()
  const { lintRules } = await import('../../core/lint/catalogue.ts')
  return new Map(lintRules.map(({ id, severity }) => [id, severity]))
}

function relaxedSettings(held: Policy, files: Policy): string[] {
  const declared = new Map(settingsOf(files))
  return settingsOf(held).flatMap(([key, value]) => {
    const now = declared.get(key)
    return value === now ? [] : [`${key} ${value} → ${now ?? 'default'}`]
  })
}

function settingsOf({ lint, ...policy }: Policy): [key: string, value: unknown][] {
  return [
    ['max_changes', policy.maxChanges ?? 'none'],
    ['max_change_percent', policy.maxChangePercent],
    ['unknown_fields', policy.unknownFields],
    ['unknown_values', policy.unknownValues],
    ['plaintext_secrets', policy.plaintextSecrets],
    ['unmanaged', policy.unmanaged],
    ['unwatched', policy.unwatched],
    ['lint.level', lint?.level ?? 'off'],
    ['lint.strict', lint?.strict ?? false],
    ...Object.entries(lint?.rules ?? {}).map(([id, level]): [string, unknown] => [
      `lint.rules.${id}`,
      level
    ])
  ]
}

function relaxedRule({ name }: Rule, files: readonly Rule[]): string {
  const isThere = files.some(rule => rule.name === name)
  return `rule ${quote(name)} ${isThere ? 'changed' : 'removed'}`
}

/** Nothing for a waiver that the base has with at least this scope and time; days in ISO notation sort as text. */
function relaxedWaiver(
  { rule, site, wlan, until }: DeclaredWaiver,
  base: readonly DeclaredWaiver[],
  now: Date
): string[] {
  if ((endOfDay(until) ?? 0) < now.getTime()) return []
  const isCovered = base.some(
    waiver =>
      waiver.rule === rule &&
      [undefined, site].includes(waiver.site) &&
      [undefined, wlan].includes(waiver.wlan) &&
      waiver.until >= until
  )
  return isCovered ? [] : [`waiver of ${quote(rule)} until ${until}`]
}

/** The keys of the base whose values can not be ranked, if the files have others. */
function relaxedKeys(base: DeclaredPolicy, files: DeclaredPolicy, now: Date): string[] {
  const { windows = [], freezes = [] } = base.calendar ?? {}
  const areOver = freezes.every(({ until }) => (instantOf(until, 'UTC', true) ?? 0) < now.getTime())
  return ['windows', 'freezes', 'timezone', 'rollout', 'org'].flatMap(key => {
    const [was, is] = [base, files].map(({ node }) => memberNode(node, key))
    const isIdle =
      (key === 'freezes' && areOver) || (key === 'timezone' && areOver && windows.length === 0)
    return was === undefined || isIdle || sameNode(was, is)
      ? []
      : [`${key} ${is === undefined ? 'removed' : 'changed'}`]
  })
}
