import { finding } from '../../model/finding.ts'
import { nameProblem } from '../../model/names.ts'
import { expectList, Members } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type MapNode, type Node, nodeKindOf } from '../yaml/tree.ts'
import { type Schema, schemaIn } from './schema.ts'

/** A demand on the WLANs of a fleet, as the policy declares it: what fits `when` has to fit `require`. */
export interface Rule {
  readonly name: string
  /** What to tell the author of a WLAN that breaks the rule. */
  readonly message: string
  /** Undefined: the rule is for every WLAN. */
  readonly when: Schema | undefined
  readonly require: Schema
  readonly level: 'error' | 'warning'
  readonly node: MapNode
}

/** Reads the `rules` of a policy. What is wrong with one is a finding, and the others stay. */
export function rulesIn(node: Node | undefined, findings: Findings): Rule[] {
  const names = new Set<string>()
  const items = (node && expectList(node, findings)?.items) ?? []
  const tooMany = items[limits.rules]
  if (tooMany !== undefined) {
    findings.push(finding('RULES_TOO_MANY', at(tooMany), limits.rules))
  }
  return items.slice(0, limits.rules).flatMap(item => {
    const map = mapOf(item, findings)
    const rule = map && ruleIn(map, findings)
    if (rule === undefined) return []
    if (names.has(rule.name)) findings.push(finding('RULE_TWICE', at(item), rule.name))
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
  members.done()
  for (const key of ['name', 'message', 'require']) {
    if (!map.entries.has(key)) findings.push(finding('RULE_INCOMPLETE', at(map), key))
  }
  const schema = (node: Node | undefined) => {
    const root = node && mapOf(node, findings)
    return root && schemaIn(root, name ?? '', found => findings.push(found))
  }
  const condition = schema(when)
  const demand = schema(require)
  if (name === undefined || message === undefined || demand === undefined) return undefined
  if (when !== undefined && condition === undefined) return undefined
  return {
    name,
    message,
    when: condition,
    require: demand,
    level: level === 'error' ? 'error' : 'warning',
    node: map
  }
}

/** The map that a node is. An empty one would be a rule without effect. */
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
