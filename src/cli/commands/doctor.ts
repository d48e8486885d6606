import type { Command } from 'commander'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { renderDoctorJson, renderDoctorText } from '../../report/commands/results.ts'
import type { Context } from '../context.ts'
import { runChecks } from '../doctor/check.ts'
import { requirements, runOf } from '../doctor/requirements.ts'
import { orgOption } from '../import/requested-sites.ts'
import {
  addExample,
  addFleetArgument,
  addGroup,
  addOptions,
  groups,
  type ServiceOptions
} from '../options.ts'
import { writeTextOrJson } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, stepAfterFiles } from '../terminal/next-steps.ts'

interface Options extends ServiceOptions, SecretOptions {
  readonly format: 'text' | 'json'
  readonly color: boolean
  readonly org?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addOptions(addFleetArgument(command), 'secrets', 'service', 'textOrJson')
  addGroup(command, groups.connection, orgOption()).action(
    ends((fleet: string, options: Options) => doctor(fleet, options, io))
  )
  addExample(command, 'wlanctl doctor examples/quickstart')
}

async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const checks = await runChecks(requirements, await runOf(fleet, options, io))
  await writeTextOrJson(checks, renderDoctorJson, renderDoctorText, options, io)
  if (checks.some(({ state }) => state === 'wrong')) return exit.failed
  await printNextSteps([stepAfterFiles({ fleet })], options, io)
  return exit.done
}
