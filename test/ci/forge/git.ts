import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitEnv } from '../../support/git.ts'
import { folder } from '../../support/program.ts'

/** Texts of files by path; null deletes a file. */
export type Files = Readonly<Record<string, string | null>>

/** How a forge merges a pull request. */
export type MergeMethod = 'merge' | 'squash' | 'rebase'

interface Import {
  readonly parent?: string
  readonly files: Files
  readonly message: string
}

/** The bare repository of a forge. Its references are loose, so they are read and written without git. */
export class BareRepository {
  readonly path = join(folder(), 'repository.git')
  #seconds = Math.floor(Date.now() / 1000) - 3_600

  constructor(files: Files) {
    this.#run(['init', '--quiet', '--bare', '--template=', '--initial-branch=main', this.path])
    this.setBranch('main', this.#import({ files, message: 'Begin' }))
  }

  readonly #known = new Map<string, string>()

  /** The output of git about commits, which never changes. */
  #about(...words: readonly string[]): string {
    const key = words.join(' ')
    const known = this.#known.get(key) ?? this.#run(['-C', this.path, ...words])
    this.#known.set(key, known)
    return known
  }

  #run(words: readonly string[], input?: string, authored = this.#seconds): string {
    const { PATH, HOME } = process.env
    const dates = {
      GIT_AUTHOR_DATE: `${authored} +0000`,
      GIT_COMMITTER_DATE: `${this.#seconds} +0000`
    }
    const env = { PATH, HOME, ...gitEnv, ...dates }
    return execFileSync('git', words, { env, encoding: 'utf8', stdio: 'pipe', input }).trim()
  }

  tip(branch: string): string {
    return readFileSync(join(this.path, 'refs/heads', branch), 'utf8').trim()
  }

  setBranch(branch: string, sha: string): void {
    this.setReference(`refs/heads/${branch}`, sha)
  }

  setReference(name: string, sha: string): void {
    write(join(this.path, name), `${sha}\n`)
  }

  /** A commit as an object of Git, each with a later date than the one before. */
  commit(tree: string, parents: readonly string[], message: string, authored?: number): string {
    this.#seconds += 1
    const of = parents.flatMap(parent => ['-p', parent])
    const words = ['-C', this.path, 'commit-tree', tree, ...of, '-m', message]
    return this.#run(words, undefined, authored)
  }

  /** Commits changes of files on top of a commit. */
  change(parent: string, files: Files, message: string): string {
    return this.#import({ parent, files, message })
  }

  /** Makes a commit in one process, whatever the number of its files. */
  #import({ parent, files, message }: Import): string {
    this.#seconds += 1
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
    const changes = Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`
    )
    const input = [
      'commit refs/test/import\nmark :1\n',
      `committer Test <test@example.com> ${this.#seconds} +0000\n`,
      data(message),
      ...(parent === undefined ? [] : [`from ${parent}\n`]),
      ...[...changes, 'get-mark :1\n']
    ]
    const words = ['-C', this.path, 'fast-import', '--quiet', '--force']
    return this.#run(words, input.join(''))
  }

  parents(commit: string): readonly string[] {
    return this.#about('rev-list', '--parents', '-n', '1', commit).split(' ').slice(1)
  }

  message(commit: string): string {
    return this.#about('show', '--no-patch', '--format=%B', commit).trim()
  }

  /** When a commit was written, in seconds since 1970. */
  authored(commit: string): number {
    return Number(this.#about('show', '--no-patch', '--format=%at', commit))
  }

  /** The commits of `to` that `from` does not have, the oldest first. */
  between(from: string, to: string): readonly string[] {
    return this.#about('rev-list', '--reverse', `${from}..${to}`).split('\n').filter(Boolean)
  }

  mergeBase(one: string, other: string): string {
    return this.#about('merge-base', one, other)
  }

  isAncestor(ancestor: string, commit: string): boolean {
    return this.mergeBase(ancestor, commit) === ancestor
  }

  /** The commits with which a forge merges `head` into `target`; the last one becomes the tip of the branch. */
  merge(target: string, head: string, method: MergeMethod, title: string): readonly string[] {
    if (method === 'rebase') {
      let tip = target
      return this.between(target, head).map(each => {
        // The base of the merge of a single commit is its parent.
        const ours = this.commit(`${tip}^{tree}`, this.parents(each), 'For the merge')
        tip = this.commit(
          this.mergedTree(ours, each),
          [tip],
          this.message(each),
          this.authored(each)
        )
        return tip
      })
    }
    const parents = method === 'merge' ? [target, head] : [target]
    return [this.commit(this.mergedTree(target, head), parents, title)]
  }

  /** The tree of a merge. Throws if there are conflicts. */
  mergedTree(ours: string, theirs: string): string {
    return this.#about('merge-tree', '--write-tree', ours, theirs)
  }

  /** A clone with this commit checked out, as in a job with the whole history; made by hand, as git needs five processes. */
  checkout(commit: string): string {
    const clone = join(folder(), 'checkout')
    const git = join(clone, '.git')
    write(join(git, 'HEAD'), `${commit}\n`)
    write(join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n')
    write(join(git, 'objects/info/alternates'), `${join(this.path, 'objects')}\n`)
    cpSync(join(this.path, 'refs/heads'), join(git, 'refs/remotes/origin'), { recursive: true })
    this.#run(['-C', clone, 'checkout', '--quiet', '--detach', commit])
    return clone
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
