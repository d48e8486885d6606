import { asWarning, finding } from '../../model/finding.ts'
import { Secret } from '../../model/secret.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import type { DeclaredReference } from '../../secrets/source.ts'
import { at } from '../files/source.ts'
import { limits, weightOf } from '../limits.ts'
import type { LoadContext } from '../load-context.ts'
import type { Entry, MapNode, Node, ScalarNode } from '../yaml/tree.ts'
import {
  type FormatPart,
  isReference,
  piecesOf,
  type Reference,
  referenceOf
} from './references.ts'

/** The variable that a value comes from, and where it is used. */
export interface VariableUse {
  readonly variable: string
  readonly node: Node
}

/**
 * Turns declared nodes into values: variables are put in, references to secrets followed.
 *
 * Omits a value that cannot be resolved, with a finding. Findings of a variable's value have the place
 * where the variable is used.
 */
export class Values {
  readonly #run: LoadContext
  readonly #vars: ReadonlyMap<string, Node> | undefined
  /** The fields that a variable has a part in: those of one site. */
  readonly varying: string[] = []
  /** True once a secret is among the values that is at hand, and can be checked. */
  holdsSecret = false
  /** False once a value that cannot be resolved was omitted. */
  complete = true

  /** The number of values, nested and omitted ones too. */
  count = 0
  #variables = 0

  /** Without `vars`, their values are omitted: for profiles that no site uses. */
  constructor(run: LoadContext, vars: ReadonlyMap<string, Node> | undefined) {
    this.#run = run
    this.#vars = vars
  }

  /** True once a variable was resolved: the values are those of one site. */
  get usesVariables(): boolean {
    return this.#variables > 0
  }

  /** True once they exceed the limit of a WLAN; later ones are omitted. */
  get tooMany(): boolean {
    return this.count > limits.values
  }

  /** The value of a node in the place of a field; undefined if there is none to be had. */
  of(node: Node, field: Field, use?: VariableUse): Value | undefined {
    this.count += 1
    if (this.tooMany || !this.#run.budget.spend(1)) return undefined
    if (node.kind === 'scalar') return this.#scalar(node, field, use)
    if (node.kind === 'list') return this.#list(node.items, field, use)
    if (!isReference(node)) return this.#object(node, field, use)
    const reference = referenceOf(node, this.#run)
    return reference && this.#follow(reference, node, field, use)
  }

  /** The values of the fields of a WLAN, or of those that `isField` picks. */
  fields(
    { entries }: MapNode,
    isField: (name: string, entry: Entry) => boolean = () => true
  ): ValueObject {
    const fields: Record<string, Value> = {}
    for (const [name, entry] of entries) {
      if (!isField(name, entry)) continue
      const variables = this.#variables
      this.#member(fields, name, entry, wlanField, undefined)
      if (this.#variables > variables) this.varying.push(name)
    }
    return fields
  }

  #object({ entries }: MapNode, field: Field, use: VariableUse | undefined): ValueObject {
    const object: Record<string, Value> = {}
    for (const [name, entry] of entries) this.#member(object, name, entry, field, use)
    return object
  }

  #member(
    object: Record<string, Value>,
    name: string,
    { value: node }: Entry,
    field: Field,
    use: VariableUse | undefined
  ): void {
    const value = this.of(node, field.member(name), use)
    if (value === undefined) this.complete = false
    else object[name] = value
  }

  /** Omits a list that would lack an item, since indexes count. */
  #list(items: readonly Node[], field: Field, use: VariableUse | undefined): Value | undefined {
    const values: Value[] = []
    for (const item of items) {
      const value = this.of(item, field.item(), use)
      if (value !== undefined) values.push(value)
    }
    return values.length === items.length ? values : undefined
  }

  #scalar(node: ScalarNode, field: Field, use: VariableUse | undefined): Value {
    const { value } = node
    if (typeof value === 'string') this.#run.budget.spend(weightOf(value))
    if (!field.secret || value === null || value === '') {
      return value
    }
    this.holdsSecret = true
    return secretInClear(value, use?.node ?? node, use?.variable, this.#run)
  }

