import type { FindingExplanation } from './explanation.ts'

/** The findings of the reference by code; the build makes them from `schemas/findings.md`. */
export const findings: Readonly<Record<string, Omit<FindingExplanation, 'code'>>>
