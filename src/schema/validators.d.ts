/** One complaint of a generated validator, in the shape of ajv; it never holds a value. */
export interface ValidatorError {
  /** The pointer of the value that is wrong. */
  readonly instancePath: string
  /** Where in the schema the broken rule stands. */
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** A function that `npm run build` makes from a schema. */
export interface Validator {
  (value: unknown): boolean
  /** What was wrong with the last value; null if nothing was. */
  readonly errors?: readonly ValidatorError[] | null
}

/** Made from `schemas/wlan.schema.json`. */
export const validateWlan: Validator
