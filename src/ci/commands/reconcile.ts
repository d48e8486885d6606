import { join } from 'node:path'
import { exit } from '../../core/model/failure.ts'
import { readBranch, refuseOlder } from '../branch.ts'
import { changesIn, type Ending, type Job, refuseSuspended, reportOptions } from '../command.ts'
import { nextSteps, send } from '../send.ts'

export interface ShownSettings {
  readonly environment: string
  /** The results of the run without it, which were approved; undefined to make them. */
  readonly shown?: string
}

/** Plans everything that differs; with the shown results, sends exactly that plan. */
export async function reconcile(job: Job, { environment, shown }: ShownSettings): Promise<Ending> {
  if (shown === undefined) return planAll(job)
  refuseSuspended(job)
  const branch = await readBranch(job)
  await refuseOlder(job, branch)
  const plan = join(shown, 'plan.json')
  const { code, reason } = await send(job, ['apply', job.fleet, '--require-plan', '--plan', plan], {
    ...{ environment, commit: job.forge.run.commit, command: 'reconcile' },
    ...{ isWhole: !isNarrowed(job.options) }
  })
  return { code, reason, notes: await nextSteps(job) }
}

async function planAll(job: Job): Promise<Ending> {
  const file = join(job.results, 'plan.json')
  const output = ['--detailed-exitcode', '--out', file, ...reportOptions(job)]
  const { code, reason } = await job.program(['plan', job.fleet, ...output, ...job.options])
  const changed = await changesIn(file)
  // What `apply` would refuse, its options may allow.
  const isPlanned = code === exit.changes || (code === exit.refused && changed !== undefined)
  return {
    ...{ code: isPlanned ? exit.done : code, reason, title: 'Reconcile: not planned' },
    changed: changed ?? 0
  }
}

/** True if the options select a part of the fleet. */
function isNarrowed(options: readonly string[]): boolean {
  return options.some(option =>
    /^--(?:site|exclude-site|wlan|shard|changed-since|continue)(?:=|$)/.test(option)
  )
}
