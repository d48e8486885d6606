import { defaultPolicy } from '../../core/model/defaults.ts'
import type { Policy } from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { nameProblem } from '../../core/values/ssid.ts'
import { isUuid } from '../../core/values/uuid.ts'
import {
  checkName,
  checkNamesOnce,
  expectText,
  integerFrom,
  isWhole,
  listOf,
  mapWith,
  membersIn,
  numberFrom,
  oneOf,
  wrongType
} from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type Entry, type MapNode, type Node, textOf } from '../yaml/tree.ts'
import { type DeclaredCalendar, freezesIn, windowsIn } from './declared-calendar.ts'
import { lintPolicyIn } from './lint-policy.ts'
import { type DeclaredWaiver, waiversIn } from './waivers.ts'

export const policyWords = {
  unknown_fields: ['error', 'warn'],
  unknown_values: ['error', 'warn'],
  plaintext_secrets: ['error', 'warn', 'allow'],
  unmanaged: ['error', 'report', 'ignore'],
  unwatched: ['error', 'drift', 'report', 'ignore']
} as const

export interface DeclaredPolicy {
  readonly node: MapNode | undefined
  readonly policy: Policy
  readonly rules: readonly Rule[]
  readonly waves: readonly DeclaredWave[]
  readonly waivers: readonly DeclaredWaiver[]
  readonly calendar?: DeclaredCalendar
  /** The IANA time zone of sites that name none. */
  readonly timezone?: Node
}

const settings = {
  org: expectUuid,
  max_changes: integerFrom(0),
  max_change_percent: numberFrom(0, 100),
  unknown_fields: oneOf(policyWords.unknown_fields),
  unknown_values: oneOf(policyWords.unknown_values),
  plaintext_secrets: oneOf(policyWords.plaintext_secrets),
  unmanaged: oneOf(policyWords.unmanaged),
  unwatched: oneOf(policyWords.unwatched),
  lint: lintPolicyIn,
  rollout: rolloutIn,
  rules: rulesIn,
  waivers: waiversIn,
  windows: windowsIn,
  freezes: freezesIn,
  timezone: (node: Node) => node
}

export function readPolicy(map: MapNode | undefined, findings: Findings): DeclaredPolicy {
  const declared = map === undefined ? {} : membersIn(map, settings, findings)
  const { rules = [], waivers = [], windows, freezes, timezone } = declared
  const { waves = [], pause, check_timeout: checkTimeout } = declared.rollout ?? {}
  const { lint: byDefault, ...defaults } = defaultPolicy
  const { lint = byDefault } = declared
  const policy: Policy = {
    ...defaults,
    rollout: { ...defaults.rollout, ...compact({ pause, checkTimeout }) },
    ...compact({
      org: declared.org,
      maxChanges: declared.max_changes,
      maxChangePercent: declared.max_change_percent,
      unknownFields: declared.unknown_fields,
      unknownValues: declared.unknown_values,
      plaintextSecrets: declared.plaintext_secrets,
      unmanaged: declared.unmanaged,
      unwatched: declared.unwatched,
      lint: lint === 'off' ? undefined : lint
    })
  }
  const isTimed = windows !== undefined || freezes !== undefined
  const calendar = isTimed ? { windows: windows ?? [], freezes: freezes ?? [] } : undefined
  return { node: map, policy, rules, waves, waivers, ...compact({ calendar, timezone }) }
}

function expectUuid(node: Node, findings: Findings): string | undefined {
  const id = expectText(node, findings)
  if (id === undefined || isUuid(id)) return id?.toLowerCase()
  findings.push(finding('ID_NOT_UUID', at(node)))
  return undefined
}

/** A rule of the policy: WLANs that match `when` must match `require`. */
export interface Rule {
  readonly name: string
  /** The message for the author of a WLAN that breaks the rule. */
  readonly message: string
  readonly when: Node | undefined
  readonly require: Node
  readonly level: 'error' | 'warning'
  /** `all`: the rule applies to undeclared live WLANs, too. */
  readonly over: 'managed' | 'all'
  readonly node: MapNode
  /** The revision that declares it; absent for the files. */
  readonly revision?: string
}

