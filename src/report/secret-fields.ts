import { compact } from '../model/collections.ts'
import type { Change, PatchOperation, SecretState } from '../model/plan.ts'
import { child, type Pointer, steps } from '../model/pointer.ts'
import {
  below,
  isList,
  isObject,
  isSameButSecrets,
  member,
  secretReferenceIn,
  type Value,
  valueAt
} from '../model/value.ts'
import { type RotationText, rotationText } from './rotations.ts'

/** A changed field as a report shows it: one of a patch, or a secret within one. */
export type FieldChange = PatchOperation & {
  /** The state of the secret; absent for any other field. */
  readonly state?: SecretState
  /** The field of the patch that holds the secret; absent where `path` is one. */
  readonly sentIn?: Pointer
  /** Why a secret that rotates is sent. */
  readonly rotation?: RotationText
}

/** The members that name an element of a list, in the order of preference. */
export const elementNames: readonly string[] = ['host', 'ip']

/**
 * The operations of a change without its tests. Each secret within one that is changed, set or rotated
 * follows as a field of its own; a list or object in which only such secrets differ is left out.
 */
export function withSecretFields(
  change: Change,
  testedValue: (path: Pointer) => Value | undefined
): FieldChange[] {
  const { patch, secrets, request } = change
  const operations = patch.filter(({ op }) => op !== 'test')
  if (secrets === undefined) return operations
  const states = Object.entries(secrets).filter(([, state]) => isSent(state))
  return operations.flatMap((operation): FieldChange[] => {
    const { path } = operation
    const own = Object.hasOwn(secrets, path) ? secrets[path] : undefined
    if (own !== undefined && isSent(own))
      return [
        {
          ...secretField(path, own, 'value' in operation ? operation.value : null),
          ...compact({ rotation: rotationText(change, path) })
        }
      ]
    const within = states.filter(([pointer]) => pointer.startsWith(`${path}/`))
    const fields = within.map(([pointer, state]): FieldChange => {
      const value = valueAt(request.body, pointer) ?? null
      const shown = elementPointer(request.body, pointer)
      const rotation = rotationText(change, pointer)
      return { ...secretField(shown, state, value), sentIn: path, ...compact({ rotation }) }
    })
    const isWhole =
      within.length === 0 ||
      !('value' in operation && isSameButSecrets(testedValue(path), operation.value))
    return isWhole ? [operation, ...fields] : fields
  })
}

/**
 * The secrets that an update writes although they could not be compared, by the names that reports show: those that
 * rotate, and those in a field that is sent whole. A live value that stays is none of them.
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
 * The pointer with the name of each list element in place of its index: `/auth_servers[10.0.0.2]/secret`, which
 * reads `auth_servers[10.0.0.2].secret`. `body` holds the elements.
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

function bracketed(element: Value | undefined, index: string): string {
  const names = isObject(element) ? elementNames.map(name => member(element, name)) : []
  const name = names.find(each => typeof each === 'string' && each !== '') ?? index
  return child('', `[${String(name)}]`).slice(1)
}
