import type { Command } from 'commander'
import { openReader } from '../api/client.ts'
import { type ExitCode, exit } from '../model/failure.ts'
import { connectionOf } from './connection.ts'
import { derive, desire, planExit } from './derive.ts'
import type { Io } from './io.ts'
import { addExample, addPlanningOptions, type PlanningOptions } from './options.ts'
import { tell } from './output.ts'
import type { Context } from './program.ts'

export function define(command: Command, { io, ends }: Context): void {
  addPlanningOptions(command).action(
    ends((fleet: string, options: PlanningOptions) => drift(fleet, options, io))
  )
  addExample(command, 'wlanctl drift examples/quickstart')
}

/** Compares live with declared; exit 2 says that somebody should look. */
async function drift(fleet: string, options: PlanningOptions, io: Io): Promise<ExitCode> {
  const desired = await desire(fleet, options, io)
  const reader = openReader(await connectionOf(options, io, io.interrupted, desired))
  try {
    const { plan } = await derive(desired, reader, options, io)
    await tell({ kind: 'drift', plan }, options, io)
    return planExit(plan, exit.changes)
  } finally {
    await reader.close()
  }
}
