import { asWarning, finding } from '../../core/model/finding.ts'
import { type Field, wlanField } from '../../core/schema/field.ts'
import { isServiceVariable, placeholderKind, Secret } from '../../core/values/secret.ts'
import type { Value, ValueObject } from '../../core/values/value.ts'
import { at } from '../files/source.ts'
import type { VariableValue } from '../findings.ts'
import { limits, weightOf } from '../limits.ts'
import { type DeclaredReference, fileNamePart } from '../secrets/source.ts'
import { envNamePart } from '../secrets/variable-names.ts'
import type { Entry, MapNode, Node, ScalarNode } from '../yaml/tree.ts'
import type { LoadContext } from './load-context.ts'
import {
  type FormatPart,
  isReference,
  piecesOf,
  type Reference,
  referenceOf,
  type SiteVariables,
  variablesOf
} from './references.ts'

export interface VariableUse {
  readonly variable: string
  readonly node: Node
}

/**
 * Converts declared nodes to values: replaces variables and resolves references to secrets. Omits a value
 * that cannot be resolved, with a finding. Findings about the value of a variable have the place of its use.
 */
export class Values {
  readonly #run: LoadContext
  readonly #site: SiteVariables | undefined
  /** The fields with variables, which differ from site to site. */
  readonly varying: string[] = []
  /** True if the values contain a secret with a known value, which can be validated. */
  holdsSecret = false
  /** False if a value that cannot be resolved was omitted. */
  complete = true

  count = 0
  #variables = 0

  /** Without a site, values of its variables are omitted: for profiles that no site uses. */
  constructor(run: LoadContext, site: SiteVariables | undefined) {
    this.#run = run
    this.#site = site
  }

  /** True if a variable was resolved, so that the values belong to one site. */
  get usesVariables(): boolean {
    return this.#variables > 0
  }

  /** True if the values exceed the limit of a WLAN; later ones are omitted. */
  get tooMany(): boolean {
    return this.count > limits.values
  }

  of(node: Node, field: Field, use?: VariableUse): Value | undefined {
    this.count += 1
    if (this.tooMany) return undefined
    if (node.kind === 'scalar') return this.#scalar(node, field, use)
    if (node.kind === 'list') return this.#list(node.items, field, use)
    if (!isReference(node)) return this.#object(node, field, use)
    const reference = referenceOf(node, this.#run.findings)
    return reference && this.#follow(reference, node, field, use)
  }

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
    // A map that is compared as a whole has no other entries than those declared.
    else if (value !== null || field.compare !== 'whole') object[name] = value
  }

