import type { Finding, FindingLevel } from '../model/finding.ts'
import { listFirst, plural } from '../model/text.ts'
import { thousands } from './format-value.ts'

/** Which findings of the linter a report for people lists. */
export interface LintListing {
  /** A drift report and the result of an import list what live breaks, too; a plan counts it. */
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

/**
 * A line that counts the lint findings by level, and apart from them those that the live state has already;
 * undefined if there are none.
 *
 *     Lint: 1 error, 2 warnings; 3 existing (weak-key), already live: `--verbose` lists them
 */
export function lintSummary(
  findings: readonly Finding[],
  listing: LintListing
): string | undefined {
  const ofLinter = findings.filter(
    found => found.code === 'LINT' && (isListed(found, listing) || isOfLevel(found, listing))
  )
  if (ofLinter.length === 0) return undefined
  const existing = ofLinter.filter(found => found.existing)
  const counts = levels.flatMap(level => {
    const count = placesOf(ofLinter.filter(found => found.level === level && !found.existing))
    return count === 0 ? [] : level === 'info' ? `${count} info` : plural(count, level)
  })
  const parts = [counts.join(', '), existingCount(existing, listing)]
  return thousands(`Lint: ${parts.filter(part => part !== '').join('; ')}`)
}

function existingCount(existing: readonly Finding[], listing: LintListing): string {
  if (existing.length === 0) return ''
  const rules = [...new Set(existing.flatMap(({ rule }) => rule ?? []))].sort()
  const count = placesOf(existing)
  const counted = `${count} existing (${listFirst(rules, MAX_RULES)})`
  if (existing.every(found => isListed(found, listing))) return counted
  return `${counted}, already live: \`--verbose\` lists ${count === 1 ? 'it' : 'them'}`
}

/** The number of WLANs and sites that findings are about. */
function placesOf(findings: readonly Finding[]): number {
  return findings.reduce((sum, { addresses, more = 0 }) => sum + (addresses?.length ?? 1) + more, 0)
}

/** The lint findings that the live state has already, of the levels that are listed. */
export function existingFindings(findings: readonly Finding[], listing: LintListing): Finding[] {
  return findings.filter(found => found.existing && isOfLevel(found, listing))
}

function isListed(found: Finding, listing: LintListing): boolean {
  if (found.code !== 'LINT' || listing.verbose) return true
  const isOfPlan = listing.kind === 'plan' || listing.kind === 'outcomes'
  const isCounted = found.existing === true && found.level !== 'error' && isOfPlan
  return !isCounted && isOfLevel(found, listing)
}

function isOfLevel({ level }: Finding, { lintLevel = 'warning' }: LintListing): boolean {
  return levels.indexOf(level) <= levels.indexOf(lintLevel)
}
