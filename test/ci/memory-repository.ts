import { createHash } from 'node:crypto'
import { wrongInput } from '../../src/core/model/failure.ts'
import type { Texts } from './fleet.ts'

interface Commit {
  readonly parents: readonly string[]
  readonly files: Texts
  readonly seconds: number
}

/** The commits of a repository in memory. */
export class Repository {
  readonly #commits = new Map<string, Commit>()
  main: string

  constructor(files: Texts) {
    this.main = this.commit([], files)
  }

  /** A commit with these files on top of those of its first parent; returns its hash. */
  commit(parents: readonly string[], files: Texts): string {
    const seconds = Math.floor(Date.now() / 1000) - 3_600 + this.#commits.size
    const sha = createHash('sha1').update(`${seconds}`).digest('hex')
    const [first] = parents
    const whole = { ...(first !== undefined && this.files(first)), ...files }
    this.#commits.set(sha, { parents, files: whole, seconds })
    return sha
  }

  #at(sha: string): Commit {
    const found = this.#commits.get(sha)
    if (found === undefined) throw wrongInput(`git knows no commit "${sha}"`)
    return found
  }

  files(sha: string): Texts {
    return this.#at(sha).files
  }

  line(sha: string): string[] {
    const [first] = this.#at(sha).parents
    return [sha, ...(first === undefined ? [] : this.line(first))]
  }

  /** The files of the fleet at a commit, as git gives them. */
  revision(sha: string) {
    const files = Object.entries(this.files(sha)).filter(([path]) => path.startsWith('fleet/'))
    const byPath = new Map(files.map(([path, text]) => [path.slice('fleet/'.length), text]))
    return {
      name: sha,
      files: new Map([...byPath.keys()].map(path => [path, path])),
      read: async (ids: readonly string[]) =>
        new Map(ids.map(id => [id, Buffer.from(byPath.get(id) ?? '')]))
    }
  }

  /** What git prints for the commands of `ci` in a checkout of a commit. */
  git(head: string, [command, ...words]: readonly string[]): string {
    if (command === 'log') {
      const lineOf = (sha: string) => {
        const { parents, seconds } = this.#at(sha)
        return [sha, parents.join(' '), seconds, `${seconds} Change`].join('\0')
      }
      return this.line(head).map(lineOf).join('\n')
    }
    if (command === 'rev-parse') return 'false'
    if (words[0] === '--parents') return [head, ...this.#at(head).parents].join(' ')
    const [since = ''] = words[1]?.split('..') ?? []
    const line = this.line(head)
    const isTouching = (sha: string) => {
      const { files, parents } = this.#at(sha)
      const before = this.files(parents[0] ?? '')
      return Object.keys(files).some(path => /^fleet/.test(path) && files[path] !== before[path])
    }
    return line.slice(0, line.indexOf(since)).filter(isTouching).join('\n')
  }
}
