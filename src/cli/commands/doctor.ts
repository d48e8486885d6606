import { type ExitCode, exit } from '../../core/model/failure.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { doctorFormats } from '../../report/commands/results.ts'
import type { CommandRow } from '../command.ts'
import { runChecks } from '../doctor/check.ts'
import { requirements, runOf } from '../doctor/requirements.ts'
import { orgOption } from '../import/requested-sites.ts'
import {
  type FleetOptions,
  fleetArgument,
  groups,
  optionSets,
  type ReportOptions,
  type ServiceOptions,
  under
} from '../options.ts'
import { writeFormats } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, stepAfterFiles } from '../terminal/next-steps.ts'

interface Options extends FleetOptions, ServiceOptions, SecretOptions, ReportOptions {
  readonly org?: string
}

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.part,
    optionSets.secrets,
    optionSets.service,
    optionSets.report,
    under(groups.connection, orgOption())
  ],
  examples: ['wlanctl doctor examples/quickstart'],
  run: ({ io }, fleet: string, options: Options) => doctor(fleet, options, io)
}

async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const checks = await runChecks(requirements, await runOf(fleet, options, io))
  await writeFormats(doctorFormats, checks, { fleet }, options, io)
  if (checks.some(({ state }) => state === 'wrong')) return exit.failed
  await printNextSteps([stepAfterFiles({ ...options, fleet })], options, io)
  return exit.done
}
