import { defaultPolicy, type Policy, type RolloutPolicy } from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { nameProblem } from '../../core/values/ssid.ts'
import { isUuid } from '../../core/values/uuid.ts'
import { atMost, checkName, itemsIn, Members, requireKeys } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type Entry, type MapNode, type Node, nodeKindOf, textOf } from '../yaml/tree.ts'
import { calendarIn, type DeclaredCalendar } from './declared-calendar.ts'
import { type DeclaredLintPolicy, lintPolicyIn } from './lint-policy.ts'
import { type DeclaredWaiver, waiversIn } from './waivers.ts'

/** The words of some keys of a policy, the strictest first. */
export const policyWords = {
  unknown_fields: ['error', 'warn'],
  unknown_values: ['error', 'warn'],
  plaintext_secrets: ['error', 'warn', 'allow'],
  unmanaged: ['error', 'report', 'ignore'],
  unwatched: ['error', 'drift', 'report', 'ignore']
} as const

/** The policy of a fleet; rules and waves in the order of the file. */
export interface DeclaredPolicy {
  /** Undefined without a `policy`. */
  readonly node: MapNode | undefined
  readonly policy: Policy
  /** Rules for the WLANs of the fleet. */
  readonly rules: readonly Rule[]
  /** The waves of the rollout. */
  readonly waves: readonly DeclaredWave[]
  readonly waivers: readonly DeclaredWaiver[]
  /** Undefined without `lint`. */
  readonly lint: DeclaredLintPolicy | undefined
  /** Windows and freezes; undefined if none are declared. */
  readonly calendar?: DeclaredCalendar | undefined
  /** The IANA time zone of sites that name none. */
  readonly timezone?: Node | undefined
}

/** Reads the policy of a fleet and applies the defaults. */
export function readPolicy(map: MapNode | undefined, findings: Findings): DeclaredPolicy {
  if (map === undefined) {
    return {
      node: undefined,
      policy: defaultPolicy,
      rules: [],
      waves: [],
      waivers: [],
      lint: undefined
    }
  }
  const members = new Members(map, findings)
  const lint = lintPolicyIn(members.node('lint'), findings)
  const { waves, rollout } = rolloutIn(members.node('rollout'), findings)
  const org = uuidIn('org', members, findings)
  const { lint: defaultLint, ...defaults } = defaultPolicy
  const policy: Policy = {
    ...defaults,
    rollout,
    ...compact({
      org,
      maxChanges: members.integer('max_changes', Number.MAX_SAFE_INTEGER),
      maxChangePercent: members.number('max_change_percent', 100),
      unknownFields: members.choice('unknown_fields', policyWords.unknown_fields),
      unknownValues: members.choice('unknown_values', policyWords.unknown_values),
      plaintextSecrets: members.choice('plaintext_secrets', policyWords.plaintext_secrets),
      unmanaged: members.choice('unmanaged', policyWords.unmanaged),
      unwatched: members.choice('unwatched', policyWords.unwatched),
      lint: lint === undefined ? defaultLint : lint.lint
    })
  }
  const rules = rulesIn(members.node('rules'), findings)
  const waivers = waiversIn(members.node('waivers'), findings)
  const calendar = calendarIn(members.node('windows'), members.node('freezes'), findings)
  const timezone = members.node('timezone')
  members.done()
  return { node: map, policy, rules, waves, waivers, lint, calendar, timezone }
}

function uuidIn(key: string, members: Members, findings: Findings): string | undefined {
  const id = members.text(key)
  const node = members.node(key)
  if (id === undefined || node === undefined || isUuid(id)) return id?.toLowerCase()
  findings.push(finding('ID_NOT_UUID', at(node)))
  return undefined
}

