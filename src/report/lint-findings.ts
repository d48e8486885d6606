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
  const counted = findings.filter(
    found => found.existing && !isListed(found, listing) && isOfLevel(found, listing)
  )
  if (counted.length === 0) return undefined
  const places = counted.reduce(
    (sum, { addresses, more = 0 }) => sum + (addresses?.length ?? 1) + more,
    0
  )
  const rules = [...new Set(counted.flatMap(({ rule }) => rule ?? []))].sort()
  const count = thousands(plural(places, 'existing lint finding'))
  return `${count} (${listFirst(rules, MAX_RULES)}): already live; \`--verbose\` lists ${places === 1 ? 'it' : 'them'}`
}

/** The lint findings that the live state has already, of the levels that are listed. */
export function existingFindings(findings: readonly Finding[], listing: LintListing): Finding[] {
  return findings.filter(found => found.existing && isOfLevel(found, listing))
}

function isListed(found: Finding, listing: LintListing): boolean {
  if (found.code !== 'LINT' || listing.verbose) return true
  const isCounted = found.existing === true && found.level !== 'error' && listing.kind !== 'drift'
  return !isCounted && isOfLevel(found, listing)
}

function isOfLevel({ level }: Finding, { lintLevel = 'warning' }: LintListing): boolean {
  return levels.indexOf(level) <= levels.indexOf(lintLevel)
}
