import type { DesiredSite, DesiredWlan } from '../core/model/desired.ts'
import type { Outcome } from '../core/model/outcome.ts'
import type { Change } from '../core/model/plan.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { nameOf, versionOf } from '../core/plan/rotation.ts'
import { child, type Pointer } from '../core/values/pointer.ts'
import { type Rotation, Secret, type SecretReference } from '../core/values/secret.ts'
import { isList, isObject, secretReferenceIn, type Value, valueAt } from '../core/values/value.ts'

/** The declared secrets that earlier runs applied. */
export interface SentSecrets {
  /**
   * True if this secret of a WLAN was applied: with the same name and `$version`; without a version, if it is
   * the last one that was applied. A request for a secret without a version always counts as new.
   */
  has(address: string, pointer: Pointer, secret: SecretReference, cause: Rotation['cause']): boolean
  /** True if the secret that a change of a saved plan sends at this pointer was applied. */
  hasOf(change: Change, pointer: Pointer): boolean
}

/** The secrets that the runs of a record applied on this service, also along with other changes. */
export function sentSecretsIn(runs: readonly RecordedRun[], baseUrl: string): SentSecrets {
  const sent = new Map<string, string[]>()
  for (const { changes } of runs.filter(run => run.baseUrl === baseUrl)) {
    for (const { change, outcome } of changes) {
      for (const [pointer, reference] of referencesIn(change.request.body, '')) {
        if (!stayed(outcome, pointer)) continue
        const key = keyOf(change.address, pointer)
        sent.set(key, [...(sent.get(key) ?? []), textOf(reference)])
      }
    }
  }
  const has: SentSecrets['has'] = (address, pointer, secret, cause) => {
    const applied = sent.get(keyOf(address, pointer)) ?? []
    if (versionOf(secret) !== undefined) return applied.includes(textOf(secret))
    return cause === 'reference' && applied.at(-1) === textOf(secret)
  }
  return {
    has,
    hasOf({ address, request, rotations }, pointer) {
      const secret = secretReferenceIn(valueAt(request.body, pointer) ?? null)
      const cause = rotations?.[pointer]?.cause ?? 'reference'
      return secret !== undefined && has(address, pointer, secret, cause)
    }
  }
}

/** True if the secret was applied, and not put back with other fields afterwards. */
function stayed({ status, notRestored = [] }: Outcome, pointer: Pointer): boolean {
  return status === 'applied' || (status === 'reverted' && notRestored.includes(pointer))
}

/** The sites without rotations that were applied already, so that no version is sent twice. */
export function withoutSentSecrets(
  sites: readonly DesiredSite[],
  sent: SentSecrets
): readonly DesiredSite[] {
  return sites.map(site =>
    site.wlans.some(({ rotations }) => rotations !== undefined)
      ? { ...site, wlans: site.wlans.map(wlan => withoutSent(wlan, sent)) }
      : site
  )
}

function withoutSent(wlan: DesiredWlan, sent: SentSecrets): DesiredWlan {
  const { rotations, ...rest } = wlan
  if (rotations === undefined) return wlan
  const left = [...rotations].filter(([pointer, { cause }]) => {
    const secret = valueAt(wlan.fields, pointer)
    return !(secret instanceof Secret) || !sent.has(wlan.address, pointer, secret.reference, cause)
  })
  return left.length === 0 ? rest : { ...rest, rotations: new Map(left) }
}

function keyOf(address: string, pointer: Pointer): string {
  return JSON.stringify([address, pointer])
}

function textOf(reference: SecretReference): string {
  return JSON.stringify([nameOf(reference), versionOf(reference)])
}

/** The declared secrets in a value, by pointer. */
function* referencesIn(value: Value, at: Pointer): Generator<readonly [Pointer, SecretReference]> {
  const reference = secretReferenceIn(value)
  if (reference !== undefined) {
    if (nameOf(reference) !== undefined) yield [at, reference]
  } else if (isList(value) || isObject(value)) {
    for (const [name, inner] of Object.entries(value)) yield* referencesIn(inner, child(at, name))
  }
}
