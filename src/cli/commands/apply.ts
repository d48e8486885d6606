import type { Desired } from '../../core/model/desired.ts'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import { type SentSecrets, sentSecretsIn } from '../../core/plan/rotation.ts'
import { compact } from '../../core/values/collections.ts'
import type { NextStep } from '../../report/report.ts'
import { planApply } from '../../run/execute-plan.ts'
import type { PlanResult } from '../../run/make-plan.ts'
import type { RolloutSettings } from '../../run/rollout.ts'
import { openWriter } from '../../service/client.ts'
import type { CommandRow } from '../command.ts'
import { connectionOf, tokensOf } from '../connect.ts'
import { execute, readApproval } from '../execute.ts'
import { isPresent } from '../files/files.ts'
import { readRecord } from '../files/saved-files.ts'
import { loadRotated } from '../load-desired.ts'
import { type ApplyCommandOptions, fleetArgument, optionSets } from '../options.ts'
import { showPlan } from '../output.ts'
import { secretSourceOf } from '../secret-source.ts'
import { runCheck } from '../terminal/child-process.ts'
import { requireTerminal } from '../terminal/confirm.ts'
import { type Io, quoteForShell } from '../terminal/io.ts'
import { sameSelection } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [optionSets.planning, optionSets.approval, optionSets.execute, optionSets.rollout],
  examples: ['wlanctl apply examples/quickstart --yes'],
  run: ({ io }, fleet: string, options: ApplyCommandOptions) =>
    apply(fleet, { ...options, fleet }, io)
}

async function apply(fleet: string, options: ApplyCommandOptions, io: Io): Promise<ExitCode> {
  if (!options.yes) requireTerminal(io)
  const secrets = secretSourceOf(options, io)
  const desired = await loadRotated(fleet, options, io, secrets)
  const writer = openWriter(await connectionOf(options, io, io.abortSignal, desired))
  try {
    if (io.ci?.permit !== undefined) {
      const load = (base?: string) =>
        base === undefined
          ? Promise.resolve(desired)
          : loadRotated(fleet, { ...options, base, quiet: true, isGuess: true }, io, secrets)
      const { parallelism, maxImpact, maxChanges, allowDowngrade, ...others } = options
      const allowances = compact({ maxImpact, maxChanges, allowDowngrade })
      const check = await checkOf(options, desired, io)
      const context = runContext(options, io)
      const given = { load, reader: writer, parallelism, allowances, context, check }
      const input = await io.ci.permit(given)
      await showPlan(input.plan, options, io, input.lint)
      const judged = { ...others, parallelism, maxChanges: 'all', allowDowngrade: ['*'] } as const
      return await execute(input, writer, judged, io, code => stepsAfter(code, options))
    }
    const approvals = await readApproval(options, writer.baseUrl, io)
    const { parallelism, ignoreWindows, expect } = options
    const sent = await sentBefore(desired, writer.baseUrl, options, io)
    const check = await checkOf(options, desired, io)
    const request = { parallelism, allowances: options, ...compact({ ignoreWindows }) }
    const onPlan = ({ plan, lint }: PlanResult) => showPlan(plan, options, io, lint)
    const planning = { request, approvals, expect, sent, check, onPlan }
    const input = await planApply(desired, writer, planning, runContext(options, io))
    const next = (code: ExitCode) => stepsAfter(code, options)
    return await execute(input, writer, options, io, next)
  } finally {
    await writer.close()
  }
}

function stepsAfter(code: ExitCode, options: ApplyCommandOptions): NextStep[] {
  if (code === exit.interrupted || code === exit.failed) return []
  const steps: NextStep[] = [
    code === exit.done
      ? [sameSelection('drift', options), 'checks later that the networks stay as declared']
      : [sameSelection('plan', options), 'shows the missing changes']
  ]
  const { record, fleet } = options
  if (record !== undefined) {
    const words = fleet === undefined || fleet === '.' ? [record] : [record, fleet]
    steps.push([`wlanctl revert ${words.map(quoteForShell).join(' ')}`, 'undoes this run'])
  }
  return steps
}

/** The secrets that the runs of the record applied; undefined if the files rotate none. */
async function sentBefore(
  { sites }: Desired,
  baseUrl: string,
  { record }: ApplyCommandOptions,
  io: Io
): Promise<SentSecrets | undefined> {
  const rotates = sites.some(({ wlans }) => wlans.some(each => each.rotations !== undefined))
  if (!rotates || record === undefined || !(await isPresent(record, io.cwd))) return undefined
  return sentSecretsIn(await readRecord(record, io), baseUrl)
}

/** The health check of `--check`. The token file is read now, because it may be deleted during the run. */
async function checkOf(
  options: ApplyCommandOptions,
  { policy }: Desired,
  io: Io
): Promise<RolloutSettings['check']> {
  const { check: command, secretPrefix, tokenFile } = options
  if (command === undefined) return undefined
  const tokens = await tokensOf(options, io)
  const timeout = policy.rollout.checkTimeout * 1000
  return wave => runCheck({ command, timeout, secretPrefix, tokens, tokenFile }, wave, io)
}
