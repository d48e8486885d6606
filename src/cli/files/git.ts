import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import type { Revision } from '../../config/since/base.ts'
import { exit, Failure } from '../../model/failure.ts'
import type { Io } from '../io.ts'

/** Git's objects are read and nothing else: what a checkout may have been prepared to do, is not done. */
const manner = [
  '--no-pager',
  '--no-replace-objects',
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit'].flatMap(
    setting => ['-c', setting]
  )
]

/** What git sees of the environment: how to find itself and its settings, and no secret of the run. */
const passed =
  /^(?:PATH|HOME|XDG_CONFIG_HOME|SYSTEMROOT|USERPROFILE|GIT_CONFIG_.*|GIT_CEILING_DIRECTORIES)$/i

/** Git fetches, prompts and traces nothing, and writes English. */
const settled = {
  GIT_NO_LAZY_FETCH: '1',
  // For a git that does not know the former: no protocol has this name.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C'
}

/** All that git may answer, in bytes. */
const MOST = 256 * 1024 * 1024

/**
 * The files of a fleet as a commit has them, by what git has stored: no checkout, index or setting is
 * touched. `fleet` is a directory of a repository that is there. Links and submodules are not followed.
 * Rejects with a `Failure` (exit 3) if git fails.
 */
export async function revisionOf(name: string, fleet: string, io: Io): Promise<Revision> {
  const git = gitIn(resolve(io.cwd, fleet), io)
  const commit = await commitOf(name, git)
  const listed = await git(['ls-tree', '-r', '-z', commit])
  if (listed.code !== 0) throw lacking(name, listed)
  return {
    name,
    files: filesIn(listed.stdout.toString()),
    async read(ids) {
      if (ids.length === 0) return new Map()
      const answer = await git(['cat-file', '--batch'], `${ids.join('\n')}\n`)
      const contents = contentsIn(answer.stdout)
      if (answer.code !== 0 || contents.size < ids.length) throw lacking(name, answer)
      return contents
    }
  }
}

/** What a call of git came to. */
export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  /** The first line of stderr. */
  readonly reason: string
}

/** Calls git; rejects with a `Failure` if there is none. */
export type Git = (words: readonly string[], input?: string) => Promise<GitOutput>

/** Git in a directory, safe in an untrusted checkout. */
export function gitIn(cwd: string, { env, interrupted }: Io): Git {
  const entries = Object.entries(env).filter(([name]) => passed.test(name))
  const options = {
    cwd,
    env: { ...Object.fromEntries(entries), ...settled },
    encoding: 'buffer',
    maxBuffer: MOST,
    signal: interrupted
  } as const
  return (words, input = '') =>
    new Promise((answer, reject) => {
      const child = execFile('git', [...manner, ...words], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code
        if (typeof code === 'number') answer({ code, stdout, reason: reasonIn(stderr) })
        else reject(interrupted.aborted ? error : unable(code ?? undefined))
      })
      // A git that ends early leaves the rest unread; its exit code is the result.
      child.stdin?.on('error', () => undefined).end(input)
    })
}

/** Git could not be started, was ended, or wrote too much. */
function unable(code = 'it was ended'): Failure {
  const isMissing = code === 'ENOENT'
  return new Failure(
    exit.wrongInput,
    isMissing
      ? 'a revision needs git, and there is no program of that name'
      : `git could not do its work: ${code}`,
    isMissing ? 'install git, or narrow the run with --site' : 'narrow the run with --site'
  )
}

/** The commit that a revision names. A name is data: it is no option of git's, whatever it begins with. */
async function commitOf(name: string, git: Git): Promise<string> {
  if (/^$|^-|[\0-\x1f\x7f]/.test(name)) throw unknown(name, 'name a branch, a tag or a commit')
  await refuseAmbiguous(name, git)
  const { code, stdout } = await git([
    'rev-parse',
    '--verify',
    '--end-of-options',
    `${name}^{commit}`
  ])
  const commit = stdout.toString().trim()
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

/**
 * Throws where a name stands for several things: git would take one of them, such as a tag
 * named `origin/main`.
 */
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
  throw new Failure(
    exit.wrongInput,
    `the revision ${JSON.stringify(name)} is ambiguous: ${candidates.join(' and ')}`,
    'give the full name of the one you mean, such as `refs/remotes/origin/main`'
  )
}

function unknown(name: string, hint: string): Failure {
  return new Failure(exit.wrongInput, `git knows no commit ${JSON.stringify(name)} here`, hint)
}

function outside({ reason }: GitOutput): Failure {
  return new Failure(
    exit.wrongInput,
    `git does not read the repository of the fleet: ${reason}`,
    'the fleet has to be in the checkout of a repository that git trusts (see `safe.directory` in git help config)'
  )
}

/** The commit is there, and not all that it holds. */
function lacking(name: string, { reason }: GitOutput): Failure {
  return new Failure(
    exit.wrongInput,
    `the clone does not have all files of ${JSON.stringify(name)}${reason && `: ${reason}`}`,
    'fetch them: clone without --filter, and with its history (`fetch-depth: 0` for actions/checkout)'
  )
}

function reasonIn(stderr: Buffer): string {
  const [line = ''] = stderr.toString('utf8').split('\n')
  return line.replace(/^(?:fatal|error): /, '').slice(0, 300)
}

/** Plain files of `ls-tree -z`, by path: `100644 blob <id>\t<path>`, each with a zero byte behind it. */
function filesIn(listing: string): Map<string, string> {
  const lines = listing.split('\0').flatMap(line => {
    const [, id, path] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
    return id === undefined || path === undefined ? [] : [[path, id] as const]
  })
  return new Map(lines)
}

/** What `cat-file --batch` answers, by id: `<id> blob <bytes>\n`, the bytes, `\n`; or `<id> missing\n`. */
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
