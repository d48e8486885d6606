import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folder } from '../../support/program.ts'

export const REPOSITORY = 'acme/wifi'
export const BOT = { login: 'github-actions[bot]' }

interface User {
  readonly login: string
}

export interface Comment {
  readonly id: number
  /** The number of the pull request or issue. */
  readonly issue: number
  readonly user: User
  readonly body: string
}

export interface Issue {
  readonly number: number
  readonly state: string
  readonly user: User
  readonly title: string
  readonly body: string
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly pull_request?: object
}

export interface Pull {
  readonly number: number
  readonly merged_at: string | null
  readonly merge_commit_sha: string
  readonly head: { readonly sha: string }
  readonly base: { readonly ref: string }
}

/** A pull request that a workflow opened. */
export interface OpenedPull {
  readonly number: number
  readonly head: string
  readonly base: string
  readonly title: string
  readonly body: string
}

/** A tree as posted. */
export interface Tree {
  readonly base_tree: string
  readonly tree: readonly {
    readonly path: string
    readonly mode: string
    readonly content: string
  }[]
}

export interface Commit {
  readonly message: string
  readonly tree: { readonly sha: string }
  readonly parents: readonly { readonly sha: string }[]
}

export interface Artifact {
  readonly id: number
  readonly name: string
  readonly expired: boolean
  readonly created_at: string
  readonly workflow_run: {
    readonly id: number
    readonly repository_id: number
    readonly head_repository_id: number
    readonly head_branch: string
    readonly head_sha: string
  }
}

/** The response to some of the next calls. */
export interface Failure {
  /** Part of the call, as in `calls`. */
  readonly matching: string
  readonly times: number
  readonly problem: string
}

export interface State {
  readonly calls: string[]
  readonly failures: Failure[]
  /** The last commit of the default branch. */
  tip: string
  last: number
  readonly comments: Comment[]
  readonly issues: Issue[]
  /** By the requested commit. */
  readonly pulls: Record<string, Pull[]>
  readonly artifacts: Artifact[]
  readonly opened: OpenedPull[]
  /** The commits of branches that workflows created, by name. */
  readonly branches: Record<string, string>
  readonly commits: Record<string, Commit>
  readonly trees: Record<string, Tree>
}

/** A fake GitHub without a network: a folder with a JSON file and artifacts, and a `gh` that reads them. */
export interface GitHub {
  readonly directory: string
  /** The folder of `gh`, which precedes all others in PATH. */
  readonly bin: string
  readonly state: State
  change(alter: (state: State) => void): void
  /** Stores the existing folders and files as one artifact of a run. */
  store(name: string, paths: readonly string[], run: Artifact['workflow_run']): void
  /** Shortens the delays of scripts. */
  quicken(): void
  /** Deletes an artifact of a run, if it exists. */
  remove(name: string, run: Artifact['workflow_run']): void
}

export function github(): GitHub {
  const directory = folder()
  const bin = join(directory, 'bin')
  const file = join(directory, 'state.json')
  const gh = fileURLToPath(new URL('./gh.js', import.meta.url))
  mkdirSync(bin)
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\nexec '${process.execPath}' '${gh}' "$@"\n`)
  chmodSync(join(bin, 'gh'), 0o755)
  const empty: State = {
    calls: [],
    failures: [],
    tip: '',
    last: 100,
    comments: [],
    issues: [],
    pulls: {},
    artifacts: [],
    opened: [],
    branches: {},
    commits: {},
    trees: {}
  }
  writeFileSync(file, JSON.stringify(empty))
  const read = (): State => JSON.parse(readFileSync(file, 'utf8'))
  const change: GitHub['change'] = alter => {
    const state = read()
    alter(state)
    writeFileSync(file, JSON.stringify(state))
  }
  return {
    directory,
    bin,
    get state() {
      return read()
    },
    change,
    quicken() {
      writeFileSync(join(bin, 'sleep'), '#!/bin/sh\n')
      chmodSync(join(bin, 'sleep'), 0o755)
    },
    remove(name, run) {
      rmSync(join(directory, 'artifacts', String(run.id), name), { recursive: true, force: true })
      change(state => {
        const isIt = (each: Artifact) => each.name === name && each.workflow_run.id === run.id
        const at = state.artifacts.findIndex(isIt)
        if (at >= 0) state.artifacts.splice(at, 1)
      })
    },
    store(name, paths, run) {
      const found = paths.filter(path => existsSync(path))
      if (found.length === 0) return
      const to = join(directory, 'artifacts', String(run.id), name)
      for (const path of found) {
        const inside = statSync(path).isFile() ? join(to, basename(path)) : to
        cpSync(path, inside, { recursive: true })
      }
      change(state => {
        const id = ++state.last
        const created_at = new Date(id * 1000).toISOString()
        state.artifacts.push({ id, name, expired: false, created_at, workflow_run: run })
      })
    }
  }
}
