import { type Finding, type FindingLevel, findingLevels, levelRank } from '../core/model/finding.ts'
import { listFirst, plural } from '../core/values/text.ts'
import { escapeInside } from './escape.ts'
import { thousands } from './format-value.ts'

/** Determines the findings of the linter that a text report lists. */
export interface LintListing {
  /** Import results list existing findings, too; the others count them. */
  readonly kind: 'plan' | 'drift' | 'outcomes' | 'findings'
  /** The lowest level that is listed; default: `warning`. */
  readonly lintLevel?: FindingLevel
  /** Lists all findings. */
  readonly verbose?: true
}

/** A note lists at most this many rules. */
const MAX_RULES = 5

/** The findings without those of the linter that are listed on request only. */
export function listedFindings(findings: readonly Finding[], listing: LintListing): Finding[] {
  return findings.filter(found => isListed(found, listing))
}

/**
 * A line with the number of lint findings by level, and of those that exist in the live state; undefined if
 * there are none.
 *
 *     Lint: 1 error, 2 warnings; 3 existing (weak-key), already live: `--verbose` lists them
 *
 * Includes existing findings of `policy.rules`; without others, the line starts with `Rules:`.
 */
export function lintSummary(
  findings: readonly Finding[],
  listing: LintListing
): string | undefined {
  const ofLinter = findings.filter(
    found =>
      isListedWithLint(found) &&
      found.waived === undefined &&
      (isListed(found, listing) || isOfLevel(found, listing))
  )
  if (ofLinter.length === 0) return undefined
  const existing = ofLinter.filter(found => found.existing)
  const counts = findingLevels.flatMap(level => {
    const count = countPlaces(ofLinter.filter(found => found.level === level && !found.existing))
    return count === 0 ? [] : level === 'info' ? `${count} info` : plural(count, level)
  })
  const parts = [counts.join(', '), existingCount(existing, listing)]
  const label = ofLinter.some(({ code }) => code === 'LINT') ? 'Lint' : 'Rules'
  return thousands(`${label}: ${parts.filter(part => part !== '').join('; ')}`)
}

function existingCount(existing: readonly Finding[], listing: LintListing): string {
  if (existing.length === 0) return ''
  const count = countPlaces(existing)
  const counted = `${count} existing (${rulesOf(existing)})`
  if (existing.every(found => isListed(found, listing))) return counted
  return `${counted}, already live: \`--verbose\` lists ${count === 1 ? 'it' : 'them'}`
}

/** A line with the number of waived findings; undefined if there are none, or if all are listed. */
export function waivedNote(
  findings: readonly Finding[],
  { verbose }: Pick<LintListing, 'verbose'>
): string | undefined {
  const waived = waivedFindings(findings)
  if (waived.length === 0 || verbose) return undefined
  const places = countPlaces(waived)
  const count = plural(places, 'finding')
  return `${count} waived (${rulesOf(waived)}); \`--verbose\` lists ${places === 1 ? 'it' : 'them'}`
}

/** The findings that a waiver of the policy suppresses. */
export function waivedFindings(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ waived }) => waived !== undefined)
}

/** True for a finding of the linter, and for an existing or waived violation of a policy rule. */
export function isListedWithLint({ code, existing, waived }: Finding): boolean {
  return code === 'LINT' || existing === true || waived !== undefined
}

function rulesOf(findings: readonly Finding[]): string {
  const names = [...new Set(findings.flatMap(({ rule }) => rule ?? []))].sort()
  return listFirst(names.map(escapeInside), MAX_RULES)
}

/** The number of findings; one of the linter counts for each of its WLANs or sites, as in `lintSummary`. */
export function countFindings(findings: readonly Finding[]): number {
  const ofLinter = findings.filter(isListedWithLint)
  return findings.length - ofLinter.length + countPlaces(ofLinter)
}

/** The number of WLANs and sites with these findings. */
function countPlaces(findings: readonly Finding[]): number {
  return findings.reduce((sum, { addresses, more = 0 }) => sum + (addresses?.length ?? 1) + more, 0)
}

function isListed(found: Finding, listing: LintListing): boolean {
  if (!isListedWithLint(found) || listing.verbose) return true
  if (found.waived !== undefined) return false
  const isCounted =
    found.existing === true && found.level !== 'error' && listing.kind !== 'findings'
  return !isCounted && isOfLevel(found, listing)
}

function isOfLevel({ level }: Finding, { lintLevel = 'warning' }: LintListing): boolean {
  return levelRank(level) <= levelRank(lintLevel)
}
