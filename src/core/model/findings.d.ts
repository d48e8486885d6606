import type { FindingExplanation, TermExplanation } from './explanation.ts'

/** The findings of the reference by code; the build makes them from `schemas/findings.md`. */
export const findings: Readonly<Record<string, Omit<FindingExplanation, 'code'>>>

/** The words of reports and the exit codes; the build makes them from the tables of the documents. */
export const terms: readonly TermExplanation[]
