import { asWarning, finding } from '../../model/finding.ts'
import { Secret } from '../../model/secret.ts'
import type { Value } from '../../model/value.ts'
import type { DeclaredReference } from '../../secrets/source.ts'
import { at } from '../files/source.ts'
import type { VariableValue } from '../findings.ts'
import type { LoadContext } from '../load-context.ts'
import type { Node } from '../yaml/tree.ts'

/**
 * The secret that a reference stands for; it may be unknown. Undefined, with a finding, if the reference is not
 * allowed. `start`: the text of the reference before its first variable.
 */
export function secretFrom(
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
    run.findings.push(finding('SECRET_UNRESOLVED', at(node), nameOf(reference), resolution.reason))
  }
  return resolution.secret
}

/** A secret that stands in the YAML itself. A number stays one: it is of the wrong type as well. */
export function secretInClear(
  value: string | number | boolean,
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
  return typeof value === 'string' ? new Secret({ $plaintext: true }, value) : value
}

function nameOf(reference: DeclaredReference): string {
  return '$env' in reference ? `$env: ${reference.$env}` : `$file: ${reference.$file}`
}
