import { defaultLintPolicy, type LintPolicy } from '../../core/model/desired.ts'
import { finding, findingLevels } from '../../core/model/finding.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { expectMap, Members } from '../expect.ts'
import { atKey } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import type { Entry, Node } from '../yaml/tree.ts'

const ruleLevels = [...findingLevels, 'off'] as const

/** A lint policy, and the entries that name rules of the linter. */
export interface DeclaredLintPolicy {
  /** Undefined for `level: off`. */
  readonly lint: LintPolicy | undefined
  /** The entries by rule; `checkLintRules` reports unknown rules. */
  readonly named: ReadonlyMap<string, Entry>
}

/** Reads the `lint` of a policy and applies the defaults. Undefined without one. */
export function lintPolicyIn(
  node: Node | undefined,
  findings: Findings
): DeclaredLintPolicy | undefined {
  const map = node && expectMap(node, findings)
  if (map === undefined) return undefined
  const members = new Members(map, findings)
  const level = members.choice('level', ruleLevels) ?? defaultLintPolicy.level
  const strict = members.flag('strict') ?? defaultLintPolicy.strict
  const declared = members.node('rules')
  members.done()
  const rules = declared && expectMap(declared, findings)
  const lintBy = (own: LintPolicy['rules']) =>
    level === 'off' ? undefined : { level, strict, rules: own }
  if (rules === undefined) return { lint: lintBy({}), named: new Map() }
  const each = new Members(rules, findings)
  const chosen = [...rules.entries.keys()].flatMap(name => {
    const value = each.choice(name, ruleLevels)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { lint: lintBy(Object.fromEntries(chosen)), named: rules.entries }
}

/** Reports names that are not rules of the linter. Loads the rules only if there is a name to check. */
export async function checkLintRules(
  declared: DeclaredLintPolicy | undefined,
  findings: Findings
): Promise<void> {
  if (declared === undefined || declared.named.size === 0) return
  const { lintRules } = await import('../../core/lint/catalogue.ts')
  const known = lintRules.map(({ id }) => id)
  for (const [name, entry] of declared.named) {
    if (known.includes(name)) continue
    findings.push(finding('NAME_UNKNOWN', atKey(entry), 'lint rule', name, nearest(name, known)))
  }
}
