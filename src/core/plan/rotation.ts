import { type SecretStates, secretPairs } from '../diff/secret-states.ts'
import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import type { Change } from '../model/plan.ts'
import type { RecordedRun } from '../model/record.ts'
import { wlanField } from '../schema/field.ts'
import { child, type Pointer } from '../values/pointer.ts'
import { type Rotation, referenceName, Secret, type SecretReference } from '../values/secret.ts'
import {
  isList,
  isObject,
  secretReferenceIn,
  type Value,
  type ValueObject,
  valueAt
} from '../values/value.ts'

const NO_ROTATIONS: ReadonlyMap<Pointer, Rotation> = new Map()

/**
 * Adds the rotations to each WLAN of a run: the secrets to send although the service hides the live ones.
 *
 * | cause       | condition                                               |
 * |-------------|---------------------------------------------------------|
 * | `reference` | `$env` or `$file` has a different name than at the base |
 * | `version`   | `$version` differs from the base, which may have none   |
 *
 * A WLAN that the base does not declare has no rotation because of its files.
 */
export function withRotations(sites: readonly DesiredSite[]): readonly DesiredSite[] {
  return sites.map(site => {
    if (site.sinceBase === undefined) return site
    const wlans = site.wlans.map(wlan => {
      const rotations = rotationsOf(wlan, site)
      return rotations.size === 0 ? wlan : { ...wlan, rotations }
    })
    return { ...site, wlans }
  })
}

function rotationsOf(
  { key, fields, excluded }: DesiredWlan,
  { sinceBase }: DesiredSite
): ReadonlyMap<Pointer, Rotation> {
  const before = sinceBase?.wlans.get(key)?.fieldsAtBase
  if (excluded || before === undefined) return NO_ROTATIONS
  const secrets = [...secretPairs(wlanField, fields, before)]
  return new Map(
    secrets.flatMap(({ at, value, other }) => {
      if (!(value instanceof Secret)) return []
      const rotation = rotationSince(
        value.reference,
        other instanceof Secret ? other.reference : undefined
      )
      return rotation === undefined ? [] : [[at, rotation] as const]
    })
  )
}

/** `base`: the reference at the base; undefined if the base does not declare this secret. */
function rotationSince(
  reference: SecretReference,
  base: SecretReference | undefined
): Rotation | undefined {
  const [name, nameAtBase] = [referenceName(reference), base && referenceName(base)]
  if (base !== undefined && nameAtBase !== undefined && name !== nameAtBase) {
    return name === undefined ? undefined : { cause: 'reference', from: base }
  }
  const version = versionOf(reference)
  if (version === undefined || version === (base && versionOf(base))) return undefined
  return { cause: 'version', ...(base && { from: base }) }
}

function versionOf(reference: SecretReference): number | undefined {
  return '$version' in reference ? reference.$version : undefined
}

/** The rotated secrets that the service does not show: shown ones are compared, by some run. */
export function secretsToSend(
  { rotations = NO_ROTATIONS }: Pick<DesiredWlan, 'rotations'>,
  live: ValueObject
): ReadonlySet<Pointer> {
  return new Set([...rotations.keys()].filter(pointer => !isShown(valueAt(live, pointer))))
}

function isShown(live: Value | undefined): boolean {
  return live instanceof Secret && live.certain && !live.empty
}

/** The rotation of each secret that a change sends although it is unknown; undefined if there is none. */
export function rotationsIn(
  { rotations = NO_ROTATIONS }: Pick<DesiredWlan, 'rotations'>,
  secrets: SecretStates = {}
): Change['rotations'] {
  const rotating = [...rotations].filter(([pointer]) => secrets[pointer] === 'rotates')
  return rotating.length === 0 ? undefined : Object.fromEntries(rotating)
}

export interface SentSecrets {
  /** True if applied with this name and `$version`; without a version, if it was the last one. */
  has(address: string, pointer: Pointer, secret: SecretReference): boolean
  /** True if the secret that a change of a saved plan sends at this pointer was applied. */
  hasOf(change: Change, pointer: Pointer): boolean
}

/** The secrets that the runs of a record applied on this service, also along with other changes. */
export function sentSecretsIn(runs: readonly RecordedRun[], baseUrl: string): SentSecrets {
  const sent = new Map<string, string[]>()
  for (const { changes } of runs.filter(run => run.baseUrl === baseUrl)) {
    for (const { change, outcome } of changes) {
      if (outcome.status !== 'applied') continue
      for (const [pointer, reference] of referencesIn(change.request.body, '')) {
        const key = keyOf(change.address, pointer)
        sent.set(key, [...(sent.get(key) ?? []), textOf(reference)])
      }
    }
  }
  const has: SentSecrets['has'] = (address, pointer, secret) => {
    const applied = sent.get(keyOf(address, pointer)) ?? []
    if (versionOf(secret) !== undefined) return applied.includes(textOf(secret))
    return applied.at(-1) === textOf(secret)
  }
  return {
    has,
    hasOf({ address, request }, pointer) {
      const secret = secretReferenceIn(valueAt(request.body, pointer) ?? null)
      return secret !== undefined && has(address, pointer, secret)
    }
  }
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
  const left = [...rotations].filter(([pointer]) => {
    const secret = valueAt(wlan.fields, pointer)
    return !(secret instanceof Secret) || !sent.has(wlan.address, pointer, secret.reference)
  })
  return left.length === 0 ? rest : { ...rest, rotations: new Map(left) }
}

function keyOf(address: string, pointer: Pointer): string {
  return JSON.stringify([address, pointer])
}

function textOf(reference: SecretReference): string {
  return JSON.stringify([referenceName(reference), versionOf(reference)])
}

function* referencesIn(value: Value, at: Pointer): Generator<readonly [Pointer, SecretReference]> {
  const reference = secretReferenceIn(value)
  if (reference !== undefined) {
    if (referenceName(reference) !== undefined) yield [at, reference]
  } else if (isList(value) || isObject(value)) {
    for (const [name, inner] of Object.entries(value)) yield* referencesIn(inner, child(at, name))
  }
}
