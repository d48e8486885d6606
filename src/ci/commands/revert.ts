import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, wrongInput } from '../../core/model/failure.ts'
import { quote } from '../../core/values/text.ts'
import { artifactPrefix, isNamed } from '../approval.ts'
import {
  changesIn,
  type Ending,
  type Job,
  refuseSuspended,
  reportOptions,
  textOf
} from '../command.ts'
import { send } from '../send.ts'
import type { ShownSettings } from './reconcile.ts'

/** Plans to undo what a run recorded in all its attempts; with the shown results, undoes exactly that. */
export async function revert(job: Job, run: string, settings: ShownSettings): Promise<Ending> {
  const { environment, shown } = settings
  if (shown === undefined) return planRevert(job, run)
  refuseSuspended(job)
  const [record, plan] = [join(shown, 'record.jsonl'), join(shown, 'plan.json')]
  const { code, reason } = await send(job, ['revert', record, job.fleet, '--plan', plan], {
    ...{ environment, commit: job.forge.run.commit, command: 'revert', isWhole: false }
  })
  return { code, reason, notes: [STILL_DECLARED] }
}

const STILL_DECLARED =
  '**The files still declare what was undone**, so drift reports it, and a plan of everything sends it again: revert the pull request, too.'

async function planRevert(job: Job, run: string): Promise<Ending> {
  const record = join(job.results, 'record.jsonl')
  await writeFile(record, await recordsOf(job, run), { mode: 0o600 })
  const file = join(job.results, 'plan.json')
  const output = ['--dry-run', '--out', file, ...reportOptions(job), ...job.options]
  const { code, reason } = await job.program(['revert', record, job.fleet, ...output])
  const changed = await changesIn(file)
  const isPlanned = changed !== undefined && code === exit.refused
  return {
    ...{ code: isPlanned ? exit.done : code, reason, title: 'Revert: not planned' },
    changed: changed ?? 0
  }
}

/** The records of all attempts of a run of the default branch, the first attempt first. Throws (exit 3) without any. */
async function recordsOf(job: Job, id: string): Promise<string> {
  const { forge, ours, temporary } = job
  if (!/^\d{1,20}$/.test(id)) {
    throw wrongInput(
      `expected the id of a run, the number at the end of its address, got ${quote(id, 80)}`
    )
  }
  const run = await forge.findRun(id)
  const isOurs = run !== undefined && run.branch === ours.defaultBranch && !run.isFork
  const prefix = artifactPrefix('record', ours.name)
  const artifacts = isOurs ? await forge.artifacts(run, prefix) : []
  const attemptOf = (name: string) => Number(name.slice(prefix.length))
  const stored = artifacts
    .filter(each => isNamed(each, 'record', ours.name) && !each.isExpired)
    .sort((a, b) => attemptOf(a.name) - attemptOf(b.name))
  const texts: string[] = []
  for (const artifact of stored) {
    const folder = join(temporary, artifact.id)
    const [file] = await forge.download(artifact, ['record.jsonl'], folder)
    if (file !== undefined) texts.push((await textOf(join(folder, file))) ?? '')
  }
  if (texts.length > 0) return texts.map(text => `${text.trimEnd()}\n`).join('')
  throw wrongInput(
    `run ${id} has no record of ${ours.name}: it sent nothing, it is not of ${ours.defaultBranch}, or its record has expired`
  )
}
