import { defaultLintPolicy } from '../../core/model/defaults.ts'
import type { LintPolicy } from '../../core/model/desired.ts'
import { finding, findingLevels } from '../../core/model/finding.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { expectFlag, expectMap, membersIn, oneOf } from '../expect.ts'
import { atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { type MapNode, memberNode, type Node } from '../yaml/tree.ts'

const ruleLevel = oneOf([...findingLevels, 'off'])

const rows = { level: ruleLevel, strict: expectFlag, rules: ruleLevels }

function ruleLevels(node: Node, findings: Findings): LintPolicy['rules'] {
  const entries = expectMap(node, findings)?.entries ?? []
  const levels = [...entries].flatMap(([name, { value }]) => {
    const level = ruleLevel(value, findings)
    return level === undefined ? [] : [[name, level] as const]
  })
  return Object.fromEntries(levels)
}

export function lintPolicyIn(node: Node, findings: Findings): LintPolicy | 'off' | undefined {
  const map = expectMap(node, findings)
  if (map === undefined) return undefined
  const { level, ...others } = { ...defaultLintPolicy, ...membersIn(map, rows, findings) }
  return level === 'off' ? level : { level, ...others }
}

/** Reports names that are not rules of the linter. Loads the rules only if there is a name to check. */
export async function checkLintRules(
  policy: MapNode | undefined,
  findings: Findings
): Promise<void> {
  const named = memberNode(memberNode(policy, 'lint'), 'rules')
  if (named?.kind !== 'map' || named.entries.size === 0) return
  const { lintRules } = await import('../../core/lint/catalogue.ts')
  const known = lintRules.map(({ id }) => id)
  for (const [name, entry] of named.entries) {
    if (known.includes(name)) continue
    findings.push(finding('NAME_UNKNOWN', atKey(entry), 'lint rule', name, nearest(name, known)))
  }
}
