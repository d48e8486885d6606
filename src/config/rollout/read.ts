import { finding } from '../../model/finding.ts'
import { checkName, expectList } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type Entry, type Node, nodeKindOf, textOf } from '../yaml/tree.ts'

/** UTF-16 code units of a wave's name, which stands in the reason of whatever it holds up. */
const LONGEST = 100

/** A wave as the policy declares it; `entry` is where it stands. */
export interface DeclaredWave {
  readonly name: string
  readonly entry: Entry
  readonly holds: Share | readonly Glob[]
}

/**
 * A whole percentage of all sites of the fleet, from 1 to 100. It counts those of the waves before it,
 * too: after `10%` and `50%` a half of the fleet has had its turn.
 */
export interface Share {
  readonly percent: number
}

/** A glob over the names and ids of sites, and where it stands. */
export interface Glob {
  readonly text: string
  readonly node: Node
}

/**
 * Reads the `rollout` of a policy: a list of waves, each with one key, its name.
 *
 *     - canary: hq                       # a glob over the names or ids of sites,
 *     - pilots: [store-00*, store-1?]    # several,
 *     - half: 50%                        # or a percentage
 *
 * What is wrong with a wave is a finding, and the others stay.
 */
export function wavesIn(node: Node | undefined, findings: Findings): DeclaredWave[] {
  const items = (node && expectList(node, findings)?.items) ?? []
  const tooMany = items[limits.waves]
  if (tooMany !== undefined) findings.push(finding('WAVES_TOO_MANY', at(tooMany), limits.waves))
  const waves = items.slice(0, limits.waves).flatMap(item => waveIn(item, findings) ?? [])
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
  if (name.length > LONGEST) {
    const problem = `it has more than ${LONGEST} characters`
    findings.push(finding('NAME_UNFIT', atKey(entry), name.slice(0, LONGEST), problem))
    return undefined
  }
  const holds = heldBy(entry.value, findings)
  return holds && { name, entry, holds }
}

function heldBy(node: Node, findings: Findings): DeclaredWave['holds'] | undefined {
  const text = textOf(node)
  if (text?.trimEnd().endsWith('%')) return shareIn(text, node, findings)
  const items = node.kind === 'list' ? node.items : [node]
  const globs = items.flatMap(item => globIn(item, node, findings) ?? [])
  if (items.length === 0) findings.push(finding('WAVE_WITHOUT_SITES', at(node)))
  return globs.length === 0 || globs.length < items.length ? undefined : globs
}

function shareIn(text: string, node: Node, findings: Findings): Share | undefined {
  const percent = /^\d{1,3}%$/.test(text) ? Number(text.slice(0, -1)) : 0
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

/** The waves come one after the other: a name tells one apart, and a percentage adds to those before. */
function checkOrder(waves: readonly DeclaredWave[], findings: Findings): void {
  const names = new Set<string>()
  let reached = 0
  for (const { name, entry, holds } of waves) {
    if (names.has(name)) findings.push(finding('WAVE_TWICE', atKey(entry), name))
    names.add(name)
    if (!('percent' in holds)) continue
    const { percent } = holds
    if (percent <= reached)
      findings.push(finding('WAVE_SHRINKS', at(entry.value), percent, reached))
    reached = Math.max(reached, percent)
  }
}
