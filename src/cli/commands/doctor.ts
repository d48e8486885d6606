import type { Command } from 'commander'
import type { Desired } from '../../model/desired.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { checkupJson, checkupText } from '../../report/checkup.ts'
import { addressOf } from '../connection.ts'
import { accountChecks } from '../doctor/account-checks.ts'
import { check, notLookedAt } from '../doctor/check.ts'
import { fleetChecks, leftoverChecks } from '../doctor/fleet-checks.ts'
import { gitChecks } from '../doctor/git-checks.ts'
import { programCheck } from '../doctor/machine-checks.ts'
import { networkChecks } from '../doctor/network-checks.ts'
import { type Io, write } from '../io.ts'
import {
  addExample,
  addOwnFormat,
  addSecretOptions,
  addServiceOptions,
  type SecretFlags,
  type ServiceOptions
} from '../options.ts'
import { renderOptionsFor } from '../output.ts'
import type { Context } from '../program.ts'

interface Options extends ServiceOptions, SecretFlags {
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
  const manner = renderOptionsFor(io.stdout, options, io)
  await write(io, options.format === 'json' ? checkupJson(checks) : checkupText(checks, manner))
  return checks.some(({ state }) => state === 'wrong') ? exit.failed : exit.done
}

async function serviceChecks(
  desired: Desired | undefined,
  options: Options,
  io: Io
): Promise<DoctorCheck[]> {
  const address = await check('address', () => addressOf(options))
  if (address.state !== 'ok') return [address, notLookedAt('service', 'address')]
  return [
    address,
    ...(await networkChecks(address.said, io.env)),
    ...(await accountChecks(desired, options, io))
  ]
}
