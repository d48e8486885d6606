import { countManaged, type Desired } from '../../core/model/desired.ts'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import { isPolicyRefusal } from '../../core/model/refusals.ts'
import {
  undeclaredGuards,
  unwatchedParts,
  unwatchedRefusal
} from '../../core/plan/undeclared/undeclared.ts'
import { sortBy } from '../../core/values/collections.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import type { LintResult } from '../../run/checks/run-linter.ts'
import type { CommandRow } from '../command.ts'
import { loadSelected } from '../load-desired.ts'
import {
  baseOption,
  type FleetOptions,
  fleetArgument,
  groups,
  optionSets,
  type ReportOptions,
  under
} from '../options.ts'
import { writeReport } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, stepAfterFiles } from '../terminal/next-steps.ts'

type Options = FleetOptions & Pick<SecretOptions, 'secretPrefix'> & ReportOptions

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.part,
    optionSets.secretPrefix,
    optionSets.report,
    under(
      groups.selection,
      baseOption('refuse the lint errors that are new since this revision of git, and no others')
    )
  ],
  examples: ['wlanctl validate examples/quickstart'],
  run: ({ io }, fleet: string, options: Options) => validate(fleet, { ...options, fleet }, io)
}

async function validate(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const all = { ...options, readsTests: true } as const
  const loaded = await loadSelected(fleet, all, io)
  const { desired } = loaded
  const { findings: ofLinter = [], ...lint } = (await lintResult(desired)) ?? {}
  const { policy, sites = [] } = desired ?? {}
  const isReported = policy?.unwatched === 'report' || policy?.unwatched === 'error'
  const unwatched = isReported
    ? sortBy(sites.flatMap(undeclaredGuards), ({ address }) => address)
    : []
  const refusals = policy === undefined ? [] : unwatchedRefusal(unwatched, policy)
  const declared = desired && { sites: desired.sites.length, wlans: countManaged(desired.sites) }
  const findings = [...loaded.findings, ...ofLinter, ...refusals]
  const report = {
    kind: 'findings',
    findings,
    ...lint,
    ...(declared && { declared }),
    ...(unwatched.length > 0 && { unwatched: unwatchedParts(unwatched) })
  } as const
  await writeReport(report, options, io)
  if (desired === undefined) return exit.wrongInput
  if (findings.some(isPolicyRefusal)) return exit.refused
  await printNextSteps([stepAfterFiles(options)], options, io)
  return exit.done
}

async function lintResult(desired: Desired | undefined): Promise<LintResult | undefined> {
  if (desired?.policy.lint === undefined) return undefined
  const { lintDeclared } = await import('../../run/checks/run-linter.ts')
  return lintDeclared(desired, desired.policy.lint)
}