function rulesIn(node: Node, findings: Findings): Rule[] {
  const tooMany = ['policy', limits.rules, 'rules', 'combine some of them with `allOf`'] as const
  const rule = mapWith(
    'rule',
    { name: expectRuleName, message: expectMessage, require: expectRequirement },
    {
      when: expectRequirement,
      level: oneOf(['error', 'warning', 'warn']),
      over: oneOf(['managed', 'all'])
    }
  )
  const rules = listOf(rule, tooMany)(node, findings).filter(each => isWhole(each, 'when'))
  checkNamesOnce('rule', rules, each => at(each.node), findings)
  return rules.map(
    (each): Rule => ({
      when: undefined,
      over: 'managed',
      ...each,
      level: each.level?.startsWith('warn') ? 'warning' : 'error'
    })
  )
}

function expectRequirement(node: Node, findings: Findings): Node | undefined {
  if (node.kind !== 'scalar' || textOf(node) !== undefined) return node
  return wrongType(node, 'conditions or a map', findings)
}

function expectRuleName(node: Node, findings: Findings): string | undefined {
  const name = expectText(node, findings)
  if (name === undefined) return undefined
  const problem = lengthProblem(name) ?? nameProblem(name)
  if (problem === undefined) return name
  findings.push(finding('NAME_UNFIT', at(node), name.slice(0, MAX_NAME_LENGTH), problem))
  return undefined
}

function expectMessage(node: Node, findings: Findings): string | undefined {
  const message = expectText(node, findings)
  if (message === undefined || message.length <= limits.message) return message
  findings.push(finding('FIELD_LENGTH', at(node), { maximum: limits.message }))
  return undefined
}

/** The maximum length of the name of a rule or wave in UTF-16 code units; the name is part of reasons. */
const MAX_NAME_LENGTH = 100

function lengthProblem(name: string): string | undefined {
  return name.length > MAX_NAME_LENGTH
    ? `it has more than ${MAX_NAME_LENGTH} characters`
    : undefined
}

export interface DeclaredWave {
  readonly name: string
  readonly entry: Entry
  readonly holds: Share | readonly Glob[]
}

/** Percent of all sites, 1 to 100, including earlier waves: after `10%` and `50%`, half the fleet is changed. */
interface Share {
  readonly percent: number
}

export interface Glob {
  readonly text: string
  readonly node: Node
}

/** The maximum of each time of a rollout, in seconds: one day. */
const DAY = 86_400

/** Reads the `rollout` of a policy: a list of waves, or a map with `waves` and how the rollout goes. */
function rolloutIn(node: Node, findings: Findings) {
  const rows = { waves: wavesIn, pause: integerFrom(0, DAY), check_timeout: integerFrom(1, DAY) }
  return node.kind === 'map' ? membersIn(node, rows, findings) : { waves: wavesIn(node, findings) }
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
function wavesIn(node: Node, findings: Findings): DeclaredWave[] {
  const advice = 'combine waves: a wave may have several globs'
  const waves = listOf(waveIn, ['rollout', limits.waves, 'waves', advice])(node, findings)
  checkNamesOnce('wave', waves, ({ entry }) => atKey(entry), findings)
  checkOrder(waves, findings)
  return waves
}

function waveIn(item: Node, findings: Findings): DeclaredWave | undefined {
  if (item.kind !== 'map') return wrongType(item, 'a wave, such as `canary: hq`', findings)
  const [[name, entry] = [], ...others] = item.entries
  if (name === undefined || entry === undefined || others.length > 0) {
    findings.push(finding('WAVE_KEYS', at(item), [...item.entries.keys()]))
    return undefined
  }
  if (!checkName(name, entry, findings)) return undefined
  const problem = lengthProblem(name)
  if (problem !== undefined) {
    findings.push(finding('NAME_UNFIT', atKey(entry), name.slice(0, MAX_NAME_LENGTH), problem))
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
    return wrongType(item, wanted, findings)
  }
  if (text === '') findings.push(finding('WAVE_WITHOUT_SITES', at(item)))
  else if (/^\d+%$/.test(text)) findings.push(finding('WAVE_PERCENT', at(item)))
  else return { text, node: item }
  return undefined
}

/** Each percentage must be larger than those before. */
function checkOrder(waves: readonly DeclaredWave[], findings: Findings): void {
  let reached = 0
  for (const { entry, holds } of waves) {
    if (!('percent' in holds)) continue
    const { percent } = holds
    if (percent <= reached)
      findings.push(finding('WAVE_SHRINKS', at(entry.value), percent, reached))
    reached = Math.max(reached, percent)
  }
}
