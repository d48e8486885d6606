import { defaultPolicy, type Policy } from '../model/desired.ts'
import { Members } from './expect.ts'
import type { Findings } from './findings.ts'
import { type DeclaredWave, wavesIn } from './rollout/read.ts'
import { type Rule, rulesIn } from './rules/read.ts'
import type { MapNode } from './yaml/tree.ts'

/** The policy of a fleet, with what it says in lists, in the order of the file. */
export interface DeclaredPolicy {
  readonly policy: Policy
  /** For its WLANs. */
  readonly rules: readonly Rule[]
  /** In which its sites are changed. */
  readonly waves: readonly DeclaredWave[]
}

/** Reads the policy of a fleet; what it leaves open is as in the default policy. */
export function readPolicy(map: MapNode | undefined, findings: Findings): DeclaredPolicy {
  if (map === undefined) return { policy: defaultPolicy, rules: [], waves: [] }
  const members = new Members(map, findings)
  const maxChanges = members.integer('max_changes', Number.MAX_SAFE_INTEGER)
  const policy: Policy = {
    ...(maxChanges === undefined ? {} : { maxChanges }),
    maxChangePercent: members.number('max_change_percent', 100) ?? defaultPolicy.maxChangePercent,
    maxNewSites:
      members.integer('max_new_sites', Number.MAX_SAFE_INTEGER) ?? defaultPolicy.maxNewSites,
    unknownFields:
      members.choice('unknown_fields', ['error', 'warn']) ?? defaultPolicy.unknownFields,
    plaintextSecrets:
      members.choice('plaintext_secrets', ['error', 'warn', 'allow']) ??
      defaultPolicy.plaintextSecrets,
    unmanaged:
      members.choice('unmanaged', ['report', 'ignore', 'error']) ?? defaultPolicy.unmanaged,
    allowDowngrade: members.flag('allow_downgrade') ?? defaultPolicy.allowDowngrade
  }
  const rules = rulesIn(members.node('rules'), findings)
  const waves = wavesIn(members.node('rollout'), findings)
  members.done()
  return { policy, rules, waves }
}