  /** Omits the whole list if an item cannot be resolved, because the indexes of the others would change. */
  #list(items: readonly Node[], field: Field, use: VariableUse | undefined): Value | undefined {
    const values = items.map(item => this.of(item, field.item(), use))
    return values.every(value => value !== undefined) ? values : undefined
  }

  #scalar(node: ScalarNode, field: Field, use: VariableUse | undefined): Value {
    const { value } = node
    if (typeof value === 'string') this.count += weightOf(value)
    if (!field.secret || value === null || value === '' || isVariableOf(field, value)) {
      return value
    }
    if (typeof value === 'boolean') return value
    this.holdsSecret = true
    if (typeof value === 'number' && !field.known) {
      // The schema accepts its type, but a number is not redacted.
      this.#run.findings.push(finding('SECRET_INVALID', at(use?.node ?? node), 'a text in quotes'))
    }
    const variables = use && variablesOf(use.node, this.#site)
    return secretInClear(value, use?.node ?? node, variables, this.#run)
  }

  #follow(
    { kind, argument, version, byDefault }: Reference,
    node: MapNode,
    field: Field,
    use: VariableUse | undefined
  ): Value | undefined {
    if (kind === '$env' || kind === '$file') {
      const secret = this.#secret(kind, argument, node, field, use)
      return version === undefined ? secret : secret?.withVersion(version)
    }
    if (use !== undefined) return this.#nested(use)
    if (kind === '$format') return this.#format(argument, node, field)
    const found = this.#variable(argument, node, byDefault !== undefined)
    if (found === undefined && byDefault !== undefined) return this.of(byDefault, field)
    return found && this.of(found, field, { variable: argument, node })
  }

  #nested({ node, variable }: VariableUse, kind?: '$env' | '$file'): undefined {
    this.#run.findings.pushOf(variablesOf(node, this.#site), origin =>
      finding('VARIABLE_IN_VARIABLE', at(node), variable, kind, origin)
    )
  }

  /** The value of a variable, or the name of the site for `site`; an unknown one is a finding, unless it is `optional`. */
  #variable(name: string, node: Node, optional = false): Node | undefined {
    this.#variables += 1
    if (this.#site === undefined) return undefined
    const { name: site, vars } = this.#site
    const found = vars.get(name)
    if (found === undefined && name === 'site') return nameAt(node, site)
    if (found === undefined && !optional && !this.#run.variablesOptional) {
      const near = this.#run.findings.near(name, vars)
      this.#run.findings.pushOf({ site, variables: [name] }, origin =>
        finding('VARIABLE_UNKNOWN', at(node), name, near, origin)
      )
    }
    return found
  }

  #format(format: string, node: Node, field: Field): Value | undefined {
    const text = this.#substitute('$format', format, node, value => value)
    if (text === undefined || text === '' || !field.secret || isVariableOf(field, text)) return text
    this.holdsSecret = true
    return secretInClear(text, node, variablesOf(node, this.#site), this.#run)
  }

  /** The secret of a reference, whose name may contain variables of the site. */
  #secret(
    kind: '$env' | '$file',
    text: string,
    node: Node,
    field: Field,
    use: VariableUse | undefined
  ): Secret | undefined {
    const place = use?.node ?? node
    if (!field.secret) {
      this.#run.findings.push(finding('SECRET_MISPLACED', at(place)))
      return undefined
    }
    const isPlain = !text.includes('{')
    if (!isPlain && use !== undefined) return this.#nested(use, kind)
    const asPart = kind === '$env' ? envNamePart : fileNamePart
    const name = isPlain ? text : this.#substitute(kind, text, node, asPart)
    if (name === undefined) return undefined
    const reference = kind === '$env' ? { $env: name } : { $file: name }
    const start = text.slice(0, isPlain ? undefined : text.indexOf('{'))
    const secret = secretFrom(reference, start, place, this.#run)
    this.holdsSecret ||= secret?.known === true
    return secret
  }

  /** With variables replaced by `asPart` of their values; undefined, with a finding, if that fails. */
  #substitute(
    kind: '$format' | '$env' | '$file',
    format: string,
    node: Node,
    asPart: (value: string) => string
  ): string | undefined {
    const pieces = format.length > limits.format ? [{ text: format }] : piecesOf(format)
    if (pieces === undefined) {
      this.#run.findings.push(finding('FORMAT_BROKEN', at(node), kind))
      return undefined
    }
    let text = ''
    for (const piece of pieces) {
      const part = this.#piece(piece, node, asPart)
      if (part === undefined) return undefined
      text += part
      if (text.length <= limits.format) continue
      this.#run.findings.push(finding('FORMAT_TOO_LONG', at(node), limits.format, kind))
      return undefined
    }
    this.count += weightOf(text)
    return text
  }

  #piece(piece: FormatPart, node: Node, asPart: (value: string) => string): string | undefined {
    if ('text' in piece) return piece.text
    const found = this.#variable(piece.variable, node)
    if (found === undefined) return undefined
    if (found.kind === 'scalar' && found.value !== null) return asPart(String(found.value))
    const [site, variables] = [this.#site?.name ?? '', [piece.variable]]
    const setAt = found.source.place(found.offset)
    this.#run.findings.pushOf({ site, variables, setAt }, origin =>
      finding('FORMAT_NOT_TEXT', at(node), piece.variable, origin)
    )
    return undefined
  }
}

function nameAt({ source, offset }: Node, value: string): ScalarNode {
  return { kind: 'scalar', source, offset, value }
}

/** True for a variable of the service in a secret field; in an unknown field that is uncertain. */
function isVariableOf(field: Field, value: unknown): boolean {
  return field.known && isServiceVariable(value)
}

/**
 * The secret may have no value. Undefined, with a finding, if the reference is not allowed. `start`
 * is its text before the first variable.
 */
function secretFrom(
  reference: DeclaredReference,
  start: string,
  node: Node,
  run: LoadContext
): Secret | undefined {
  const resolution = run.secrets.resolve(reference, start)
  if (resolution.status === 'invalid') {
    run.findings.push(finding('SECRET_REFERENCE', at(node), resolution.reason))
    return undefined
  }
  if (resolution.status === 'unresolved') {
    const { reason } = resolution
    const secret = '$env' in reference ? reference.$env : reference.$file
    const about = { ...at(node), unavailable: { secret, reason } }
    run.findings.push(finding('SECRET_UNRESOLVED', about, nameOf(reference), reason))
  }
  const { secret } = resolution
  return isPlaceholder(secret, nameOf(reference), node, run) ? undefined : secret
}

/** True, with a finding, for a known value that certainly is not the secret itself. */
function isPlaceholder(secret: Secret, name: string, node: Node, run: LoadContext): boolean {
  const kind = secret.known ? placeholderKind(secret.reveal()) : undefined
  if (kind !== undefined) run.findings.push(finding('SECRET_MASKED', at(node), name, kind))
  return kind !== undefined
}

/** A plaintext secret in the YAML. A number stays a number, because its type is invalid, too. */
function secretInClear(
  value: string | number,
  node: Node,
  variables: VariableValue | undefined,
  run: LoadContext
): Value {
  const allowed = run.policy.plaintextSecrets
  if (allowed !== 'allow') {
    run.findings.pushOf(variables, origin => {
      const found = finding('SECRET_IN_CLEAR', at(node), origin)
      return allowed === 'warn' ? asWarning(found) : found
    })
  }
  if (typeof value !== 'string') return value
  const secret = new Secret({ $plaintext: true }, value)
  if (allowed !== 'error') isPlaceholder(secret, 'plaintext', node, run)
  return secret
}

function nameOf(reference: DeclaredReference): string {
  return '$env' in reference ? `$env: ${reference.$env}` : `$file: ${reference.$file}`
}
