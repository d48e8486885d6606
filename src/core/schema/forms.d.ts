import type { Validator } from './validator.ts'

/** Generated from `schemas/plan.schema.json`. */
export const validatePlan: Validator

/** Generated from `schemas/snapshot.schema.json`. */
export const validateSnapshot: Validator

/** Generated from `schemas/outcomes.schema.json`. */
export const validateOutcomes: Validator

/** Generated from `schemas/record.schema.json`. */
export const validateRecordLine: Validator

/** Generated from `schemas/ci-result.schema.json`. */
export const validateCiResult: Validator
