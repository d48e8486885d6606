import type { Command } from 'commander'
import { openWriter } from '../../api/client.ts'
import { type Approval, approve } from '../../apply/approve.ts'
import type { ExitCode } from '../../model/failure.ts'
import type { Plan, PlannedChange } from '../../model/plan.ts'
import { plannedWaves } from '../../plan/rollout.ts'
import {
  type ApprovalOptions,
  addApprovalOptions,
  readApproval,
  refuseUnexpected
} from '../../workflow/approval.ts'
import {
  addExecuteOptions,
  checkPreconditions,
  type ExecuteOptions,
  executePlan,
  showPlan
} from '../../workflow/execute-plan.ts'
import { loadAndOpen, makePlan } from '../../workflow/make-plan.ts'
import { refuseUnresolved } from '../../workflow/refusals.ts'
import {
  addRolloutOptions,
  obstaclesIn,
  type RolloutOptions,
  rolloutHooks
} from '../../workflow/rollout.ts'
import type { Io } from '../io.ts'
import { addExample, addPlanningOptions, type PlanningOptions } from '../options.ts'
import type { Context } from '../program.ts'

interface Options extends PlanningOptions, ApprovalOptions, ExecuteOptions, RolloutOptions {}

export function define(command: Command, { io, ends }: Context): void {
  addRolloutOptions(addExecuteOptions(addApprovalOptions(addPlanningOptions(command)))).action(
    ends((fleet: string, options: Options) => apply(fleet, { ...options, fleet }, io))
  )
  addExample(command, 'wlanctl apply examples/quickstart --yes')
}

/** Derives the plan, gets it approved, executes it, and tells what became of each change. */
async function apply(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  await checkPreconditions(options, io)
  const opening = { open: openWriter, signal: io.cut, check: refuseUnresolved }
  const { desired, service: writer } = await loadAndOpen(fleet, options, io, opening)
  try {
    const file = await readApproval(options, writer.baseUrl, io)
    const {
      plan,
      verdicts,
      changes,
      liveById: kept
    } = await makePlan(desired, writer, options, io, wlansIn(file))
    await showPlan(plan, options, io)
    refuseUnexpected(plan, options)
    const { approved, decided } = file
      ? approve(changes, file, kept, plan.rollout)
      : unasked(changes)
    const { policy, rollout, sites } = desired
    const waves = plannedWaves(rollout, sites, approved, obstaclesIn(verdicts, decided))
    const gates = await rolloutHooks(options, rollout !== undefined, io)
    const work = { plan, verdicts, changes: approved, waves, gates, decided, policy }
    return await executePlan({ command: 'apply', ...work }, writer, options, io)
  } finally {
    await writer.close()
  }
}

/** The WLANs of a saved plan, by id in lower case. */
function wlansIn(file: Plan | undefined): Set<string> {
  return new Set(file?.changes.map(({ wlan }) => wlan.id.toLowerCase()))
}

/** Without a saved plan, the derived changes are the ones to approve. */
function unasked(changes: readonly PlannedChange[]): Approval {
  return { approved: changes, decided: [] }
}
