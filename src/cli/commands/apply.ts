import type { Command } from 'commander'
import { openWriter } from '../../api/client.ts'
import { compact } from '../../model/collections.ts'
import type { ExitCode } from '../../model/failure.ts'
import { plannedWaves } from '../../plan/rollout.ts'
import { approveChanges, readApproval, refuseUnresolved, wlansIn } from '../../workflow/approve.ts'
import { executePlan } from '../../workflow/execute-plan.ts'
import { loadDesired, secretSourceOf } from '../../workflow/load-desired.ts'
import { makePlan } from '../../workflow/make-plan.ts'
import { obstaclesIn, type RolloutHooks, rolloutHooks } from '../../workflow/rollout.ts'
import { requireTerminal } from '../confirm.ts'
import { connectionOf, tokensOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { hostOf } from '../host.ts'
import type { Io } from '../io.ts'
import {
  type ApplyCommandOptions,
  addApprovalOptions,
  addExample,
  addExecuteOptions,
  addPlanningOptions,
  addRolloutOptions
} from '../options.ts'
import { checkOutputFiles, showPlan } from '../output.ts'

export function define(command: Command, { io, ends }: Context): void {
  addRolloutOptions(addExecuteOptions(addApprovalOptions(addPlanningOptions(command)))).action(
    ends((fleet: string, options: ApplyCommandOptions) => apply(fleet, { ...options, fleet }, io))
  )
  addExample(command, 'wlanctl apply examples/quickstart --yes')
}

/** Makes the plan, gets it approved, executes it and reports the outcome of each change. */
async function apply(fleet: string, options: ApplyCommandOptions, io: Io): Promise<ExitCode> {
  if (!options.yes) requireTerminal(io)
  await checkOutputFiles(options, io)
  const host = hostOf(options, io)
  const { desired } = await loadDesired(fleet, options, secretSourceOf(options, io), host)
  refuseUnresolved(desired)
  const writer = openWriter(await connectionOf(options, io, io.cut, desired))
  try {
    const approval = await readApproval(options, writer.baseUrl, host)
    const { parallelism, pause } = options
    const request = { parallelism, keep: wlansIn(approval) }
    const result = await makePlan(desired, writer, request, host)
    const { plan, verdicts } = result
    await showPlan(plan, options, io)
    const { approved: changes, decided } = approveChanges(result, approval, options)
    const { policy, rollout, sites } = desired
    const waves = plannedWaves(rollout, sites, changes, obstaclesIn(verdicts, decided))
    const runCheck = await checkOf(options, io)
    const hooks = rolloutHooks({ pause, runCheck, inWaves: rollout !== undefined }, host)
    const input = { plan, verdicts, changes, waves, hooks, decided, policy }
    return await executePlan({ command: 'apply', ...input }, writer, options, host)
  } finally {
    await writer.close()
  }
}

/**
 * Runs `--check`, without the credentials of the run. The token file is read now: it may disappear during
 * the run.
 */
async function checkOf(
  options: ApplyCommandOptions,
  io: Io
): Promise<RolloutHooks['check'] | undefined> {
  const { check: command, checkTimeout, secretPrefix, tokenFile } = options
  if (command === undefined) return undefined
  const tokens = await tokensOf(options, io)
  const settings = compact({ secretPrefix, tokens, tokenFile })
  return async wave => {
    const { runCheck } = await import('../check-command.ts')
    return runCheck({ command, timeout: checkTimeout * 1000, ...settings }, wave, io)
  }
}
