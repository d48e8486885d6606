/**
 * What the `ci` commands need of a forge, GitHub or GitLab, in words of neither. An adapter hides how the forge does it.
 *
 * Every method may throw a `Failure` (exit 1) with the forge's own reason and the operation, without a token, after the
 * retries of the adapter; and one if a run makes more than `MAX_CALLS` calls. A list is the newest first; an
 * `AsyncIterable` requests its next page when it is reached, follows at most `MAX_PAGES` pages, and never gives an id
 * twice. What the forge does not know or no longer has is `undefined` or absent, never an error; a refusal (401, 403) is
 * an error.
 */
export interface Forge {
  readonly kind: 'github' | 'gitlab'
  /** The run that this process belongs to. */
  readonly run: CurrentRun
  /** The maximum length of a body, in UTF-16 code units. Methods refuse a longer one (a bug). */
  readonly maxBody: number
  /** The environment of this process for what it starts: without any token or credential of the forge. */
  readonly childEnvironment: Readonly<Record<string, string | undefined>>

  /** The run with this id; undefined if there is none. */
  findRun(id: string): Promise<Run | undefined>
  /** The runs that the last commit of this pull request started, of all workflows; also of a merge of it with its target. */
  runsOf(pull: PullRequest): AsyncIterable<Run>
  /** The runs of the default branch that this workflow file made; on GitLab, where there is one file, those of all jobs. */
  runsOfBranch(workflow: string): AsyncIterable<Run>
  /** The artifacts of all attempts of a run whose names begin with this prefix, expired ones included. */
  artifacts(run: Pick<Run, 'id'>, prefix: string): Promise<readonly Artifact[]>
  /**
   * Writes those of the named files (no folders) that the artifact holds to `folder`, which it creates, and returns their
   * names. Throws if the artifact has expired, is larger than `MAX_DOWNLOAD` packed or `MAX_UNPACKED` unpacked, or holds
   * a path that leaves its folder; then it has written nothing.
   */
  download(artifact: Artifact, names: readonly string[], folder: string): Promise<readonly string[]>

  /** The deployments that `startDeployment` made for this fleet, in any environment. They do not expire. */
  deployments(fleet: string): AsyncIterable<Deployment>
  /** Tells the forge that this run begins to send its commit: a deployment in progress. */
  startDeployment(fleet: string, environment: string): Promise<Deployment>
  /** Ends a deployment that `startDeployment` returned. `url` is the page with the report. */
  endDeployment(deployment: Deployment, status: 'success' | 'failure', url: string): Promise<void>

  /** The pull requests merged into the default branch whose commits, merge or squash include this commit. */
  mergedBy(commit: string): Promise<readonly PullRequest[]>
  /** The open pull requests to the default branch. */
  openPullRequests(): AsyncIterable<PullRequest>
  /** True if `ancestor` is a commit of the history of `commit`, both known to the forge. */
  isAncestor(ancestor: string, commit: string): Promise<boolean>

  /**
   * Makes our comment of this topic on a pull request have the text that `write` returns for its present one: edits it, or
   * creates the first. The topic is an invisible first line; a comment of another author does not count. The adapter
   * neutralizes quick actions.
   */
  ensureComment(
    pull: number,
    topic: string,
    write: (earlier: string | undefined) => string
  ): Promise<void>

  /** Our open issue of this topic. The adapter finds and hides the topic as for comments. */
  findIssue(topic: string): Promise<Issue | undefined>
  /** Opens an issue. */
  openIssue(topic: string, issue: NewIssue): Promise<Issue>
  /** Replaces the body of an issue that `findIssue` returned. */
  editIssue(issue: Issue, body: string): Promise<void>
  commentOnIssue(issue: Issue, body: string): Promise<void>
  closeIssue(issue: Issue): Promise<void>

  /** Appends Markdown to the summary of this job; nothing on GitLab, which has none. */
  writeSummary(markdown: string): Promise<void>
}

/** At most this many calls to the forge a run, retries not counted. */
export const MAX_CALLS = 60

/** At most this many pages of a list, of 100 entries. */
export const MAX_PAGES = 10

/** The largest artifact, in bytes. */
export const MAX_DOWNLOAD = 64 * 1024 * 1024

/** The most that the files of an artifact may hold, in bytes. */
export const MAX_UNPACKED = 512 * 1024 * 1024

/** What started a run; `manual` is a person's choice of the workflow. */
export type RunEvent = 'push' | 'pull_request' | 'schedule' | 'manual' | 'other'

export interface Run {
  readonly id: string
  readonly event: RunEvent
  /** The path of its workflow in the repository, such as `.github/workflows/plan.yml` or `.gitlab-ci.yml`. */
  readonly workflow: string
  /** The commit that it is about: of a pull request its last commit, not the forge's own merge of it. */
  readonly commit: string
  /** The branch of that commit, without `refs/heads/`; undefined for a tag. */
  readonly branch: string | undefined
  /** True if that commit comes from another repository. */
  readonly isFork: boolean
  readonly url: string
}

/** The run of this process; its `url` is the page of this attempt. */
export interface CurrentRun extends Run {
  /** Grows with each attempt. On GitLab the id of the job. */
  readonly attempt: number
  /** `owner/name`, or the path of the project. */
  readonly repository: string
  readonly defaultBranch: string
  /** Of a run of a pull request. */
  readonly pull: { readonly number: number; readonly targetCommit: string | undefined } | undefined
}

export interface PullRequest {
  readonly number: number
  /** The last commit of its branch. */
  readonly head: string
  readonly branch: string
  readonly isFork: boolean
  /** The commit of the default branch with which it was merged: the merge, the squash, or its last rebased one. */
  readonly mergeCommit: string | undefined
  readonly merged: Date | undefined
}

export interface Artifact {
  readonly id: string
  /** On GitLab the name of the job's archive, without `.zip`. */
  readonly name: string
  /** The run that made it. */
  readonly run: string
  readonly created: Date
  readonly isExpired: boolean
  /** Packed, in bytes. */
  readonly size: number
}

export interface Deployment {
  readonly id: string
  /** The commit whose files are sent. */
  readonly commit: string
  /** What made it, in its own words: compare it with `findRun`. */
  readonly run: { readonly id: string; readonly attempt: number }
}

export interface Issue {
  readonly number: number
  readonly topic: string
  readonly url: string
  /** Without the line of the topic. */
  readonly body: string
}

export interface NewIssue {
  readonly title: string
  readonly body: string
}
