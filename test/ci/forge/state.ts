import { randomUUID } from 'node:crypto'
import { BareRepository, type Files } from './git.ts'

export type Kind = 'github' | 'gitlab'

/** A user of the forge; tokens belong to one. */
export interface User {
  readonly id: number
  readonly login: string
  /** What the token of a job may do, as GitHub names it; on GitLab `api` or `read_api`. */
  readonly permissions: Permissions
}

export type Permissions = Readonly<Record<string, 'read' | 'write'>>

export interface Pull {
  readonly id: number
  readonly number: number
  readonly branch: string
  isFork: boolean
  head: string
  state: 'open' | 'closed' | 'merged'
  mergedAt: Date | undefined
  /** A merge commit; undefined after a fast-forward or a squash on GitLab. */
  mergeCommit: string | undefined
  squashCommit: string | undefined
  /** Its own commits when it was merged. */
  own: readonly string[]
  /** Its own commits, and those that its merge added to the branch. */
  commits: readonly string[]
  readonly comments: Comment[]
  updatedAt: Date
}

export interface Run {
  readonly id: number
  readonly workflow: string
  readonly event: 'push' | 'pull_request' | 'schedule' | 'manual' | 'merge_group'
  /** The commit that it is about. */
  readonly commit: string
  /** The commit that its jobs check out: of a pull request on GitHub, a merge with its target. */
  readonly checkout: string
  readonly branch: string
  /** True for a run of a tag of that name. */
  readonly isTag?: boolean
  readonly pull: Pull | undefined
  readonly createdAt: Date
  /** The jobs that make artifacts, of all attempts, the oldest first. */
  readonly jobs: Job[]
}

export interface Job {
  readonly id: number
  readonly attempt: number
  readonly name: string
  readonly startedAt: Date
  endedAt: Date | undefined
  /** How it ended; default: with success. */
  status?: 'failed' | 'canceled'
  readonly artifacts: StoredArtifact[]
}

export interface StoredArtifact {
  readonly id: number
  readonly name: string
  readonly createdAt: Date
  readonly archive: Buffer
  isExpired: boolean
  /** The size that the forge states; default: the true one. */
  size?: number
  /** True if its download never ends. */
  isEndless?: boolean
}

export interface Comment {
  readonly id: number
  readonly author: User
  body: string
}

export interface StoredIssue {
  readonly id: number
  readonly number: number
  readonly author: User
  readonly title: string
  body: string
  state: 'open' | 'closed'
}

/** A forge in memory, over a bare repository; both dialects render it. */
export class ForgeState {
  readonly repository: BareRepository
  readonly pulls: Pull[] = []
  readonly runs: Run[] = []
  readonly issues: StoredIssue[] = []
  readonly users = new Map<string, User>()
  #last = 1000
  #now = Date.now() - 3_600_000

  constructor(files: Files) {
    this.repository = new BareRepository(files)
  }

  nextId(): number {
    this.#last += 1
    return this.#last
  }

  /** The time of an event: a second after the one before. */
  tick(): Date {
    this.#now += 1000
    return new Date(this.#now)
  }

  /** A new token of the user whose jobs these are. */
  tokenOf(login: string, permissions: Permissions): string {
    const token = `planted-${login.replace(/\W/g, '')}-${randomUUID()}`
    this.users.set(token, { id: 1, login, permissions })
    return token
  }

  pull(number: number): Pull | undefined {
    return this.pulls.find(each => each.number === number)
  }

  issue(number: number): StoredIssue | undefined {
    return this.issues.find(each => each.number === number)
  }

  run(id: number): Run | undefined {
    return this.runs.find(each => each.id === id)
  }

  artifact(id: number): StoredArtifact | undefined {
    const jobs = this.runs.flatMap(run => run.jobs)
    return jobs.flatMap(job => job.artifacts).find(artifact => artifact.id === id)
  }

  addComment(comments: Comment[], author: User, body: string): Comment {
    const comment = { id: this.nextId(), author, body }
    comments.push(comment)
    return comment
  }

  addIssue(issue: Pick<StoredIssue, 'author' | 'title' | 'body'>) {
    const id = this.nextId()
    const added: StoredIssue = { ...issue, id, number: id, state: 'open' }
    this.issues.push(added)
    return added
  }

  addPull(pull: Pick<Pull, 'branch' | 'head'>): Pull {
    const id = this.nextId()
    const added: Pull = {
      ...pull,
      id,
      number: id,
      isFork: false,
      state: 'open',
      mergedAt: undefined,
      mergeCommit: undefined,
      squashCommit: undefined,
      commits: [],
      own: [],
      comments: [],
      updatedAt: this.tick()
    }
    this.pulls.push(added)
    return added
  }
}
