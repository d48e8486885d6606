import type { Finding, FindingLevel } from '../model/finding.ts'
import { listFirst, plural } from '../model/text.ts'
import { thousands } from './format-value.ts'

/** Which findings of the linter a report for people lists. */
export interface LintListing {
  /** A drift report lists what live breaks, too; a plan counts it. */
  readonly kind: 'plan' | 'drift' | 'outcomes' | 'findings'
  /** The lowest level that is listed; default: `warning`. */
  readonly lintLevel?: FindingLevel
  /** Lists everything. */
  readonly verbose?: true
}

const levels: readonly FindingLevel[] = ['error', 'warning', 'info']

/** The most rules that a note names. */
const MAX_RULES = 5

/** The findings without those of the linter that are listed on request only. */
export function listedFindings(findings: readonly Finding[], listing: LintListing): Finding[] {
  return findings.filter(found => isListed(found, listing))
}

/** A line that counts existing findings which are not listed; undefined if there are none. */
export function existingNote(
  findings: readonly Finding[],
  listing: LintListing
): string | undefined {
  const counted = existingFindings(findings, listing).filter(found => !isListed(found, listing))
  if (counted.length === 0) return undefined
  const places = countPlaces(counted)
  const isOfLinter = counted.every(({ code }) => code === 'LINT')
  const noun = isOfLinter ? 'existing lint finding' : 'existing finding'
  const count = thousands(plural(places, noun))
  return `${count} (${rulesOf(counted)}): already live; \`--verbose\` lists ${places === 1 ? 'it' : 'them'}`
}

/** A line that counts findings which a waiver of the policy covers; undefined if there are none, or all are listed. */
export function waivedNote(
  findings: readonly Finding[],
  { verbose }: Pick<LintListing, 'verbose'>
): string | undefined {
  const waived = waivedFindings(findings)
  if (waived.length === 0 || verbose) return undefined
  const places = countPlaces(waived)
  const count = thousands(plural(places, 'finding'))
  return `${count} waived (${rulesOf(waived)}); \`--verbose\` lists ${places === 1 ? 'it' : 'them'}`
}

/** The findings that a waiver of the policy covers. */
export function waivedFindings(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ waived }) => waived !== undefined)
}

/** The findings that the live state has already and no waiver covers, of the levels that are listed. */
export function existingFindings(findings: readonly Finding[], listing: LintListing): Finding[] {
  return findings.filter(
    found => found.existing && found.waived === undefined && isOfLevel(found, listing)
  )
}

/** True for a finding of the linter, and for one of a rule that is existing or waived. */
export function isListedWithLint({ code, existing, waived }: Finding): boolean {
  return code === 'LINT' || existing === true || waived !== undefined
}

function rulesOf(findings: readonly Finding[]): string {
  return listFirst([...new Set(findings.flatMap(({ rule }) => rule ?? []))].sort(), MAX_RULES)
}

/** How many WLANs and sites findings are about. */
function countPlaces(findings: readonly Finding[]): number {
  return findings.reduce((sum, { addresses, more = 0 }) => sum + (addresses?.length ?? 1) + more, 0)
}

function isListed(found: Finding, listing: LintListing): boolean {
  if (!isListedWithLint(found) || listing.verbose) return true
  if (found.waived !== undefined) return false
  const isCounted = found.existing === true && found.level !== 'error' && listing.kind !== 'drift'
  return !isCounted && isOfLevel(found, listing)
}

function isOfLevel({ level }: Finding, { lintLevel = 'warning' }: LintListing): boolean {
  return levels.indexOf(level) <= levels.indexOf(lintLevel)
}
