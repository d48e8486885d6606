import { join } from 'node:path'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import { scheduleCandidates } from '../approval.ts'
import { downloadRecords, firstTrusted, readBranch } from '../branch.ts'
import { type Ending, type Job, refuseSuspended } from '../command.ts'
import type { Deployment } from '../forge.ts'
import { nextSteps, send } from '../send.ts'

export interface ScheduledSettings {
  readonly environment: string
}

/**
 * Begins and ends periods, and sends what earlier runs deferred: by the files of the last commit that an apply attempted
 * and of which nothing was left without an approval.
 */
export async function scheduled(job: Job, { environment }: ScheduledSettings): Promise<Ending> {
  refuseSuspended(job)
  const branch = await readBranch(job)
  const last = await firstTrusted(branch, scheduleCandidates(branch.line, branch.deployments))
  if (last === undefined) return { code: exit.done, reason: NOTHING_APPLIED }
  const { files, end, lost } = await downloadRecords(job, branch)
  if (files.length === 0 && lost !== undefined) throw withoutRecord(lost)
  const records =
    files.length === 0 ? ['--scheduled'] : files.flatMap(file => ['--scheduled', file])
  const cwd = await checkoutOf(job, last.commit)
  const { code, reason } = await send(job, ['apply', job.fleet, ...records], {
    ...{ environment, commit: last.commit, command: 'scheduled', isWhole: true },
    ...{ cwd, isIdleWithoutChanges: true }
  })
  return {
    ...{ code, reason },
    notes: [
      `The files of \`${last.commit.slice(0, 7)}\`, the last commit of which plans approved everything.`,
      ...(end === undefined ? [] : [`Changes that wait in older records are not sent: ${end}.`]),
      ...(code === exit.done ? [] : await nextSteps(job))
    ]
  }
}

const NOTHING_APPLIED =
  'No apply has attempted a commit of which plans approve everything. Merge a planned pull request, or run reconcile for the whole fleet.'

/** What the newest run did decides what waits: without its record, a schedule could send what it put back. */
function withoutRecord({ run }: Deployment): Failure {
  return new Failure(
    exit.refused,
    `refused: run ${run?.id} has sent changes and stored no record of them; nothing was sent`,
    'it may still run, or its upload failed: run it again, or apply or reconcile'
  )
}

/** The working directory of the job with the files of a commit, in a work tree of its own. */
async function checkoutOf({ git, temporary, forge, cwd }: Job, commit: string): Promise<string> {
  if (commit === forge.run.commit) return cwd
  const prefix = await git(['rev-parse', '--show-prefix'])
  const tree = join(temporary, 'files')
  const { code, reason } = await git(['worktree', 'add', '--detach', tree, commit])
  if (code !== 0) throw new Failure(exit.failed, `the files of ${commit} cannot be read: ${reason}`)
  if (prefix.code !== 0) throw wrongInput(`git cannot read the checkout: ${prefix.reason}`)
  return join(tree, prefix.stdout.toString().trim())
}
