import type { Pointer } from '../model/pointer.ts'

/**
 * What the schema has against a value, at the pointer of what is wrong.
 *
 * | kind            | the value                                                              |
 * |-----------------|------------------------------------------------------------------------|
 * | `unknown-field` | is a member that the schema does not have; `known` are those beside it |
 * | `missing-field` | lacks the member that identifies it                                    |
 * | `type`          | is of none of the allowed JSON types                                   |
 * | `enum`          | is none of the values we know; the service may know more               |
 * | `range`         | is a number out of bounds                                              |
 * | `length`        | is a text too short or too long, in characters                         |
 * | `pattern`       | is a text of another shape; `shape` says which in words, e.g. `a UUID` |
 * | `read-only`     | is kept by the service itself                                          |
 * | `deprecated`    | is there for old records only                                          |
 *
 * The value is not part of it: it may be a secret.
 */
export type SchemaError = { readonly pointer: Pointer } & (
  | { readonly kind: 'unknown-field'; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: 'missing-field'; readonly name: string }
  | { readonly kind: 'type'; readonly allowed: readonly string[] }
  | { readonly kind: 'enum'; readonly allowed: readonly string[] }
  | ({ readonly kind: 'range'; readonly unit: string | undefined } & Bounds)
  | ({ readonly kind: 'length' } & Bounds)
  | { readonly kind: 'pattern'; readonly shape: string }
  | { readonly kind: 'read-only' | 'deprecated' }
)

interface Bounds {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}
