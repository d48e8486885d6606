import { type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { missingSecret } from '../plan/secrets.ts'

/**
 * The fields with the secrets that there must be and that the service shows empty or not at all: it
 * hides them that way. They are unknown; a person has to fill them in.
 */
export function withNeededSecrets(fields: ValueObject, live: ValueObject): ValueObject {
  let complete = fields
  let before: Pointer | undefined
  for (;;) {
    const missing = missingSecret({ declared: complete, live, body: complete })
    // Nobody knows how many keys a list of them has.
    if (missing === undefined || missing === '/auth/keys' || missing === before) return complete
    complete = laid(complete, steps(missing)) as ValueObject
    before = missing
  }
}

function laid(value: Value, [step, ...rest]: readonly string[]): Value {
  if (step === undefined) return new Secret({ $live: true }, undefined)
  if (isList(value)) {
    return value.map((item, place) => (String(place) === step ? laid(item, rest) : item))
  }
  if (!isObject(value)) return value
  return { ...value, [step]: laid(member(value, step) ?? null, rest) }
}
