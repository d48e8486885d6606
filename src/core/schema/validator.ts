/** An error of a generated validator, in the format of ajv; it never contains a value. */
export interface ValidatorError {
  readonly instancePath: string
  readonly keyword: string
  /** The invalid key, in an error of `propertyNames`. */
  readonly propertyName?: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface Validator {
  (value: unknown): boolean
  /** The errors of the last value; null if it is valid. */
  readonly errors?: readonly ValidatorError[] | null
}
