import type { Validator } from './validator.ts'

/** Made from `schemas/wlan.schema.json`. Errors come in the order of the members of the WLAN. */
export const validateWlan: Validator
