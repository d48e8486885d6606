import { secretsIn } from '../../model/value.ts'
import type { SecretSource } from '../../secrets/source.ts'
import { Suggestions } from '../expect.ts'
import { Findings } from '../findings.ts'
import { RunBudget } from '../limits.ts'
import type { LoadContext } from '../load-context.ts'
import { noRules } from '../rules/rule-set.ts'
import { type Selection, select } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import type { Entry } from '../yaml/tree.ts'
import { declareWlans } from './blocks.ts'

/**
 * The source of the secrets of a run, after it fetched the variables that the selected WLANs refer to, in one
 * call. For a fleet with errors no secret is read: its references are only checked.
 */
export async function fetchSecrets(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  selection: Selection,
  run: LoadContext
): Promise<SecretSource> {
  const { secrets } = run
  if (secrets.fetch === undefined) return secrets
  if (run.findings.hasError) return secrets.checking
  const findings = new Findings()
  const declared = await declareWlans(sites, profiles, selection, {
    ...run,
    secrets: secrets.checking,
    rules: noRules,
    findings,
    budget: new RunBudget().resolving,
    suggestions: new Suggestions()
  })
  const selected = select(declared, selection, findings)
  if (findings.hasError) return secrets.checking
  const names = selected
    .flatMap(({ wlans }) => wlans.filter(({ excluded }) => excluded === undefined))
    .flatMap(({ fields }) => [...secretsIn(fields)])
    .flatMap(({ reference }) => ('$env' in reference ? reference.$env : []))
  await secrets.fetch([...new Set(names)].sort())
  return secrets
}
