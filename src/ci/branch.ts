import { join } from 'node:path'
import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import { append } from '../core/values/collections.ts'
import {
  type Approval,
  approvalOf,
  artifactPrefix,
  isNamed,
  isPlanRun,
  isTrusted,
  laterCandidates,
  mergesIn,
  type PlanArtifact,
  workflowFiles
} from './approval.ts'
import type { Job } from './command.ts'
import type { Deployment, PullRequest, Run } from './forge.ts'

/** The history of the default branch up to the commit of this job, and what was deployed of it. */
export interface Branch extends Deployed {
  /** The first parents of the commit, itself first. */
  readonly line: readonly string[]
}

/** The deployments of a fleet. */
export interface Deployed {
  /** The newest first. */
  readonly deployments: readonly Deployment[]
  /** True if the deployment is one of our workflow on the default branch. */
  readonly trusts: (deployment: Deployment) => Promise<boolean>
}

/** The number of deployments that decide. */
const MAX_DEPLOYMENTS = 200

/** Reads the branch. Throws (exit 3) unless the checkout is the commit of the job, on the default branch, with its history. */
export async function readBranch(job: Job): Promise<Branch> {
  const { forge, ours, git } = job
  const { run } = forge
  if (run.branch !== ours.defaultBranch) {
    throw wrongInput(
      `this run is of ${run.branch ?? 'a tag'}, and only ${ours.defaultBranch} is applied; nothing was sent`
    )
  }
  const line = await firstParents(job)
  const shallow = await git(['rev-parse', '--is-shallow-repository'])
  if (shallow.stdout.toString().trim() === 'true') {
    throw wrongInput(
      'the clone is shallow; nothing was sent',
      'check out the whole history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` on GitLab'
    )
  }
  return { line, ...(await readDeployments(job)) }
}

export async function readDeployments({ forge, ours }: Job): Promise<Deployed> {
  const deployments: Deployment[] = []
  for await (const deployment of forge.deployments(ours.name)) {
    deployments.push(deployment)
    if (deployments.length === MAX_DEPLOYMENTS) break
  }
  const runs = new Map<string, Run | undefined>()
  const trusts = async (deployment: Deployment) => {
    const { id } = deployment.run
    if (!runs.has(id)) runs.set(id, await forge.findRun(id))
    return isTrusted(deployment, runs.get(id), ours)
  }
  return { deployments, trusts }
}

async function firstParents({ forge, git }: Job): Promise<readonly string[]> {
  const { code, stdout, reason } = await git(['rev-list', '--first-parent', 'HEAD'])
  if (code !== 0) throw wrongInput(`git cannot read the history of the checkout: ${reason}`)
  const line = stdout.toString().split('\n').filter(Boolean)
  if (line[0] === forge.run.commit) return line
  throw wrongInput(
    `the checkout is of ${line[0]}, and this run is of ${forge.run.commit}; nothing was sent`
  )
}

/** Throws (exit 4) if a later commit was applied: what it declares would be undone. */
export async function refuseOlder(
  { forge }: Job,
  { line, deployments, trusts }: Branch
): Promise<void> {
  const [commit = ''] = line
  for (const later of laterCandidates(line, deployments)) {
    if (!(await forge.isAncestor(commit, later.commit)) || !(await trusts(later))) continue
    throw new Failure(
      exit.refused,
      `refused: run ${later.run.id} has applied ${later.commit}, which includes ${commit}; nothing was sent`,
      'older files never overwrite newer ones: run the newest one again'
    )
  }
}

/** The first of the candidates that a workflow of ours made. */
export async function firstTrusted(
  { trusts }: Deployed,
  candidates: readonly Deployment[]
): Promise<Deployment | undefined> {
  for (const candidate of candidates) {
    if (await trusts(candidate)) return candidate
  }
  return undefined
}

/** The merges since the base, with their approvals. */
export interface MergedSince {
  /** The newest first. */
  readonly approvals: readonly Approval[]
  /** Commits that change the fleet and came without a pull request. */
  readonly direct: readonly string[]
  /** True if there are more merges than a run looks up; the older ones approve nothing. */
  readonly isTruncated: boolean
}

/** Commits and pull requests that a run looks up, within its number of calls to the forge. */
const MAX_COMMITS = 15
const MAX_PULLS = 8

/**
 * Looks up the merges that changed the fleet since the base, the newest first. Without a base, it stops at the first
 * that no plan approves.
 */