  #follow(
    { kind, argument }: Reference,
    node: MapNode,
    field: Field,
    use: VariableUse | undefined
  ): Value | undefined {
    if (kind === '$env' || kind === '$file') {
      const reference = kind === '$env' ? { $env: argument } : { $file: argument }
      const secret = secretFrom(reference, use?.node ?? node, field, this.#run)
      this.holdsSecret ||= secret?.known === true
      return secret
    }
    if (use !== undefined) {
      this.#run.findings.push(finding('VARIABLE_IN_VARIABLE', at(use.node), use.variable))
      return undefined
    }
    if (kind === '$format') return this.#format(argument, node, field)
    const found = this.#variable(argument, node)
    return found && this.of(found, field, { variable: argument, node })
  }

  #variable(name: string, node: Node): Node | undefined {
    this.#variables += 1
    const found = this.#vars?.get(name)
    if (found === undefined && this.#vars !== undefined) {
      const near = this.#run.suggestions.nearKey(name, this.#vars)
      this.#run.findings.push(finding('VARIABLE_UNKNOWN', at(node), name, near))
    }
    return found
  }

  #format(format: string, node: Node, field: Field): Value | undefined {
    const pieces = format.length > limits.format ? [{ text: format }] : piecesOf(format)
    if (pieces === undefined) {
      this.#run.findings.push(finding('FORMAT_BROKEN', at(node)))
      return undefined
    }
    let text = ''
    for (const piece of pieces) {
      const part = this.#piece(piece, node)
      if (part === undefined) return undefined
      text += part
      if (text.length <= limits.format) continue
      this.#run.findings.push(finding('FORMAT_TOO_LONG', at(node), limits.format))
      return undefined
    }
    this.#run.budget.spend(pieces.length + weightOf(text))
    if (!field.secret || text === '') return text
    this.holdsSecret = true
    return secretInClear(text, node, undefined, this.#run)
  }

  #piece(piece: FormatPart, node: Node): string | undefined {
    if ('text' in piece) return piece.text
    const found = this.#variable(piece.variable, node)
    if (found === undefined) return undefined
    if (found.kind === 'scalar' && found.value !== null) return String(found.value)
    this.#run.findings.push(finding('FORMAT_NOT_TEXT', at(node), piece.variable))
    return undefined
  }
}

/**
 * The secret that a reference stands for; it may be unknown. Undefined, with a finding, where none
 * is allowed: a secret in another field would end up where everybody can read it.
 */
export function secretFrom(
  reference: DeclaredReference,
  node: Node,
  field: Field,
  run: LoadContext
): Secret | undefined {
  if (!field.secret) {
    run.findings.push(finding('SECRET_MISPLACED', at(node)))
    return undefined
  }
  const resolution = run.secrets.resolve(reference)
  if (resolution.status === 'invalid') {
    run.findings.push(finding('SECRET_REFERENCE', at(node), resolution.reason))
    return undefined
  }
  if (resolution.status === 'unresolved') {
    run.findings.push(finding('SECRET_UNRESOLVED', at(node), nameOf(reference), resolution.reason))
  }
  return resolution.secret
}

const SERVICE_VARIABLE = /^\{\{ ?[A-Za-z0-9_.-]+ ?\}\}$/

/** A secret that stands in the YAML itself. A number stays one: it is of the wrong type as well. */
export function secretInClear(
  value: string | number | boolean,
  node: Node,
  variable: string | undefined,
  run: LoadContext
): Value {
  // A variable of the service is no secret.
  if (typeof value === 'string' && SERVICE_VARIABLE.test(value)) {
    return new Secret({ $plaintext: true }, value)
  }
  const allowed = run.policy.plaintextSecrets
  const found = finding('SECRET_IN_CLEAR', at(node), variable)
  if (allowed === 'error') run.findings.push(found)
  if (allowed === 'warn') run.findings.push(asWarning(found))
  return typeof value === 'string' ? new Secret({ $plaintext: true }, value) : value
}

function nameOf(reference: DeclaredReference): string {
  return '$env' in reference ? `$env: ${reference.$env}` : `$file: ${reference.$file}`
}
