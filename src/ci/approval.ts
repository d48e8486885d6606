import type { Artifact, Deployment, PullRequest, Run } from './forge.ts'

/** The fleet of a `ci` command, and where its workflows are. */
export interface Ours {
  readonly kind: 'github' | 'gitlab'
  readonly name: string
  readonly defaultBranch: string
}

/** An artifact with a plan, and the run that made it. */
export interface PlanArtifact {
  readonly artifact: Artifact
  readonly run: Run
}

/**
 * Why a merged pull request approves nothing.
 *
 * | reason    | the plans of its last commit                                      |
 * |-----------|-------------------------------------------------------------------|
 * | `none`    | our plan workflow made none                                       |
 * | `fork`    | come from another repository, which could have written any plan   |
 * | `late`    | were all made after the merge, so that its reviewers saw none     |
 * | `expired` | the last one before the merge has expired                         |
 * | `snapshot`| the last one before the merge is not on the live state            |
 * | `unusable`| the last one before the merge is damaged, or of another service          |
 */
export type NoApproval = 'none' | 'fork' | 'late' | 'expired' | 'snapshot' | 'unusable'

/** A merged pull request, with the plan that approves it or the reason why none does. */
export interface Approval {
  readonly pull: PullRequest
  readonly plan?: PlanArtifact
  readonly reason?: NoApproval
}

/** True if our plan workflow made a run of the last commit of a pull request of this repository. */
export function isPlanRun(run: Run, pull: PullRequest, ours: Ours): boolean {
  return (
    run.event === 'pull_request' &&
    run.commit === pull.head &&
    !run.isFork &&
    isWorkflow(run, 'plan', ours)
  )
}

/** True if a workflow file of ours made the run: `KIND.yml` or `KIND-NAME.yml`. On GitLab there is one file for all. */
function isWorkflow({ workflow }: Run, kind: WorkflowKind, { kind: forge, name }: Ours): boolean {
  return forge === 'gitlab' || workflowFiles(kind, name).includes(workflow)
}

type WorkflowKind = 'plan' | 'apply' | 'drift'

/** The paths that a workflow of a fleet may have: its own one first. */
export function workflowFiles(kind: WorkflowKind, name: string): readonly string[] {
  return [`.github/workflows/${kind}-${name}.yml`, `.github/workflows/${kind}.yml`]
}

/**
 * The plan that approves a merged pull request: the newest of its last commit that was finished before the merge.
 * `plans` may be of any run.
 */
export function approvalOf(
  pull: PullRequest,
  plans: readonly PlanArtifact[],
  ours: Ours
): Approval {
  const own = plans.filter(({ run }) => isPlanRun(run, pull, ours))
  const named = own.filter(({ artifact }) => isNamed(artifact, 'plan', ours.name))
  const { merged } = pull
  const before = named.filter(({ artifact }) => merged !== undefined && artifact.created <= merged)
  const [plan] = before.sort((a, b) => b.artifact.created.getTime() - a.artifact.created.getTime())
  if (plan !== undefined) {
    return plan.artifact.isExpired ? { pull, reason: 'expired' } : { pull, plan }
  }
  if (named.length > 0) return { pull, reason: 'late' }
  // GitLab forgets the name of an expired archive.
  if (own.some(({ artifact }) => artifact.isExpired)) return { pull, reason: 'expired' }
  return { pull, reason: pull.isFork ? 'fork' : 'none' }
}

/** True if an artifact is `wlanctl-KIND-NAME-ATTEMPT`: the name of another fleet may begin with ours. */
export function isNamed({ name }: Artifact, kind: ArtifactKind, fleet: string): boolean {
  const prefix = artifactPrefix(kind, fleet)
  return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))
}

type ArtifactKind = 'plan' | 'record' | 'drift'

export function artifactPrefix(kind: ArtifactKind, fleet: string): string {
  return `wlanctl-${kind}-${fleet}-`
}

/** True if a deployment was made by the run that it names, on the default branch, with our apply workflow. */
export function isTrusted(deployment: Deployment, run: Run | undefined, ours: Ours): boolean {
  return (
    run !== undefined &&
    deployment.run.id === run.id &&
    !run.isFork &&
    run.branch === ours.defaultBranch &&
    run.event !== 'pull_request' &&
    isWorkflow(run, 'apply', ours)
  )
}

/**
 * The deployments that may be the base of an apply, the best first: the nearest commits of the branch's `line` of first
 * parents, which begins with the commit to apply. That commit itself is none.
 */
export function baseCandidates(
  line: readonly string[],
  deployments: readonly Deployment[]
): readonly Deployment[] {
  const places = new Map(line.map((commit, place) => [commit, place]))
  const placeOf = ({ commit }: Deployment) => places.get(commit) ?? 0
  return deployments.filter(each => placeOf(each) > 0).sort((a, b) => placeOf(a) - placeOf(b))
}

/** The deployments of other commits than those of `line`, which may be later ones; at most one for each commit. */
export function laterCandidates(
  line: readonly string[],
  deployments: readonly Deployment[]
): readonly Deployment[] {
  const known = new Set(line)
  const first = new Map<string, Deployment>()
  for (const each of deployments) {
    if (!known.has(each.commit) && !first.has(each.commit)) first.set(each.commit, each)
  }
  return [...first.values()].slice(0, MAX_LATER)
}

/** After a force push all deployments are of other commits, and the newest decide. */
const MAX_LATER = 5

/** The merged pull requests of these commits, the newest first: those whose merge is one of the commits itself. */
export function mergesIn(
  commits: readonly string[],
  pulls: readonly PullRequest[]
): readonly PullRequest[] {
  const places = new Map(commits.map((commit, place) => [commit, place]))
  const byNumber = new Map(pulls.map(pull => [pull.number, pull]))
  const placeOf = ({ mergeCommit = '' }: PullRequest) => places.get(mergeCommit) ?? -1
  return [...byNumber.values()]
    .filter(pull => placeOf(pull) >= 0)
    .sort((a, b) => placeOf(a) - placeOf(b))
}