export async function mergedSince(job: Job, { line }: Branch, base?: string): Promise<MergedSince> {
  const since = base === undefined ? line : line.slice(0, line.indexOf(base))
  const commits = await touching(job, since, base)
  const approvals = new Map<number, Approval>()
  const direct: string[] = []
  let isTruncated = false
  for (const [place, commit] of commits.entries()) {
    isTruncated = place === MAX_COMMITS
    if (isTruncated) break
    const pulls = mergesIn(since, await job.forge.mergedBy(commit))
    const others = pulls.filter(({ number }) => !approvals.has(number))
    isTruncated = approvals.size + others.length > MAX_PULLS
    if (isTruncated) break
    if (pulls.length === 0) direct.push(commit)
    for (const pull of others) {
      approvals.set(pull.number, approvalOf(pull, await planArtifacts(job, pull), job.ours))
    }
    const isApproved = pulls.length > 0 && pulls.every(({ number }) => approvals.get(number)?.plan)
    if (base === undefined && !isApproved) break
  }
  return { approvals: [...approvals.values()], direct, isTruncated }
}

/** Those of the commits whose merge changed files of the fleet; of all files, if the base has the fleet elsewhere. */
async function touching(
  { git, fleet }: Job,
  since: readonly string[],
  base: string | undefined
): Promise<readonly string[]> {
  const range = base === undefined ? ['HEAD'] : [`${base}..HEAD`]
  const under = fleet.replace(/^(?:\.\/)+|\/+$/g, '')
  const top = under === '' || under === '.' ? '' : `${under}/`
  const isMoved =
    base !== undefined &&
    top !== '' &&
    (await git(['cat-file', '-e', `${base}:./${under}`])).code !== 0
  const files = ['*.yaml', '*.yml', '.wlanctlignore'].map(file => `:(glob)${top}**/${file}`)
  const paths = isMoved ? [] : ['--', ...files, `:(exclude,glob)${top}**/.*/**`]
  const { stdout } = await git(['rev-list', '--first-parent', ...range, ...paths])
  const touched = new Set(stdout.toString().split('\n'))
  return since.filter(commit => touched.has(commit))
}

/** The runs of a commit that are looked at. */
const MAX_RUNS = 4

/** The artifacts that our plan workflow made for the last commit of a pull request. */
export async function planArtifacts(
  { forge, ours }: Job,
  pull: PullRequest
): Promise<readonly PlanArtifact[]> {
  const found: PlanArtifact[] = []
  let runs = 0
  for await (const run of forge.runsOf(pull)) {
    if (!isPlanRun(run, pull, ours)) continue
    const artifacts = await forge.artifacts(run, artifactPrefix('plan', ours.name))
    append(
      found,
      artifacts.map(artifact => ({ artifact, run }))
    )
    runs += 1
    if (runs === MAX_RUNS) break
  }
  return found
}

/** The checks of drift that are searched for stored results. */
const MAX_CHECKS = 5

/** Downloads these files from the newest check of drift that stored any, in their order; none if there is no such check. */
export async function downloadCheck(
  { forge, ours }: Job,
  names: readonly string[],
  folder: string
): Promise<readonly string[]> {
  for (const workflow of workflowFiles('drift', ours.name)) {
    let checks = 0
    for await (const run of forge.runsOfBranch(workflow)) {
      for (const artifact of await forge.artifacts(run, artifactPrefix('drift', ours.name))) {
        if (artifact.isExpired || !isNamed(artifact, 'drift', ours.name)) continue
        const files = await forge.download(artifact, names, folder)
        if (files.length > 0)
          return names.filter(each => files.includes(each)).map(each => join(folder, each))
      }
      checks += 1
      if (checks === MAX_CHECKS) break
    }
  }
  return []
}

/** Deployments whose records are read, within the number of calls to the forge. */
const MAX_RECORDS = 10

/** Downloads the records of the deployments from the newest back, up to one that cannot be read; the newest first. */
export async function downloadRecords(
  job: Job,
  { deployments, trusts }: Deployed
): Promise<readonly string[]> {
  const files: string[] = []
  for (const deployment of deployments) {
    if (!(await trusts(deployment))) continue
    if (files.length === MAX_RECORDS) break
    const file = await downloadRecord(job, deployment)
    if (file === undefined) break
    files.push(file)
  }
  return files
}

/** Downloads the record of the run and attempt that made a deployment; undefined if there is none. */
export async function downloadRecord(
  { forge, ours, temporary }: Job,
  { run }: Deployment
): Promise<string | undefined> {
  const prefix = artifactPrefix('record', ours.name)
  const artifacts = await forge.artifacts(run, prefix)
  const own = artifacts.find(
    ({ name, isExpired }) => name === `${prefix}${run.attempt}` && !isExpired
  )
  if (own === undefined) return undefined
  const folder = join(temporary, `record-${run.id}-${run.attempt}`)
  const [name] = await forge.download(own, ['record.jsonl'], folder)
  return name && join(folder, name)
}
