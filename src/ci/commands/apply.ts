import { join } from 'node:path'
import { exit, Failure, reasonOf, wrongInput } from '../../core/model/failure.ts'
import type { OutcomesData } from '../../core/model/outcome.ts'
import { listFirst } from '../../core/values/text.ts'
import { approvingPlan } from '../../files/approving-plan.ts'
import { parsePlan } from '../../files/saved-plan.ts'
import { escapeCode } from '../../report/escape.ts'
import { parseRecord } from '../../run/record/read.ts'
import { checkBaseUrl } from '../../service/http/connection.ts'
import { type Approval, baseCandidates, type NoApproval } from '../approval.ts'
import {
  downloadRecord,
  firstTrusted,
  type MergedSince,
  mergedSince,
  readBranch,
  refuseOlder
} from '../branch.ts'
import {
  ADOPT,
  type Ending,
  hasServiceToken,
  type Job,
  type ProgramEnd,
  RECONCILE,
  refuseSuspended,
  reportOptions,
  storedJson,
  textOf
} from '../command.ts'
import type { Deployment } from '../forge.ts'

export interface ApplySettings {
  readonly environment: string
  /** False to send what differs, approved by a plan or not. */
  readonly requirePlan: boolean
}

/** Applies what the plans of the merged pull requests approve. */
export async function apply(job: Job, settings: ApplySettings): Promise<Ending> {
  refuseSuspended(job)
  const branch = await readBranch(job)
  if (!hasServiceToken(job) && branch.deployments.length === 0) return notSetUp(job)
  await refuseOlder(job, branch)
  const base = await firstTrusted(branch, baseCandidates(branch.line, branch.deployments))
  const merged = await mergedSince(job, branch, base?.commit)
  const { approvals, files, scope } = await downloadPlans(job, merged.approvals)
  const { environment, requirePlan } = settings
  const { code, reason } = await send(
    job,
    [
      ...(requirePlan ? ['--require-plan', ...files.flatMap(file => ['--plan', file])] : []),
      ...baseOptions(base?.commit, requirePlan ? scope : 'all')
    ],
    environment
  )
  return {
    ...{ code, reason },
    pulls: approvals.map(({ pull }) => pull.number),
    notes: [
      ...(requirePlan ? [] : ['**No plan was required**: what differs is sent, approved or not.']),
      ...unapprovedNotes({ ...merged, approvals }),
      ...(await sharedFieldNotes(job, base)),
      await nextSteps(job)
    ]
  }
}

/** Runs `apply`. The forge gets a deployment as soon as nothing refuses the run. */
async function send(job: Job, words: readonly string[], environment: string): Promise<ProgramEnd> {
  const { forge, fleet, results, options, ours } = job
  let started: Deployment | undefined
  const output = ['--record', join(results, 'record.jsonl'), ...reportOptions(job, 'outcomes.json')]
  const argv = ['apply', fleet, ...words, '--yes', ...output, ...options]
  const ended = await job.program(argv, async () => {
    started = await forge.startDeployment(ours.name, environment)
  })
  if (started !== undefined) {
    const status = ended.code === exit.done ? 'success' : 'failure'
    await forge.endDeployment(started, status, forge.run.url).catch(async error => {
      await job.log(`the deployment ${started?.id} stays in progress: ${reasonOf(error)}`)
    })
  }
  return ended
}

/** The first push of a new repository is no failure; a missing token later is one. */
async function notSetUp(job: Job): Promise<Ending> {
  const reason =
    'The environment has no WLANCTL_API_TOKEN yet, and nothing was ever applied from here.'
  await job.log(`not set up yet: ${reason}`)
  return { code: exit.done, title: 'Apply: not set up yet', reason }
}

/** The options that compare with the base. Without one, the run covers the whole fleet. */
function baseOptions(base: string | undefined, scope: 'changed' | 'all'): string[] {
  if (base === undefined) return []
  return [scope === 'changed' ? '--changed-since' : '--base', base]
}

interface Downloaded {
  readonly approvals: readonly Approval[]
  readonly files: readonly string[]
  /** `all` if one of the plans covers the whole fleet. */
  readonly scope: 'changed' | 'all'
}

/** Downloads the plans, and withdraws the approval of those that cannot approve a run on this service. */
async function downloadPlans(job: Job, found: readonly Approval[]): Promise<Downloaded> {
  const files: string[] = []
  const approvals: Approval[] = []
  let scope: Downloaded['scope'] = 'changed'
  for (const approval of found) {
    const { pull, plan } = approval
    if (plan === undefined) {
      approvals.push(approval)
      continue
    }
    const folder = join(job.temporary, `plan-${pull.number}`)
    const reason = await reasonAgainst(job, { pull, plan }, folder)
    approvals.push(reason === undefined ? approval : { pull, reason })
    if (reason !== undefined) continue
    files.push(join(folder, 'plan.json'))
    const result = await storedJson(join(folder, 'result.json'))
    if (result['scope'] === 'all') scope = 'all'
  }
  return { approvals, files, scope }
}

