import type { Command } from 'commander'
import type { Desired } from '../../model/desired.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { renderDoctorJson, renderDoctorText } from '../../report/doctor.ts'
import type { SecretOptions } from '../../workflow/load-desired.ts'
import { addressOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { check, notChecked, programCheck } from '../doctor/check.ts'
import { fleetChecks, gitChecks, leftoverChecks } from '../doctor/fleet-checks.ts'
import { accountChecks, networkChecks } from '../doctor/service-checks.ts'
import { type Io, write } from '../io.ts'
import {
  addExample,
  addFleetArgument,
  addSecretOptions,
  addServiceOptions,
  addTextOrJson,
  type ServiceOptions
} from '../options.ts'
import { renderOptionsFor } from '../output.ts'

interface Options extends ServiceOptions, SecretOptions {
  readonly format: 'text' | 'json'
  readonly color: boolean
}

export function define(command: Command, { io, ends }: Context): void {
  addTextOrJson(addServiceOptions(addSecretOptions(addFleetArgument(command)))).action(
    ends((fleet: string, options: Options) => doctor(fleet, options, io))
  )
  addExample(command, 'wlanctl doctor examples/quickstart')
}

/** Checks everything a run needs, one after the other; a failed check does not stop the others. */
async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { checks: files, desired } = await fleetChecks(fleet, options, io)
  const checks = [
    programCheck(io),
    ...(await serviceChecks(desired, options, io)),
    ...files,
    ...(await leftoverChecks(fleet, io)),
    ...(await gitChecks(fleet, options, io))
  ]
  const renderOptions = renderOptionsFor(io.stdout, options, io)
  const json = options.format === 'json'
  await write(io, json ? renderDoctorJson(checks) : renderDoctorText(checks, renderOptions))
  return checks.some(({ state }) => state === 'wrong') ? exit.failed : exit.done
}

async function serviceChecks(
  desired: Desired | undefined,
  options: Options,
  io: Io
): Promise<DoctorCheck[]> {
  const address = await check('address', () => addressOf(options))
  if (address.state !== 'ok') return [address, notChecked('service', 'address')]
  return [
    address,
    ...(await networkChecks(address.said, io.env)),
    ...(await accountChecks(desired, options, io))
  ]
}
