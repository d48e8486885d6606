import { join } from 'node:path'
import { reasonOf } from '../core/model/failure.ts'
import { type Job, operateLink, type ProgramEnd, reportOptions, storedJson } from './command.ts'
import type { Deployment, NewDeployment } from './forge.ts'

/** Runs a command of the program that sends. The forge gets a deployment as soon as nothing refuses the run. */
export async function send(
  job: Job,
  argv: readonly string[],
  deployment: Omit<NewDeployment, 'fleet'>
): Promise<ProgramEnd> {
  const { forge, results, options, ours } = job
  let started: Deployment | undefined
  const output = ['--record', join(results, 'record.jsonl'), ...reportOptions(job, 'outcomes.json')]
  const ended = await job.program([...argv, '--yes', ...output, ...options], {
    async beforeSending() {
      started = await forge.startDeployment({ fleet: ours.name, ...deployment })
    }
  })
  if (started !== undefined) {
    const status = ended.code === 0 ? 'success' : 'failure'
    await forge.endDeployment(started, status, forge.run.url).catch(async error => {
      await job.log(`the deployment ${started?.id} stays in progress: ${reasonOf(error)}`)
    })
  }
  return ended
}

/** What a person can do after the outcomes of a run, as lines of Markdown. */
export async function nextSteps(job: Job): Promise<readonly string[]> {
  const count = await outcomeCounts(job)
  const missing = count('diverged') + count('failed') + count('unknown') + count('skipped')
  const reconcile = await operateLink(job, 'reconcile')
  if (reconcile === undefined) return []
  const steps: string[] = []
  if (count('stale') > 0) {
    const adopt = await operateLink(job, 'adopt')
    steps.push(
      `- **${count('stale')} stale**: the live WLANs are not as the plan showed them. To set them as declared, run ${reconcile}, which shows the new plan first. To keep the live values, run ${adopt}, which opens a pull request with them.`
    )
  } else if (missing > 0) {
    steps.push(`- To send the missing changes, run ${reconcile}, which shows the new plan first.`)
  }
  if (count('applied') > 0) {
    const revert = await operateLink(job, 'revert')
    steps.push(`- To undo this run, run ${revert} with the run id \`${job.forge.run.id}\`.`)
  }
  return [steps.join('\n')]
}

async function outcomeCounts({ results }: Job): Promise<(status: string) => number> {
  const { summary } = await storedJson(join(results, 'outcomes.json'))
  return status => Object(summary)[status] ?? 0
}