/** Downloads a plan. Why it approves nothing; undefined if it does. Throws if the forge fails. */
async function reasonAgainst(
  job: Job,
  { pull, plan: { artifact } }: Required<Pick<Approval, 'pull' | 'plan'>>,
  folder: string
): Promise<NoApproval | undefined> {
  const name = `the plan of #${pull.number}`
  try {
    await job.forge.download(artifact, ['plan.json', 'result.json'], folder)
    const text = await textOf(join(folder, 'plan.json'))
    if (text === undefined) return 'none'
    const plan = parsePlan(text, name)
    if (plan.against !== undefined) return 'snapshot'
    approvingPlan(plan, name, addressOf(job))
    return undefined
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === exit.failed) throw error
    await job.log(`${name} approves nothing: ${error.message}`)
    return 'unusable'
  }
}

function addressOf({ env, options }: Job): string {
  const at = options.indexOf('--base-url')
  const joined = options
    .find(option => option.startsWith('--base-url='))
    ?.slice('--base-url='.length)
  const given = at >= 0 ? options[at + 1] : (joined ?? env['WLANCTL_BASE_URL'])
  if (!given) throw wrongInput('the address of the service is missing', 'set WLANCTL_BASE_URL')
  return checkBaseUrl(given)
}

const reasons: Readonly<Record<NoApproval, string>> = {
  none: 'it has no plan of its last commit',
  fork: 'it comes from a fork, whose plans approve nothing',
  late: 'its plan was made after the merge, so no reviewer saw it',
  expired: 'its plan has expired',
  snapshot: 'its plan is on the stored snapshot, not on the live state',
  unusable: 'its plan is damaged, or of another service'
}

/** Says which merges approve nothing, and how their changes are sent. */
function unapprovedNotes({ approvals, direct, isTruncated }: MergedSince): string[] {
  const lines = approvals.flatMap(({ pull, reason }) =>
    reason === undefined ? [] : `- #${pull.number}: ${reasons[reason]}`
  )
  if (direct.length > 0) {
    const commits = direct.map(commit => `\`${commit.slice(0, 7)}\``)
    lines.push(`- ${listFirst(commits, 5)}: without a pull request`)
  }
  if (isTruncated) lines.push('- older merges: too many to look up in one run')
  if (lines.length === 0) return []
  return [
    `**No plan approves these merges**; to send what they change, ${RECONCILE}:\n\n${lines.join('\n')}`
  ]
}

/** Fields of stale outcomes, by address. */
type StaleFields = ReadonlyMap<string, readonly string[]>

/**
 * Says which stale fields the apply before this one changed: its pull request and that of the plan change the same
 * field, and nobody has edited it by hand.
 */
async function sharedFieldNotes(job: Job, base: Deployment | undefined): Promise<string[]> {
  const stale = await staleFields(job)
  if (stale.size === 0 || base === undefined) return []
  try {
    return await notesFor(job, stale, base)
  } catch (error) {
    // The run has sent its changes, and this is only an explanation.
    if (!(error instanceof Failure)) throw error
    await job.log(`the record of run ${base.run.id} cannot be read: ${error.message}`)
    return []
  }
}

async function notesFor(job: Job, stale: StaleFields, base: Deployment): Promise<string[]> {
  const record = await downloadRecord(job, base)
  if (record === undefined) return []
  const runs = parseRecord((await textOf(record)) ?? '', 'the record of the apply before')
  const applied = runs
    .flatMap(({ changes }) => changes)
    .filter(({ outcome }) => outcome.status === 'applied')
    .flatMap(({ change: { address, patch } }) =>
      patch.flatMap(({ path }) => (stale.get(address)?.includes(path) ? `${address} ${path}` : []))
    )
  if (applied.length === 0) return []
  const fields = listFirst(
    [...new Set(applied)].map(each => `\`${escapeCode(each)}\``),
    5
  )
  return [
    `**The apply before this one changed the same fields**, after the plan of this pull request was made: ${fields} (run ${base.run.id}). Two pull requests change them.`
  ]
}

async function staleFields({ results }: Job): Promise<StaleFields> {
  const { outcomes = [] } = (await storedJson(
    join(results, 'outcomes.json')
  )) as Partial<OutcomesData>
  return new Map(
    outcomes
      .filter(({ status }) => status === 'stale')
      .map(({ address, fields = [] }) => [address, fields.map(({ pointer }) => pointer)])
  )
}

/** What a person can do after the outcomes of a run, as lines of Markdown. */
async function nextSteps({ results }: Job): Promise<string> {
  const { summary } = await storedJson(join(results, 'outcomes.json'))
  const count = (status: string): number => Object(summary)[status] ?? 0
  const missing = count('diverged') + count('failed') + count('unknown') + count('skipped')
  const steps: string[] = []
  if (count('stale') > 0) {
    steps.push(
      `- **${count('stale')} stale**: the live WLANs are not as the plan showed them. To set them as declared: ${RECONCILE}. To keep the live values: ${ADOPT}.`
    )
  } else if (missing > 0) steps.push(`- To send the missing changes: ${RECONCILE}.`)
  if (count('applied') > 0) {
    steps.push(
      '- To undo this run: `wlanctl revert record.jsonl`, with the record among its artifacts.'
    )
  }
  return steps.join('\n')
}
