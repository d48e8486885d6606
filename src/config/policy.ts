import { finding } from '../model/finding.ts'
import { defaultPolicy, type Policy, type PolicyRule } from '../model/policy.ts'
import type { Value, ValueObject } from '../model/value.ts'
import { expectList, expectMap } from './checks/expect.ts'
import type { Findings } from './checks/findings.ts'
import { Members } from './checks/members.ts'
import { at } from './files/source.ts'
import type { MapNode, Node } from './yaml/tree.ts'

/** Reads the policy of a fleet; what it leaves open is as in the default policy. */
export function readPolicy(map: MapNode | undefined, findings: Findings): Policy {
  if (map === undefined) return defaultPolicy
  const policy = new Members(map, findings)
  const maxChanges = policy.integer('max_changes', Number.MAX_SAFE_INTEGER)
  const read: Policy = {
    ...(maxChanges === undefined ? {} : { maxChanges }),
    maxChangePercent: policy.number('max_change_percent', 100) ?? defaultPolicy.maxChangePercent,
    unknownFields:
      policy.choice('unknown_fields', ['error', 'warn']) ?? defaultPolicy.unknownFields,
    plaintextSecrets:
      policy.choice('plaintext_secrets', ['error', 'warn', 'allow']) ??
      defaultPolicy.plaintextSecrets,
    unmanaged: policy.choice('unmanaged', ['report', 'ignore', 'error']) ?? defaultPolicy.unmanaged,
    allowDowngrade: policy.flag('allow_downgrade') ?? defaultPolicy.allowDowngrade,
    rules: rulesIn(policy.node('rules'), findings)
  }
  policy.done()
  return read
}

function rulesIn(node: Node | undefined, findings: Findings): PolicyRule[] {
  const names = new Set<string>()
  const list = node && expectList(node, findings)
  return (list?.items ?? []).flatMap(item => {
    const map = expectMap(item, findings)
    const rule = map && ruleIn(map, findings)
    if (rule === undefined) return []
    if (names.has(rule.name)) findings.push(finding('RULE_TWICE', at(item), rule.name))
    names.add(rule.name)
    return [rule]
  })
}

function ruleIn(map: MapNode, findings: Findings): PolicyRule | undefined {
  const rule = new Members(map, findings)
  const name = rule.text('name')
  const message = rule.text('message')
  const when = rule.node('when')
  const require = rule.node('require')
  const level = rule.choice('level', ['error', 'warning', 'warn']) ?? 'error'
  rule.done()
  for (const key of ['name', 'message', 'require']) {
    if (!map.entries.has(key)) findings.push(finding('RULE_INCOMPLETE', at(map), key))
  }
  const condition = when && schemaIn(when, findings)
  const demand = require && schemaIn(require, findings)
  if (name === undefined || message === undefined || demand === undefined) return undefined
  return {
    name,
    message,
    ...(condition === undefined ? {} : { when: condition }),
    require: demand,
    level: level === 'error' ? 'error' : 'warning'
  }
}

function schemaIn(node: Node, findings: Findings): ValueObject | undefined {
  const map = expectMap(node, findings)
  return map && membersOf(map)
}

/** The nodes as plain data. A schema has no variables and no secrets. */
function plain(node: Node): Value {
  if (node.kind === 'scalar') return node.value
  return node.kind === 'list' ? node.items.map(plain) : membersOf(node)
}

function membersOf(map: MapNode): ValueObject {
  return Object.fromEntries([...map.entries].map(([name, { value }]) => [name, plain(value)]))
}
