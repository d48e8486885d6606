import { partnersOf } from '../diff/overlay.ts'
import type { SecretStates } from '../diff/secret-states.ts'
import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import type { Change } from '../model/plan.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { child, isAtOrBelow, type Pointer } from '../values/pointer.ts'
import { type Rotation, Secret, type SecretReference } from '../values/secret.ts'
import { isList, isObject, member, type Value, type ValueObject, valueAt } from '../values/value.ts'

/** A declared secret, and its declaration at the base revision. */
interface DeclaredSecret {
  readonly pointer: Pointer
  readonly reference: SecretReference
  /** Undefined if the base does not declare this secret. */
  readonly base: SecretReference | undefined
}

/** The sites of a run with the rotations of their WLANs. */
export interface RotatedSites {
  readonly sites: readonly DesiredSite[]
  /** The requested pointers at which no WLAN of the run declares a secret. */
  readonly unmatched: readonly Pointer[]
  /** True if any WLAN has a rotation. */
  readonly rotates: boolean
}

/** Shared by all WLANs without a rotation. */
const NO_ROTATIONS: ReadonlyMap<Pointer, Rotation> = new Map()
const NO_POINTERS: ReadonlySet<Pointer> = new Set()

/**
 * Adds the rotations to each WLAN of a run: the secrets to send although the service hides the live ones.
 *
 * | cause       | condition                                                                       |
 * |-------------|---------------------------------------------------------------------------------|
 * | `reference` | `$env` or `$file` has a different name than at the base                         |
 * | `version`   | `$version` differs from the base, which may have none                           |
 * | `request`   | `requested` has the pointer of the secret, or of a field that contains it       |
 *
 * A WLAN that the base does not declare has no rotation because of its files.
 */
export function withRotations(
  sites: readonly DesiredSite[],
  requested: readonly Pointer[]
): RotatedSites {
  const unmatched = new Set(requested)
  let rotates = false
  const marked = sites.map(site => {
    let isMarked = false
    const wlans = site.wlans.map(wlan => {
      const rotations = rotationsOf(wlan, site, requested, unmatched)
      if (rotations.size === 0) return wlan
      isMarked = true
      return { ...wlan, rotations }
    })
    rotates ||= isMarked
    return isMarked ? { ...site, wlans } : site
  })
  return { sites: marked, unmatched: [...unmatched], rotates }
}

/** Removes from `unmatched` the requested pointers at which the WLAN declares a secret. */
function rotationsOf(
  { key, fields, excluded }: DesiredWlan,
  { sinceBase }: DesiredSite,
  requested: readonly Pointer[],
  unmatched: Set<Pointer>
): ReadonlyMap<Pointer, Rotation> {
  const before = sinceBase?.wlans.get(key)?.fieldsAtBase
  if (excluded || (before === undefined && requested.length === 0)) return NO_ROTATIONS
  const rotations = new Map<Pointer, Rotation>()
  for (const secret of declaredSecrets(wlanField, fields, before, '')) {
    const { pointer } = secret
    const asking = requested.filter(each => isAtOrBelow(pointer, each))
    for (const each of asking) unmatched.delete(each)
    const since = before && rotationSince(secret)
    if (since !== undefined) rotations.set(pointer, since)
    else if (asking.length > 0) rotations.set(pointer, { cause: 'request' })
  }
  return rotations
}

/** Elements of lists are paired with those of the base by the key of the list, as with live elements. */
function* declaredSecrets(
  field: Field,
  now: Value,
  before: Value | undefined,
  at: Pointer
): Generator<DeclaredSecret> {
  if (now instanceof Secret) {
    const base = before instanceof Secret ? before.reference : undefined
    yield { pointer: at, reference: now.reference, base }
  } else if (isList(now)) {
    const partners = partnersOf(field, isList(before) ? before : [], now)
    for (const [place, element] of now.entries()) {
      yield* declaredSecrets(field.item(), element, partners[place], child(at, place))
    }
  } else if (isObject(now)) {
    for (const [name, value] of Object.entries(now)) {
      const earlier = isObject(before) ? member(before, name) : undefined
      yield* declaredSecrets(field.member(name), value, earlier, child(at, name))
    }
  }
}

/** The rotation that the files cause; undefined if there is none. */
function rotationSince({ reference, base }: DeclaredSecret): Rotation | undefined {
  const [name, nameAtBase] = [nameOf(reference), base && nameOf(base)]
  if (base !== undefined && nameAtBase !== undefined && name !== nameAtBase) {
    return name === undefined ? undefined : { cause: 'reference', from: base }
  }
  const version = versionOf(reference)
  if (version === undefined || version === (base && versionOf(base))) return undefined
  return { cause: 'version', ...(base && { from: base }) }
}

/** The name in a reference, with its kind; undefined for a secret without one. */
export function nameOf(reference: SecretReference): string | undefined {
  if ('$env' in reference) return `$env ${reference.$env}`
  return '$file' in reference ? `$file ${reference.$file}` : undefined
}

/** The `$version` of a reference. */
export function versionOf(reference: SecretReference): number | undefined {
  return '$version' in reference ? reference.$version : undefined
}

/**
 * The secrets of a WLAN to send: those of its rotations that the service does not show. A secret that it
 * shows is compared, in this run or in one that has its value.
 */
export function secretsToSend(
  { rotations = NO_ROTATIONS }: Pick<DesiredWlan, 'rotations'>,
  live: ValueObject
): ReadonlySet<Pointer> {
  if (rotations.size === 0) return NO_POINTERS
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
