import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import type { Revision } from '../../fleet/since/revision.ts'
import type { Io } from '../terminal/io.ts'

/** Git reads objects only, without hooks, filters and settings of an untrusted checkout. */
const gitOptions = [
  '--no-pager',
  '--no-replace-objects',
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit'].flatMap(
    setting => ['-c', setting]
  )
]

/** The environment variables for git: those that locate it and its settings, but no secret of the run. */
const passedVariables =
  /^(?:PATH|HOME|XDG_CONFIG_HOME|SYSTEMROOT|USERPROFILE|GIT_CONFIG_.*|GIT_CEILING_DIRECTORIES)$/i

/** Settings with which git neither fetches, prompts nor traces, and prints English messages. */
const gitEnvironment = {
  GIT_NO_LAZY_FETCH: '1',
  // For a git that does not know the variable above: no protocol has this name.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C'
}

/** The digits that are shown of a full hash. */
const HASH = 12

/** The maximum output of git in bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024

/**
 * Reads the files of a fleet at a commit from the objects of git, without a checkout, index or setting.
 * `fleet` is an existing directory of a repository. Links and submodules are not followed. Rejects with a
 * `Failure` (exit 3) if git fails.
 */
export async function revisionOf(name: string, fleet: string, io: Io): Promise<Revision> {
  const git = gitIn(resolve(io.cwd, fleet), io)
  const isHash = /^[0-9a-f]{40,64}$/.test(name)
  const shown = isHash ? name.slice(0, HASH) : name
  const listed = await git(['ls-tree', '-r', '-z', await commitOf(name, git)])
  if (listed.code !== 0) throw lacking(shown, listed)
  return {
    name: shown,
    files: filesIn(listed.stdout.toString()),
    read: ids => contentsOf(ids, shown, git)
  }
}

async function contentsOf(
  ids: readonly string[],
  name: string,
  git: Git
): Promise<ReadonlyMap<string, Buffer>> {
  if (ids.length === 0) return new Map()
  const answer = await git(['cat-file', '--batch'], `${ids.join('\n')}\n`)
  const contents = contentsIn(answer.stdout)
  if (answer.code !== 0 || contents.size < new Set(ids).size) throw lacking(name, answer)
  return contents
}

export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  readonly reason: string
}

/** Runs git; rejects with a `Failure` if it is not installed. */
export type Git = (words: readonly string[], input?: string) => Promise<GitOutput>

/** Runs git in a directory, which is safe in an untrusted checkout. */
export function gitIn(cwd: string, { env, interrupted }: Io): Git {
  const entries = Object.entries(env).filter(([name]) => passedVariables.test(name))
  const options = {
    cwd,
    env: { ...Object.fromEntries(entries), ...gitEnvironment },
    encoding: 'buffer',
    maxBuffer: MAX_OUTPUT,
    signal: interrupted
  } as const
  return (words, input = '') =>
    new Promise((answer, reject) => {
      const child = execFile('git', [...gitOptions, ...words], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code
        if (typeof code === 'number') answer({ code, stdout, reason: reasonIn(stderr) })
        else reject(interrupted.aborted ? error : unable(code ?? undefined))
      })
      // If git exits early, it does not read the rest; its exit code is the result.
      child.stdin?.on('error', () => undefined).end(input)
    })
}

function unable(code = 'it was ended'): Failure {
  const isMissing = code === 'ENOENT'
  return wrongInput(
    isMissing
      ? 'a revision needs git, and there is no program of that name'
      : `git could not do its work: ${code}`,
    isMissing ? 'install git' : 'narrow the run with --site'
  )
}

/** Undefined outside of a repository, where it starts no process, and if there is no git. */
export async function checkedOutCommit(directory: string, io: Io): Promise<string | undefined> {
  const folder = await realpath(resolve(io.cwd, directory)).catch(() => undefined)
  if (folder === undefined || !isInCheckout(folder)) return undefined
  const git = gitIn(folder, io)
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => ({
    code: 1,
    stdout: ''
  }))
  return code === 0 ? stdout.toString().trim() : undefined
}

function isInCheckout(folder: string): boolean {
  const above = dirname(folder)
  return existsSync(join(folder, '.git')) || (above !== folder && isInCheckout(above))
}

/**
 * The branch of `origin`, else a usual one there, else, without a remote, the current one.
 * Undefined outside of a repository.
 */
