import type { Validator } from '#validators'

/** Made from `schemas/plan.schema.json`. */
export const validatePlan: Validator

/** Made from `schemas/snapshot.schema.json`. */
export const validateSnapshot: Validator

/** Made from `schemas/outcomes.schema.json`. */
export const validateOutcomes: Validator

/** Made from `schemas/record.schema.json`. */
export const validateRecordLine: Validator
