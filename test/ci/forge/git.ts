import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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

/** The files of new repositories, by what they begin with: git needs three processes for one. */
const beginnings = new Map<string, ReadonlyMap<string, Buffer | undefined>>()

/** The bare repository of a forge. Its references are loose, so they are read and written without git. */
export class BareRepository {
  readonly path = join(folder(), 'repository.git')
  #seconds = Math.floor(Date.now() / 1000) - 3_600

  constructor(files: Files) {
    const key = JSON.stringify(files)
    const known = beginnings.get(key)
    if (known !== undefined) {
      for (const [name, content] of known) write(join(this.path, name), content)
      return
    }
    this.#run(['init', '--quiet', '--bare', '--template=', '--initial-branch=main', this.path])
    this.setBranch('main', this.#import({ files, message: 'Begin' }))
    beginnings.set(key, this.#files())
  }

  #files(): ReadonlyMap<string, Buffer | undefined> {
    const entries = readdirSync(this.path, { recursive: true, withFileTypes: true })
    return new Map(
      entries.map(entry => {
        const file = join(entry.parentPath, entry.name)
        return [relative(this.path, file), entry.isFile() ? readFileSync(file) : undefined]
      })
    )
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

  /** Commits changes of files on top of a commit, as this number of commits. */
  change(parent: string, files: Files, message: string, count = 1): string {
    return this.#import({ parent, files, message }, count)
  }

  /** Makes commits in one process, whatever the number of their files. */
  #import({ parent, files, message }: Import, count = 1): string {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
    const changes = Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`
    )
    const commits = Array.from({ length: count }, (_, at) => {
      this.#seconds += 1
      return [
        `commit refs/test/import\nmark :${at + 1}\n`,
        `committer Test <test@example.com> ${this.#seconds} +0000\n`,
        data(message),
        ...(at > 0 ? [`from :${at}\n`] : parent === undefined ? [] : [`from ${parent}\n`]),
        ...changes
      ]
    })
    const input = [...commits.flat(), `get-mark :${count}\n`].join('')
    return this.#run(['-C', this.path, 'fast-import', '--quiet', '--force'], input)
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

  /** A clone with this commit checked out, as in a job with the whole history; made by hand, as a clone is five processes. */
  checkout(commit: string): string {
    const clone = join(folder(), 'checkout')
    const heads = readdirSync(join(this.path, 'refs/heads'), { recursive: true, encoding: 'utf8' })
    const references = heads.flatMap(name => {
      const file = join(this.path, 'refs/heads', name)
      return statSync(file).isFile()
        ? [[`refs/remotes/origin/${name}`, readFileSync(file)] as const]
        : []
    })
    const files: Readonly<Record<string, string | Buffer | undefined>> = {
      HEAD: `${commit}\n`,
      config: '[core]\n\trepositoryformatversion = 0\n\tbare = false\n',
      'objects/info/alternates': `${join(this.path, 'objects')}\n`,
      'refs/tags': undefined,
      ...Object.fromEntries(references)
    }
    for (const [name, content] of Object.entries(files)) write(join(clone, '.git', name), content)
    this.#run(['-C', clone, 'checkout', '--quiet', '--detach', commit])
    return clone
  }
}

/** Writes a file, or makes a folder. */
function write(file: string, content: string | Buffer | undefined): void {
  mkdirSync(content === undefined ? file : dirname(file), { recursive: true })
  if (content !== undefined) writeFileSync(file, content)
}
