import type { Command } from 'commander'
import type { Check } from '../model/checkup.ts'
import type { Desired } from '../model/desired.ts'
import { type ExitCode, exit } from '../model/failure.ts'
import { checkupJson, checkupText } from '../report/checkup.ts'
import { accountChecks } from './doctor/account.ts'
import { check, notLookedAt } from './doctor/check.ts'
import { fleetChecks, leftoverChecks } from './doctor/fleet.ts'
import { gitChecks } from './doctor/git.ts'
import { programCheck } from './doctor/machine.ts'
import { wayChecks } from './doctor/way.ts'
import { type Io, write } from './io.ts'
import type { Context } from './program.ts'
import { addressOf } from './reading/connection.ts'
import { mannerOf } from './telling/output.ts'
import {
  addExample,
  addOwnFormat,
  addSecretOptions,
  addServiceOptions,
  type SecretOptions,
  type ServiceOptions
} from './words/options.ts'

interface Options extends ServiceOptions, SecretOptions {
  readonly format: 'text' | 'json'
  readonly color: boolean
}

export function define(command: Command, { io, ends }: Context): void {
  command.argument('[fleet]', 'the directory with the YAML files', '.')
  addOwnFormat(addServiceOptions(addSecretOptions(command))).action(
    ends((fleet: string, options: Options) => doctor(fleet, options, io))
  )
  addExample(command, 'wlanctl doctor examples/quickstart')
}

/** Looks at all that a run needs, one thing after the other; what is wrong with one hides no other. */
async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { checks: files, desired } = await fleetChecks(fleet, options, io)
  const checks = [
    programCheck(io),
    ...(await serviceChecks(desired, options, io)),
    ...files,
    ...(await leftoverChecks(fleet, io)),
    ...(await gitChecks(fleet, options, io))
  ]
  const manner = mannerOf(io.stdout, options, io)
  await write(io, options.format === 'json' ? checkupJson(checks) : checkupText(checks, manner))
  return checks.some(({ state }) => state === 'wrong') ? exit.failed : exit.done
}

async function serviceChecks(
  desired: Desired | undefined,
  options: Options,
  io: Io
): Promise<Check[]> {
  const address = await check('address', () => addressOf(options))
  if (address.state !== 'ok') return [address, notLookedAt('service', 'address')]
  return [
    address,
    ...(await wayChecks(address.said, io.env)),
    ...(await accountChecks(desired, options, io))
  ]
}
