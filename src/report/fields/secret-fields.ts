import type {
  Change,
  NotCompared,
  PatchOperation,
  SecretState,
  ShownChange
} from '../../core/model/plan.ts'
import { compact } from '../../core/values/collections.ts'
import { child, type Pointer, steps } from '../../core/values/pointer.ts'
import type { SecretReference } from '../../core/values/secret.ts'
import {
  below,
  isList,
  isObject,
  isSameButSecrets,
  member,
  secretReferenceIn,
  type Value,
  valueAt
} from '../../core/values/value.ts'
import { escapeInside } from '../escape.ts'

/** A changed field for reports: a field of a patch, or a secret within one. */
export type FieldChange = PatchOperation & {
  /** The value that the `test` before the operation expects; absent if there is none. */
  readonly before?: Value
  /** The state of the secret; absent for any other field. */
  readonly state?: SecretState
  /** The field of the patch that contains the secret; absent if `path` is that field. */
  readonly sentIn?: Pointer
  /** The reason why a rotating secret is sent. */
  readonly rotation?: RotationText
}

/** The members that name an element of a list, in order of preference. */
export const elementNames: readonly string[] = ['host', 'ip']

const NO_REQUEST = { body: {} }

/**
 * The operations of a change without tests. Each secret within one that is changed, set or rotated follows as
 * a field of its own; a list or object in which only such secrets differ is omitted.
 */
export function withSecretFields(change: ShownChange): FieldChange[] {
  const { patch, secrets, request: { body } = NO_REQUEST } = change
  const tested = new Map(
    patch.flatMap(step => (step.op === 'test' ? [[step.path, step.value] as const] : []))
  )
  const operations = patch
    .filter(({ op }) => op !== 'test')
    .map(step => ({ ...step, ...compact({ before: tested.get(step.path) }) }))
  if (secrets === undefined) return operations
  const states = Object.entries(secrets).filter(([, state]) => isSent(state))
  return operations.flatMap((operation): FieldChange[] => {
    const { path } = operation
    const own = Object.hasOwn(secrets, path) ? secrets[path] : undefined
    if (own !== undefined && isSent(own))
      return [
        {
          ...secretField(path, own, 'value' in operation ? operation.value : null),
          ...compact({ before: operation.before, rotation: rotationText(change, path) })
        }
      ]
    const within = states.filter(([pointer]) => pointer.startsWith(`${path}/`))
    const fields = within.map(([pointer, state]): FieldChange => {
      const value = valueAt(body, pointer) ?? null
      const shown = elementPointer(body, pointer)
      const rotation = rotationText(change, pointer)
      return { ...secretField(shown, state, value), sentIn: path, ...compact({ rotation }) }
    })
    const isWhole =
      within.length === 0 ||
      !('value' in operation && isSameButSecrets(operation.before, operation.value))
    return isWhole ? [operation, ...fields] : fields
  })
}

/**
 * The secrets that an update sends although they could not be compared, by their names in reports: those that
 * rotate, and those in a field that is sent completely. Excludes live values that stay.
 */
export function sentUncompared({ secrets = {}, request }: Change): Pointer[] {
  return Object.entries(secrets).flatMap(([pointer, state]) => {
    if (state !== 'unknown' && state !== 'rotates') return []
    const reference = secretReferenceIn(valueAt(request.body, pointer) ?? null)
    if (reference === undefined || '$live' in reference) return []
    return [elementPointer(request.body, pointer)]
  })
}

function isSent(state: SecretState): boolean {
  return state === 'changed' || state === 'set' || state === 'rotates'
}

function secretField(path: Pointer, state: SecretState, value: Value): FieldChange {
  return { op: state === 'set' ? 'add' : 'replace', path, value, state }
}

/**
 * Replaces the indexes in a pointer by the names of list elements: `/auth_servers[10.0.0.2]/secret`, which is
 * displayed as `auth_servers[10.0.0.2].secret`. `body` contains the elements.
 */
export function elementPointer(body: Value, pointer: Pointer): Pointer {
  let value: Value | undefined = body
  let shown: Pointer = ''
  for (const step of steps(pointer)) {
    const inner: Value | undefined = below(value, step)
    shown = isList(value) ? `${shown}${bracketed(inner, step)}` : child(shown, step)
    value = inner
  }
  return shown
}

/** The secrets of an unchanged WLAN that could not be compared, with the names of list elements as in `elementPointer`. */
export function notComparedPointers({ pointers, names }: NotCompared): Pointer[] {
  if (names === undefined) return [...pointers]
  return pointers.map(pointer => {
    let [at, shown]: [Pointer, Pointer] = ['', '']
    for (const step of steps(pointer)) {
      at = child(at, step)
      const name = Object.hasOwn(names, at) ? names[at] : undefined
      shown = name === undefined ? child(shown, step) : `${shown}${inBrackets(name)}`
    }
    return shown
  })
}

function bracketed(element: Value | undefined, index: string): string {
  const names = isObject(element) ? elementNames.map(name => member(element, name)) : []
  const name = names.find(each => typeof each === 'string' && each !== '') ?? index
  return inBrackets(String(name))
}

function inBrackets(name: string): string {
  return child('', `[${name}]`).slice(1)
}

/** The reason why a secret is sent although it is unknown. */
interface RotationText {
  readonly text: string
  /** True if the text contains the name of the secret. */
  readonly names: boolean
}

/**
 * The reason why a change sends a secret although it is unknown; undefined for any other field.
 *
 *     (secret) rotates, version 2 → 3
 *     (secret) rotates, WLAN_SECRET_GUEST → WLAN_SECRET_GUEST_2027
 */
function rotationText(change: ShownChange, pointer: Pointer): RotationText | undefined {
  const { secrets = {}, rotations = {}, request: { body } = NO_REQUEST } = change
  if (!Object.hasOwn(secrets, pointer) || secrets[pointer] !== 'rotates') return undefined
  const rotation = Object.hasOwn(rotations, pointer) ? rotations[pointer] : undefined
  const to = secretReferenceIn(valueAt(body, pointer) ?? null)
  const text = '(secret) rotates'
  switch (rotation?.cause) {
    case 'reference':
      return { text: `${text}, ${nameOf(rotation.from)} → ${nameOf(to)}`, names: true }
    case 'version':
      return {
        text: `${text}, version ${versionOf(rotation.from)} → ${versionOf(to)}`,
        names: false
      }
    case undefined:
      return { text, names: false }
  }
}

function nameOf(reference: SecretReference | undefined): string {
  if (reference === undefined) return '(unset)'
  if ('$env' in reference) return escapeInside(reference.$env)
  return '$file' in reference ? `the file ${escapeInside(reference.$file)}` : '(unset)'
}

function versionOf(reference: SecretReference | undefined): string {
  const version = reference && '$version' in reference ? reference.$version : undefined
  return version === undefined ? '(unset)' : String(version)
}
