/**
 * What the `ci` commands need of a forge, GitHub or GitLab, in words of neither. An adapter hides how the forge does it.
 *
 * Every method may throw a `Failure` (exit 1) with the forge's own reason and the operation, without a token, after the
 * retries of the adapter, and for an answer that is not as documented. A list is the
 * newest first; an `AsyncIterable` requests its next page when it is reached, and follows at most `MAX_PAGES` pages.
 */
export interface Forge {
  readonly kind: 'github' | 'gitlab'
  /** The run that this process belongs to, and the pull request that it is for. */
  readonly run: CurrentRun
  /** The maximum length of a body, in UTF-16 code units. */
  readonly maxBody: number

  tip(): Promise<string>
  /** The pull requests merged into the default branch, those updated last first, down to those last updated before a time. */
  mergedSince(time: Date): AsyncIterable<MergedPull>
  /** The commits of a pull request without merges, as what a rebase keeps: `<seconds when it was authored> <subject>`. */
  commitsOf(pull: MergedPull): Promise<readonly string[]>
  /** The newest plan of a fleet that our job made for the last commit of a pull request of our repository (no fork), before its merge. */
  planOf(pull: MergedPull, name: string): Promise<Artifact | undefined>
  /** The results of a fleet that earlier runs of the default branch for commits of `line` stored, the newest first. */
  results(of: CiCommand, name: string, line: ReadonlySet<string>): AsyncIterable<Artifact>
  /**
   * Makes our comment of a topic, its invisible first line, have this text; comments of another
   * author do not count. The adapter neutralizes quick actions.
   */
  comment(pull: number, topic: string, text: string): Promise<void>
  /** Opens, edits, or (undefined) closes our issue of a topic. */
  issue(topic: string, write: (earlier: string | undefined) => NewIssue | undefined): Promise<void>
  /** Appends Markdown to the summary of this job; nothing on GitLab, which has none. */
  summary(markdown: string): Promise<void>
  /** The commands whose job of this run failed; one that was cancelled while it waited is none. */
  failed(): Promise<ReadonlySet<string>>
}

export type CiCommand = 'plan' | 'apply' | 'drift'

/** At most this many pages of a list, of 100 entries. */
export const MAX_PAGES = 10

/** The largest artifact, packed, in bytes. */
export const MAX_DOWNLOAD = 64 * 1024 * 1024

/** The most that the files of an artifact may hold, in bytes. */
export const MAX_UNPACKED = 256 * 1024 * 1024

export interface CurrentRun {
  readonly isMergeQueue: boolean
  /** The commit that it is about: of a pull request its last commit, not the forge's own merge of it. */
  readonly commit: string
  readonly branch: string | undefined
  readonly url: string
  readonly defaultBranch: string
  readonly pull:
    | {
        readonly number: number
        readonly target: string | undefined
        readonly targetCommit: string | undefined
      }
    | undefined
}

export interface MergedPull {
  readonly number: number
  readonly head: string
  readonly isFork: boolean
  /** The commits of the default branch with which it may have been merged: the merge, the squash, its head. */
  readonly commits: readonly string[]
  readonly merged: Date
}

export interface Artifact {
  readonly url: string
  /** Texts of files by name. Throws a `Failure` (exit 3) for an archive that has expired, is damaged, or too large. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export interface NewIssue {
  readonly title: string
  readonly body: string
}
