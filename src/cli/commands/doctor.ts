import { type ExitCode, exit } from '../../core/model/failure.ts'
import { doctorFormats } from '../../report/commands/results.ts'
import type { CommandRow } from '../command.ts'
import { runChecks } from '../doctor/check.ts'
import { type Options, requirements, runOf } from '../doctor/requirements.ts'
import { orgOption } from '../import/requested-sites.ts'
import { fleetArgument, groups, optionSets, under } from '../options.ts'
import { writeFormats } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, stepAfterFiles } from '../terminal/next-steps.ts'

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
