import { finding } from '../../core/model/finding.ts'
import { Findings } from '../findings.ts'
import type { RunBudget } from '../limits.ts'
import type { FleetFile } from './find.ts'
import { parseSource, read } from './read.ts'
import { atKey } from './source.ts'

/**
 * Reports ignored files that declare a policy: they would switch its limits off. A file that cannot be parsed is none,
 * because it cannot hold the policy in force either.
 */
export async function reportIgnoredPolicies(
  ignored: readonly FleetFile[],
  findings: Findings,
  budget: RunBudget
): Promise<void> {
  for (const file of ignored) {
    const source = read(file, new Findings(), budget)
    // A key may be written with escapes, which need a backslash.
    if (source === undefined || !/policy|\\/.test(source.text)) continue
    await parseSource(source, budget)
    const { root } = source
    const policy = root?.kind === 'map' ? root.entries.get('policy') : undefined
    if (policy !== undefined) findings.push(finding('POLICY_IGNORED', atKey(policy)))
    if (budget.exceeded !== undefined) return
  }
}
