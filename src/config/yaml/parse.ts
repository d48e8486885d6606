import { type Finding, finding } from '../../model/finding.ts'
import type { Source } from '../files/source.ts'
import { RunBudget } from '../limits.ts'
import { readFast } from './fast-reader.ts'

/**
 * Parses a file: gives it its `root`, which stays undefined for a file that is empty or cannot be read.
 * The fast reader parses plain YAML; the library, loaded on demand, parses all other and reports errors.
 * Parsing a file again takes from the budget, too.
 */
export async function parseSource(source: Source, budget = new RunBudget()): Promise<Finding[]> {
  const findings: Finding[] = []
  if (!isText(source, findings)) return findings
  const root = readFast(source, budget)
  const again = () => (budget.exceeded === undefined ? readFast(source, budget) : undefined)
  source.hold(root, root && again)
  if (root !== undefined || budget.exceeded !== undefined) return findings
  const { readWithLibrary } = await import('./library.ts')
  return readWithLibrary(source, budget)
}

/** The characters that YAML does not allow, not even inside quotes. */
const NOT_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

function isText(source: Source, findings: Finding[]): boolean {
  const offset = source.text.search(NOT_TEXT)
  if (offset === -1) return true
  const place = source.place(offset)
  findings.push(finding('CONTROL_CHARACTER', { place }, source.text.charCodeAt(offset)))
  return false
}
