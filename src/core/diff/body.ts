import { type Finding, finding, type Where } from '../model/finding.ts'
import { wlanField } from '../schema/field.ts'
import { secretsShownIn } from '../schema/shown-secrets.ts'
import { isAtOrBelow, type Pointer, steps, topLevelField } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import {
  canonical,
  editAt,
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../values/value.ts'
import { endangeredSecret, hiddenSecrets } from './endangered-secret.ts'
import { valueToSend } from './overlay.ts'

/** The body of an update, with the secrets in it that the live record hides; or the finding that prevents it. */
type BodyResult =
  | { readonly body: ValueObject; readonly hidden: readonly Pointer[] }
  | { readonly finding: Finding }

/**
 * Composes the body that changes the given top-level fields and no other: each of them complete, because the
 * service replaces whole fields. One that is not declared is sent as it is live, without its nulls.
 *
 * An undeclared hidden secret is unknown in the body: only a read that shows it can complete the update. A field is
 * not sent if the update would destroy a secret in it, or if it contains a number that JavaScript cannot represent.
 * `secretsShown`: true if the response with the live record shows secrets.
 */
export function composeBody(
  declared: ValueObject,
  live: ValueObject,
  fields: readonly string[],
  where: Where,
  secretsShown: () => boolean = secretsShownIn([live])
): BodyResult {
  const visible = fromEntries(
    fields.map(name => {
      const found = member(live, name)
      return [name, canonical(valueToSend(wlanField.member(name), found, member(declared, name)))]
    })
  )
  const hidden = hiddenSecrets({ declared, live, body: visible }, secretsShown)
  const removed = hidden.filter(at => valueAt(declared, at) !== undefined)
  if (removed.length > 0) return { finding: { ...hiddenFinding(removed, where), level: 'error' } }
  const body = withHidden(visible, hidden)
  const endangered = endangeredSecret({ declared, live, body }, where)
  if (endangered !== undefined) return { finding: endangered }
  const lossy = fields.find(name => holdsLossyNumber(body[name]))
  if (lossy !== undefined) return { finding: finding('NUMBER_NOT_KEPT', where, lossy) }
  return { body, hidden }
}

export function hiddenFinding(hidden: readonly Pointer[], where: Where): Finding {
  return finding('SECRET_HIDDEN', where, hidden, [...new Set(hidden.map(topLevelField))])
}

/** The value at a pointer, with unknown secrets at the hidden pointers in it. */
export function withHidden<V extends Value>(value: V, hidden: readonly Pointer[], at?: Pointer): V
export function withHidden(value: Value, hidden: readonly Pointer[], at: Pointer = ''): Value {
  return hidden
    .filter(pointer => isAtOrBelow(pointer, at))
    .reduce<Value>((whole, pointer) => {
      const path = steps(pointer.slice(at.length))
      return canonical(editAt(whole, path, () => new Secret({ $live: true }, undefined)) ?? null)
    }, value)
}

export function updatePath(site: { readonly id: string }, wlan: { readonly id: string }): string {
  return `/api/v1/sites/${site.id}/wlans/${wlan.id}`
}

/** Parsing loses digits of numbers above 2^53: sending one back would change it. */
function holdsLossyNumber(value: Value | undefined): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (isList(value)) return value.some(holdsLossyNumber)
  return isObject(value) && Object.values(value).some(holdsLossyNumber)
}