/** A rule of the policy: WLANs that match `when` must match `require`. */
export interface Rule {
  readonly name: string
  /** The message for the author of a WLAN that breaks the rule. */
  readonly message: string
  /** Undefined if the rule applies to every WLAN. */
  readonly when: MapNode | undefined
  readonly require: MapNode
  readonly level: 'error' | 'warning'
  /** `all`: the rule applies to undeclared live WLANs, too. */
  readonly over: 'managed' | 'all'
  readonly node: MapNode
  /** The revision that declares it; absent for the files. */
  readonly revision?: string
}

function rulesIn(node: Node | undefined, findings: Findings): Rule[] {
  const names = new Set<string>()
  const tooMany = ['policy', limits.rules, 'rules', 'combine some of them with `allOf`'] as const
  return atMost(itemsIn(node, findings), tooMany, findings).flatMap(item => {
    const map = mapOf(item, findings)
    const rule = map && ruleIn(map, findings)
    if (rule === undefined) return []
    if (names.has(rule.name)) findings.push(finding('NAME_TWICE', at(item), 'rule', rule.name))
    names.add(rule.name)
    return [rule]
  })
}

function ruleIn(map: MapNode, findings: Findings): Rule | undefined {
  const members = new Members(map, findings)
  const name = nameIn(members, findings)
  const message = messageIn(members, findings)
  const when = members.node('when')
  const require = members.node('require')
  const level = members.choice('level', ['error', 'warning', 'warn']) ?? 'error'
  const over = members.choice('over', ['managed', 'all']) ?? 'managed'
  members.done()
  requireKeys(map, 'rule', ['name', 'message', 'require'], findings)
  const condition = when && mapOf(when, findings)
  const demand = require && mapOf(require, findings)
  if (name === undefined || message === undefined || demand === undefined) return undefined
  if (when !== undefined && condition === undefined) return undefined
  return {
    name,
    message,
    when: condition,
    require: demand,
    level: level === 'error' ? 'error' : 'warning',
    over,
    node: map
  }
}

/** The node as a map. An empty map is a finding, because the rule would have no effect. */
function mapOf(node: Node, findings: Findings): MapNode | undefined {
  if (node.kind === 'map') return node
  findings.push(finding('WRONG_TYPE', at(node), 'a map', nodeKindOf(node)))
  return undefined
}

function nameIn(members: Members, findings: Findings): string | undefined {
  const name = members.text('name')
  const node = members.node('name')
  if (name === undefined || node === undefined) return undefined
  const problem = name.length > 100 ? 'it has more than 100 characters' : nameProblem(name)
  if (problem === undefined) return name
  findings.push(finding('NAME_UNFIT', at(node), name.slice(0, 100), problem))
  return undefined
}

function messageIn(members: Members, findings: Findings): string | undefined {
  const message = members.text('message')
  const node = members.node('message')
  if (message === undefined || node === undefined || message.length <= limits.message)
    return message
  findings.push(finding('FIELD_LENGTH', at(node), { maximum: limits.message }))
  return undefined
}

/** The maximum length of a wave's name in UTF-16 code units; the name is part of reasons. */
const MAX_WAVE_NAME_LENGTH = 100

/** A wave of the policy; `entry` is its place. */
export interface DeclaredWave {
  readonly name: string
  readonly entry: Entry
  readonly holds: Share | readonly Glob[]
}

/** Percent of all sites, 1 to 100, including earlier waves: after `10%` and `50%`, half the fleet is changed. */
interface Share {
  readonly percent: number
}

/** A glob over the names and ids of sites, and its place. */
export interface Glob {
  readonly text: string
  readonly node: Node
}

/** The maximum of each time of a rollout, in seconds: one day. */
const DAY = 86_400

/** Reads the `rollout` of a policy: a list of waves, or a map with `waves` and how the rollout goes. */
function rolloutIn(
  node: Node | undefined,
  findings: Findings
): { readonly waves: DeclaredWave[]; readonly rollout: RolloutPolicy } {
  const { rollout } = defaultPolicy
  if (node?.kind !== 'map') return { waves: wavesIn(node, findings), rollout }
  const members = new Members(node, findings)
  const waves = wavesIn(members.node('waves'), findings)
  const declared = compact({
    pause: members.integer('pause', DAY),
    checkTimeout: members.integer('check_timeout', DAY, 1)
  })
  members.done()
  return { waves, rollout: { ...rollout, ...declared } }
}

