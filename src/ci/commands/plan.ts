import { join } from 'node:path'
import { type ExitCode, exit, Failure, worst } from '../../core/model/failure.ts'
import type { Plan } from '../../core/model/plan.ts'
import { listFirst } from '../../core/values/text.ts'
import { parsePlan } from '../../files/saved-plan.ts'
import { escapeCode } from '../../report/escape.ts'
import { approvalOf } from '../approval.ts'
import { downloadCheck, planArtifacts } from '../branch.ts'
import {
  type Ending,
  failureReport,
  hasServiceToken,
  type Job,
  reportOptions,
  textOf
} from '../command.ts'
import type { PullRequest } from '../forge.ts'

export interface PlanSettings {
  readonly scope: 'changed' | 'all'
}

/**
 * Plans a pull request, and runs the tests of its fleet, whose failures come first; without a token of the service on
 * the stored snapshot, and without that only validates it.
 */
export async function plan(job: Job, { scope }: PlanSettings): Promise<Ending> {
  const base = await baseOfPull(job)
  const hasToken = hasServiceToken(job)
  const [snapshot] = hasToken ? [] : await downloadCheck(job, ['snapshot.json'], job.temporary)
  const isPlanned = hasToken || snapshot !== undefined
  const option = scope === 'changed' ? '--changed-since' : '--base'
  const compared = base === undefined ? [] : [option, base]
  const file = join(job.results, 'plan.json')
  const against = snapshot === undefined ? [] : ['--against', snapshot]
  const { code, reason } = await job.program(
    isPlanned
      ? [
          ...['plan', job.fleet, '--detailed-exitcode', '--out', file, ...compared, ...against],
          ...[...reportOptions(job), ...job.options]
        ]
      : ['validate', job.fleet, ...reportOptions(job)]
  )
  const { number } = job.forge.run.pull ?? {}
  const made = await planIn(file)
  const tests = code === exit.wrongInput ? undefined : await failedTests(job)
  return {
    code: worst(code === exit.changes ? exit.done : code, tests?.code ?? exit.done),
    ...{ reason, scope, ...(tests && { first: tests.report }) },
    pulls: number === undefined ? [] : [number],
    notes: [
      ...(isPlanned ? [] : [NO_SNAPSHOT]),
      ...(made?.against ? [ON_SNAPSHOT] : []),
      ...(made && !made.against ? await sharedNotes(job, made) : [])
    ]
  }
}

/** Runs the tests of the fleet; undefined if none fails. */
async function failedTests(job: Job): Promise<{ code: ExitCode; report: string } | undefined> {
  const { forge, fleet, temporary } = job
  const file = join(temporary, 'tests.md')
  const format = forge.kind === 'github' ? 'github' : 'text'
  const reports = ['--format', format, '--report', `markdown=${file}`]
  const { code, reason } = await job.program(['test', fleet, ...reports])
  if (code === exit.done) return undefined
  return { code, report: (await textOf(file)) ?? failureReport('Tests: not run', reason, code) }
}

const NO_SNAPSHOT =
  'This run has no token of the service, and no check of drift has stored a snapshot yet: the files were only validated. No plan approves this pull request.'
const ON_SNAPSHOT =
  'This run has no token of the service: the plan is on the stored snapshot, and **approves nothing**. After the merge, `wlanctl plan` and `wlanctl apply` send the changes.'

/** The first parent of the forge's merge of the pull request, else where its branch began; undefined outside of one. */
async function baseOfPull({ forge, git }: Job): Promise<string | undefined> {
  const { commit, pull } = forge.run
  if (pull === undefined) return undefined
  const { stdout } = await git(['rev-list', '--parents', '--max-count=1', 'HEAD'])
  const [, first, second] = stdout.toString().trim().split(' ')
  if (second === commit) return first
  const merge = await git(['merge-base', 'HEAD', pull.targetCommit ?? 'HEAD^1'])
  return merge.code === 0 ? merge.stdout.toString().trim() : pull.targetCommit
}

async function planIn(file: string): Promise<Plan | undefined> {
  const text = await textOf(file)
  return text === undefined ? undefined : parsePlan(text, file)
}

/** Other open pull requests that are looked at. */
const MAX_OTHERS = 8

/** Names the open pull requests whose plans change the same WLANs. */
async function sharedNotes(job: Job, plan: Plan): Promise<string[]> {
  const own = new Set(plan.changes.map(({ address }) => address))
  if (own.size === 0) return []
  const lines: string[] = []
  let others = 0
  for await (const pull of job.forge.openPullRequests()) {
    if (pull.number === job.forge.run.pull?.number || pull.isFork) continue
    others += 1
    if (others > MAX_OTHERS) break
    const shared = (await addressesOf(job, pull)).filter(address => own.has(address))
    if (shared.length > 0) {
      const codes = [...new Set(shared)].map(address => `\`${escapeCode(address)}\``)
      const named = listFirst(codes, 5)
      lines.push(`- #${pull.number} changes ${named}, too`)
    }
  }
  return lines.length === 0
    ? []
    : [`**Other pull requests change the same WLANs:**\n\n${lines.join('\n')}`]
}

/** The WLANs that the newest plan of an open pull request changes; none if it cannot be read. */
async function addressesOf(job: Job, pull: PullRequest): Promise<readonly string[]> {
  const artifacts = await planArtifacts(job, pull)
  const { plan } = approvalOf({ ...pull, merged: job.now() }, artifacts, job.ours)
  if (plan === undefined) return []
  const folder = join(job.temporary, `pull-${pull.number}`)
  try {
    await job.forge.download(plan.artifact, ['plan.json'], folder)
    return (await planIn(join(folder, 'plan.json')))?.changes.map(({ address }) => address) ?? []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await job.log(`the plan of #${pull.number} cannot be read: ${error.message}`)
    return []
  }
}
