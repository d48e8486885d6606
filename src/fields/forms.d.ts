/** A function that `npm run build` makes from a schema. */
export interface Validator {
  (value: unknown): boolean
  /** What was wrong with the last value; null if nothing was. No value is part of it. */
  readonly errors?: readonly { readonly instancePath: string }[] | null
}

/** Made from `schemas/plan.schema.json`. */
export const validatePlan: Validator

/** Made from `schemas/snapshot.schema.json`. */
export const validateSnapshot: Validator

/** Made from `schemas/outcomes.schema.json`. */
export const validateOutcomes: Validator

/** Made from `schemas/record.schema.json`. */
export const validateRecordLine: Validator
