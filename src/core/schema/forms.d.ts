import type { Validator } from './validator.ts'

// Each is generated from the schema in `schemas/` of that name.
export const validatePlan: Validator
export const validateSnapshot: Validator
export const validateOutcomes: Validator
export const validateRecordLine: Validator
export const validateCiResult: Validator