export async function defaultBranch(git: Git): Promise<string | undefined> {
  const word = async (...words: readonly string[]) => {
    const { code, stdout } = await git(words).catch(() => ({ code: 1, stdout: '' }))
    return code === 0 ? stdout.toString().trim() : ''
  }
  const remote = 'refs/remotes/origin/'
  const head = await word('symbolic-ref', '--quiet', `${remote}HEAD`)
  if (head !== '') return head.slice(remote.length)
  const refs = (await word('for-each-ref', '--format=%(refname)', remote)).split('\n')
  const usual = ['main', 'master'].find(name => refs.includes(remote + name))
  if (usual !== undefined) return usual
  const current = refs[0] === '' ? await word('symbolic-ref', '--quiet', 'HEAD') : ''
  return current.replace(/^refs\/heads\//, '') || undefined
}

/** The commit of a revision. The name is data: git never parses it as an option. */
async function commitOf(name: string, git: Git): Promise<string> {
  if (/^$|^-|[\0-\x1f\x7f]/.test(name)) throw unknown(name, 'name a branch, a tag or a commit')
  await refuseAmbiguous(name, git)
  const words = ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`]
  const { code, stdout, reason } = await git(words)
  const commit = stdout.toString().trim()
  // Git takes the oldest commit that it knows for a time before it.
  if (code === 0 && /^warning: log for /.test(reason)) {
    throw unknown(
      name,
      'the reflog is younger: give the commit, as `git rev-list -1 --before=TIME BRANCH` does'
    )
  }
  if (code === 0 && /^[0-9a-f]{40,64}$/.test(commit)) return commit
  const state = await git(['rev-parse', '--is-shallow-repository'])
  if (state.code !== 0) throw outside(state)
  throw unknown(
    name,
    state.stdout.toString().trim() === 'true'
      ? 'the clone is shallow: fetch its history (`git fetch --unshallow`; `fetch-depth: 0` for actions/checkout)'
      : 'name a branch, a tag or a commit that is here; fetch it first, and write `origin/main`'
  )
}

/** Throws for an ambiguous name: git would choose a meaning, such as a tag named `origin/main`. */
async function refuseAmbiguous(name: string, git: Git): Promise<void> {
  const [short = ''] = /^[^~^:{]*/.exec(name.replace(/@\{.*$/s, '')) ?? []
  if (short === '' || short === '@') return
  const places = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'].map(at => at + short)
  const wanted = [...places, `refs/remotes/${short}/HEAD`]
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', '--', ...wanted])
  const listed = new Set(stdout.toString().split('\n'))
  const refs = wanted.filter(ref => listed.has(ref))
  if (refs.length === 0) return
  const isHex = /^[0-9a-f]{4,64}$/i.test(short)
  const objects = isHex ? await git(['rev-parse', `--disambiguate=${short}`]) : undefined
  const object = objects?.stdout.toString().split('\n')[0] ?? ''
  const candidates = [...(short === 'HEAD' ? ['HEAD'] : []), ...refs, ...(object ? [object] : [])]
  if (candidates.length < 2) return
  throw wrongInput(
    `the revision ${JSON.stringify(name)} is ambiguous: ${candidates.join(' and ')}`,
    'give the full name of the one you mean, such as `refs/remotes/origin/main`'
  )
}

function unknown(name: string, hint: string): Failure {
  return wrongInput(`git knows no commit ${JSON.stringify(name)} here`, hint)
}

function outside({ reason }: GitOutput): Failure {
  return wrongInput(
    `git does not read this folder: ${reason}`,
    'it has to be in the checkout of a repository that git trusts (see `safe.directory` in git help config)'
  )
}

function lacking(name: string, { reason }: GitOutput): Failure {
  return wrongInput(
    `the clone does not have all files of ${JSON.stringify(name)}${reason && `: ${reason}`}`,
    'fetch them: clone without --filter, and with its history (`fetch-depth: 0` for actions/checkout)'
  )
}

function reasonIn(stderr: Buffer): string {
  const [line = ''] = stderr.toString('utf8').split('\n')
  return line.replace(/^(?:fatal|error): /, '').slice(0, 300)
}

/** Regular files of `ls-tree -z` by path: `100644 blob <id>\t<path>`, each followed by a zero byte. */
function filesIn(listing: string): Map<string, string> {
  const lines = listing.split('\0').flatMap(line => {
    const [, id, path] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
    return id === undefined || path === undefined ? [] : [[path, id] as const]
  })
  return new Map(lines)
}

/** Blobs of `cat-file --batch` by id: `<id> blob <bytes>\n`, the bytes, `\n`; or `<id> missing\n`. */
function contentsIn(answer: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>()
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf('\n', at)
    const [id = '', type, size] = answer.toString('latin1', at, end).split(' ')
    at = end + 1
    if (type !== 'blob') continue
    const bytes = Number(size)
    contents.set(id, answer.subarray(at, at + bytes))
    at += bytes + 1
  }
  return contents
}