/**
 * Reads the waves of a rollout: a list, each with one key, its name.
 *
 *     - canary: hq                       # a glob over the names or ids of sites,
 *     - pilots: [store-00*, store-1?]    # several,
 *     - half: 50%                        # or a percentage
 *
 * Reports invalid waves, and returns the others.
 */
function wavesIn(node: Node | undefined, findings: Findings): DeclaredWave[] {
  const advice = 'combine waves: a wave may have several globs'
  const tooMany = ['rollout', limits.waves, 'waves', advice] as const
  const items = atMost(itemsIn(node, findings), tooMany, findings)
  const waves = items.flatMap(item => waveIn(item, findings) ?? [])
  checkOrder(waves, findings)
  return waves
}

function waveIn(item: Node, findings: Findings): DeclaredWave | undefined {
  if (item.kind !== 'map') {
    findings.push(finding('WRONG_TYPE', at(item), 'a wave, such as `canary: hq`', nodeKindOf(item)))
    return undefined
  }
  const [[name, entry] = [], ...others] = item.entries
  if (name === undefined || entry === undefined || others.length > 0) {
    findings.push(finding('WAVE_KEYS', at(item), [...item.entries.keys()]))
    return undefined
  }
  if (!checkName(name, entry, findings)) return undefined
  if (name.length > MAX_WAVE_NAME_LENGTH) {
    const problem = `it has more than ${MAX_WAVE_NAME_LENGTH} characters`
    findings.push(finding('NAME_UNFIT', atKey(entry), name.slice(0, MAX_WAVE_NAME_LENGTH), problem))
    return undefined
  }
  const holds = sitesIn(entry.value, findings)
  return holds && { name, entry, holds }
}

function sitesIn(node: Node, findings: Findings): DeclaredWave['holds'] | undefined {
  const text = textOf(node)
  if (text !== undefined && /%\s*$/.test(text)) return shareIn(text, node, findings)
  const items = node.kind === 'list' ? node.items : [node]
  const globs = items.flatMap(item => globIn(item, node, findings) ?? [])
  if (items.length === 0) findings.push(finding('WAVE_WITHOUT_SITES', at(node)))
  return globs.length === 0 || globs.length < items.length ? undefined : globs
}

function shareIn(text: string, node: Node, findings: Findings): Share | undefined {
  const [, digits = '0'] = /^(\d{1,3})%$/.exec(text) ?? []
  const percent = Number(digits)
  if (percent >= 1 && percent <= 100) return { percent }
  findings.push(finding('WAVE_PERCENT', at(node)))
  return undefined
}

function globIn(item: Node, wave: Node, findings: Findings): Glob | undefined {
  const text = textOf(item)
  if (text === undefined) {
    const wanted = item === wave ? 'a glob, a list of globs or a percentage' : 'a glob'
    findings.push(finding('WRONG_TYPE', at(item), wanted, nodeKindOf(item)))
  } else if (text === '') findings.push(finding('WAVE_WITHOUT_SITES', at(item)))
  else if (/^\d+%$/.test(text)) findings.push(finding('WAVE_PERCENT', at(item)))
  else return { text, node: item }
  return undefined
}

/** Names are unique, and each percentage is larger than those before. */
function checkOrder(waves: readonly DeclaredWave[], findings: Findings): void {
  const names = new Set<string>()
  let reached = 0
  for (const { name, entry, holds } of waves) {
    if (names.has(name)) findings.push(finding('NAME_TWICE', atKey(entry), 'wave', name))
    names.add(name)
    if (!('percent' in holds)) continue
    const { percent } = holds
    if (percent <= reached)
      findings.push(finding('WAVE_SHRINKS', at(entry.value), percent, reached))
    reached = Math.max(reached, percent)
  }
}
