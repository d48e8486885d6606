import { holdsVariables } from '../../../core/lint/formats.ts'
import { type Condition, parseCondition, problemIn } from '../../../core/query/condition.ts'
import {
  knownValues,
  type NamedField,
  type Problem,
  queryNames,
  type Subject
} from '../../../core/query/field.ts'
import { fieldsCalled, nearest } from '../../../core/schema/nearest.ts'
import { highest } from '../../../core/values/collections.ts'
import { child, type Pointer } from '../../../core/values/pointer.ts'
import { asNumber } from '../../../core/values/value.ts'
import { textsIn } from '../../expect.ts'
import type { Findings } from '../../findings.ts'
import type { RunTime } from '../../usage.ts'
import { type Node, textOf } from '../../yaml/tree.ts'
import { type Effective, Evaluation, type Requirement, type RuleError } from './evaluation.ts'
import type { SchemaReport } from './schema.ts'

/** Conditions that all hold. An unknown value meets none and fails none. */
export class Conditions implements Requirement {
  readonly conditions: readonly Condition[]
  readonly named: ReadonlySet<string>
  readonly readsAll: boolean

  constructor(conditions: readonly Condition[]) {
    this.conditions = conditions
    this.named = new Set(conditions.flatMap(({ field }) => membersRead(field)))
    this.readsAll = conditions.some(({ field }) => membersRead(field).length === 0)
  }

  errors(wlan: Effective, time: RunTime): readonly RuleError[] {
    const run = new Evaluation(time, true)
    for (const condition of this.conditions) {
      const { text, field } = condition
      if (verdict(condition, wlan, run) !== false) continue
      run.fail(pointerTo(field), text, excessOf(condition, wlan))
    }
    return run.errors
  }

  matches(wlan: Effective, time: RunTime): boolean {
    const run = new Evaluation(time, false)
    return this.conditions.every(each => verdict(each, wlan, run) === true)
  }
}

/** The conditions of a rule, a text or a list of texts; undefined, with findings, if one is invalid. */
export function compileConditions(
  node: Node,
  findings: Findings,
  report: SchemaReport
): Conditions | undefined {
  let isInvalid = node.kind === 'list' && node.items.some(item => textOf(item) === undefined)
  const refuse = (item: Node, { problem, hint }: Problem) => {
    isInvalid = true
    report.invalid(item, problem, hint)
  }
  const texts = textsIn(node, findings, (_, problem) => refuse(node, { problem }))
  const conditions = conditionsIn(texts, refuse, (item, condition) => {
    const { name, path, fact, schema } = condition.field
    if (fact === undefined && !schema.known) {
      report.unknownField(item, name, nearest(name, queryNames()), fieldsCalled(path))
      return
    }
    const problem = name === 'wlan' && fact ? NO_KEY : problemIn([condition], [])
    if (problem !== undefined) refuse(item, problem)
  })
  return isInvalid ? undefined : new Conditions(conditions)
}

const NO_KEY: Problem = { problem: 'rules do not know the keys of WLANs', hint: 'use `ssid`' }

/** The conditions of these texts; `refuse` gets those that are invalid, `check` the others. */
export function conditionsIn(
  texts: readonly { readonly text: string; readonly item: Node }[],
  refuse: (item: Node, problem: Problem) => void,
  check: (item: Node, condition: Condition) => void = () => undefined
): Condition[] {
  return texts.flatMap(({ text, item }) => {
    const condition = parseCondition(text)
    if ('isMet' in condition) {
      check(item, condition)
      return condition
    }
    refuse(item, condition)
    return []
  })
}

/** Whether a WLAN meets a condition; undefined if that depends on an unknown value. */
function verdict(condition: Condition, wlan: Effective, run: Evaluation): boolean | undefined {
  const { field, readsValue, isMet, isFailed } = condition
  run.start()
  const { site, showsSecrets, ...known } = wlan.subject
  if (site === undefined && isOfSite(field)) return undefined
  const subject: Subject = { ...known, site: site?.name ?? '', groups: site?.groups }
  const values = knownValues(subject, field)
  if (known.isDeclared && values.some(value => value === undefined)) return undefined
  if (readsValue && holdsVariables(values.map(value => value ?? null))) return undefined
  const hidesSecrets = field.schema.holdsSecret && showsSecrets?.() === false
  const judged = { ...subject, hidesSecrets }
  return isMet(judged) || (isFailed(judged) ? false : undefined)
}

function isOfSite({ fact, name }: NamedField): boolean {
  return fact !== undefined && (name === 'site' || name === 'groups')
}

/** The members of a WLAN, or of its context, that a field is in; none for a fact of several of them. */
function membersRead(field: NamedField): readonly string[] {
  if (isOfSite(field)) return ['$site']
  return field.fact === undefined ? field.path.slice(0, 1) : []
}

function pointerTo(field: NamedField): Pointer {
  return field.fact === undefined ? field.path.reduce(child, '') : ''
}

/** How far a number is from the range that it has to be in. */
function excessOf({ bound, field }: Condition, { subject }: Effective) {
  if (bound === undefined) return undefined
  const values = knownValues({ ...subject, site: '' }, field).map(value => asNumber(value ?? null))
  const distances = values.map(value => (typeof value === 'number' ? Math.abs(value - bound) : 0))
  return { excess: highest([0, ...distances]) }
}
