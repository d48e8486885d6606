import { countManaged } from '../../core/model/desired.ts'
import { type ExitCode, exit, worst } from '../../core/model/failure.ts'
import { isError } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { runTests } from '../../fleet/tests/expectations.ts'
import type { CommandRow } from '../command.ts'
import { loadSelected } from '../load-desired.ts'
import { fleetArgument, optionSets, type ReportOptions } from '../options.ts'
import { writeReport } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, stepAfterFiles } from '../terminal/next-steps.ts'

type Options = ReportOptions & Pick<SecretOptions, 'secretPrefix'>

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [optionSets.secretPrefix, optionSets.report],
  examples: ['wlanctl test examples/tests'],
  run: ({ io }, fleet: string, options: Options) => test(fleet, { ...options, fleet }, io)
}

async function test(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const all = { ...options, site: [], wlan: [], readsTests: true } as const
  const { desired, findings, tests } = await loadSelected(fleet, all, io, undefined, 'live')
  if (desired === undefined || tests === undefined) {
    await writeReport({ kind: 'findings', findings: findings.filter(isError) }, options, io)
    return exit.wrongInput
  }
  const results = await runTests(tests, desired)
  const found = results.flatMap(result => result.findings)
  const report = {
    kind: 'findings',
    findings: found,
    declared: { sites: desired.sites.length, wlans: countManaged(desired.sites) },
    tests: results.map(({ name, where: { place }, findings: own }) => ({
      name,
      findings: own,
      ...compact({ place })
    }))
  } as const
  await writeReport(report, options, io)
  const codes = found.map(({ code }) => (code === 'TEST_FAILED' ? exit.failed : exit.wrongInput))
  if (found.length > 0) return worst(...new Set(codes))
  await printNextSteps(results.length === 0 ? [] : [stepAfterFiles({ fleet })], options, io)
  return exit.done
}
