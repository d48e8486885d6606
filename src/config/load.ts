import type { Desired } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import { referencesOnly, type SecretSource } from '../secrets/source.ts'
import { Budget } from './checks/budget.ts'
import { Findings } from './checks/findings.ts'
import { Suggestions } from './checks/suggest.ts'
import { collect } from './documents.ts'
import { findFiles } from './files/find.ts'
import { read } from './files/read.ts'
import { readPolicy } from './policy.ts'
import type { Run } from './run.ts'
import { type Selection, select } from './select.ts'
import { joinSites } from './sites.ts'
import { declareWlans } from './wlans/wlans.ts'
import { parse } from './yaml/parse.ts'

export interface LoadOptions extends Selection {
  /** The fleet, absolute or relative to `cwd`. */
  readonly directory: string
  /** The working directory: places in findings are relative to it. */
  readonly cwd: string
  /** Absent for a run that needs no secrets: references are checked and not followed. */
  readonly secrets?: SecretSource
}

export interface LoadedFleet {
  /** Absent if any finding is an error. */
  readonly desired?: Desired
  /** All of them, in the order of the files; each is shown once. */
  readonly findings: readonly Finding[]
}

/**
 * Reads what a fleet declares. Everything that is wrong with it is found in one go.
 *
 * Throws a `Failure` if the directory itself cannot be read.
 */
export function loadFleet(options: LoadOptions): LoadedFleet {
  const findings = new Findings()
  const files = findFiles(options.directory, options.cwd, findings)
  const sources = files.flatMap(file => read(file, findings) ?? [])
  for (const source of sources) findings.pushAll(parse(source))
  const declarations = collect(sources, findings)
  const policy = readPolicy(declarations.policy, findings)
  const budget = new Budget(sources)
  const joined = joinSites(declarations.sites, budget, findings)
  if (declarations.sites.length === 0 && !findings.hasError) {
    findings.push(finding('EMPTY_FLEET', {}))
  }
  const secrets = options.secrets ?? referencesOnly()
  const run: Run = { policy, secrets, budget, findings, suggestions: new Suggestions() }
  const declared = declareWlans(joined, declarations.profiles, options, run)
  const sites = select(declared, options, findings)
  const sorted = findings.inOrder()
  if (findings.hasError) return { findings: sorted }
  return { desired: { policy, sites, findings: sorted }, findings: sorted }
}
