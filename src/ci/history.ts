import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import { lowest } from '../core/values/collections.ts'
import { isSameJson } from '../core/values/value.ts'
import { type Job, parseResult } from './command.ts'
import type { CiCommand, MergedPull } from './forge.ts'
import { ForgeError } from './forge-json.ts'
import { DAY, type Line, type Merged, type Planned } from './permissions.ts'

interface Commit {
  readonly sha: string
  readonly parents: number
  readonly committed: number
  /** As of `Forge.commitsOf`. */
  readonly key: string
}

/** The first parents of the commit of a job, itself first. */
export interface History {
  readonly commits: readonly Commit[]
  readonly places: ReadonlyMap<string, number>
}

const MAX_COMMITS = 5000

/** Reads the branch. Throws (exit 3) unless the checkout is the commit of the job, with its history. */
export async function readHistory({ git, forge }: Job): Promise<History> {
  const format = '--format=%H%x00%P%x00%ct%x00%at %s'
  const log = ['log', '--first-parent', `--max-count=${MAX_COMMITS}`, format, 'HEAD', '--']
  const { code, stdout, reason } = await git(log)
  if (code !== 0) throw wrongInput(`git cannot read the history of the checkout: ${reason}`)
  const commits = stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line): Commit => {
      const [sha = '', parents = '', committed, key = ''] = line.split('\0')
      return { sha, parents: parents.split(' ').length, committed: Number(committed), key }
    })
  if (commits[0]?.sha !== forge.run.commit) {
    throw wrongInput(
      `the checkout is of ${commits[0]?.sha}, and this run is of ${forge.run.commit}; nothing was sent`
    )
  }
  const shallow = await git(['rev-parse', '--is-shallow-repository'])
  if (shallow.stdout.toString().trim() === 'true') {
    throw wrongInput(
      'the clone is shallow; nothing was sent',
      'check out the whole history: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` on GitLab'
    )
  }
  return { commits, places: new Map(commits.map(({ sha }, place) => [sha, place])) }
}

/** The results that are tried: damaged ones give way to those before. */
const MAX_TRIED = 10

/** The newest usable result of a command; undefined if there is none. Throws if the forge does not say. */
export async function newestResult(
  { forge, name, log }: Job,
  of: CiCommand,
  { places }: History,
  files: readonly string[] = []
) {
  let tried = 0
  for await (const artifact of forge.results(of, name, new Set(places.keys()))) {
    try {
      const texts = await artifact.read(['result.json', ...files])
      const result = parseResult(texts.get('result.json') ?? '')
      if (result.command === of && result.name === name) return { result, texts }
    } catch (error) {
      if (!isUnusable(error)) throw error
      await log(`the result of ${artifact.url} is not used: ${error.message}`)
    }
    tried += 1
    if (tried === MAX_TRIED) return undefined
  }
  return undefined
}

/** True for an artifact that is damaged, and false if the forge does not give it, or the run was interrupted. */
function isUnusable(error: unknown): error is Failure {
  return error instanceof Failure && error.exitCode === exit.wrongInput
}

/** The line that the newest apply of this fleet left; undefined if there is none. */
export async function formerLine(job: Job, history: History): Promise<Line | undefined> {
  const found = await newestResult(job, 'apply', history)
  const { since, open, missing } = found?.result ?? {}
  if (since === undefined || open === undefined || !history.places.has(since)) return undefined
  return { since, open, missing: missing ?? [] }
}

/** Those of the first parents in a range that changed files of the fleet, the newest first. */
async function touching({ git, fleet }: Job, range: string): Promise<readonly string[]> {
  const under = fleet.replace(/^(?:\.\/)+|\/+$/g, '')
  const top = under === '' || under === '.' ? '' : `${under}/`
  const files = ['*.yaml', '*.yml', '.wlanctlignore'].map(file => `:(glob)${top}**/${file}`)
  const paths = ['--', ...files, `:(exclude,glob)${top}**/.*/**`]
  const { stdout } = await git(['rev-list', '--first-parent', range, ...paths])
  return stdout.toString().split('\n').filter(Boolean)
}

/** What was merged since a commit, and what no pull request explains. */
export interface MergedSince {
  readonly merged: readonly Merged[]
  readonly unexplained: readonly string[]
  /** Why the forge did not list the pull requests. */
  readonly problem?: string
}

/**
 * Looks up the pull requests of the commits after `since` that changed the fleet, without it of the tip alone, and of those
 * that an earlier run missed; and their plans.
 */
export async function mergedSince(
  job: Job,
  history: History,
  former: Line | undefined
): Promise<MergedSince> {
  const { commits, places } = history
  const since = former?.since ?? commits[1]?.sha
  // The first commit of a repository is no merge.
  if (since === undefined) return { merged: [], unexplained: [] }
  const known = (former?.missing ?? []).map(({ commit }) => commit).filter(sha => places.has(sha))
  const wanted = new Set([...(await touching(job, `${since}..HEAD`)), ...known])
  if (wanted.size === 0) return { merged: [], unexplained: [] }
  const committed = [...wanted].map(sha => commits[places.get(sha) ?? 0]?.committed ?? 0)
  const oldest = new Date(lowest(committed) * 1000 - DAY)
  const found: { readonly pull: MergedPull; readonly place: number }[] = []
  let problem: string | undefined
  try {
    for await (const pull of job.forge.mergedSince(oldest)) {
      const sha = pull.commits.find(each => places.has(each))
      if (sha !== undefined) found.push({ pull, place: places.get(sha) ?? 0 })
    }
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    problem = error.message
  }
  const merged: Merged[] = []
  // The oldest first.
  for (const { pull, place } of found.sort((a, b) => b.place - a.place)) {
    const merge = commits[place]?.sha ?? ''
    const { number } = pull
    try {
      const count = await commitCount(job, history, pull, place)
      const own = commits.slice(place, place + count).filter(({ sha }) => wanted.has(sha))
      if (own.length === 0) continue
      const base = commits[place + count]?.sha ?? merge
      merged.push({ pull: number, merge, base, ...(await planOf(job, pull)) })
      for (const { sha } of own) wanted.delete(sha)
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error
      if (!wanted.delete(merge)) continue
      merged.push({ pull: number, merge, base: merge, unanswered: error.message })
    }
  }
  const unexplained = [...wanted]
  return { merged, unexplained, ...(problem !== undefined && { problem }) }
}

/** The number of first parents that a pull request brought: one, or after a rebase as many as it had. */
async function commitCount(
  { forge }: Job,
  { commits }: History,
  pull: MergedPull,
  place: number
): Promise<number> {
  const merge = commits[place]
  if (merge === undefined || merge.parents > 1) return 1
  const own = await forge.commitsOf(pull)
  const brought = commits.slice(place, place + own.length).map(({ key }) => key)
  const isRebased = isSameJson([...own].sort(), brought.sort())
  return isRebased ? Math.max(1, own.length) : 1
}

/** What the newest plan of a pull request permits, or why it permits nothing. */
async function planOf({ forge, name }: Job, pull: MergedPull): Promise<Planned> {
  if (pull.isFork) return { absent: 'it comes from a fork, whose plans permit nothing' }
  const artifact = await forge.planOf(pull, name)
  if (artifact === undefined) {
    return { absent: 'no plan of its last commit was made before the merge' }
  }
  try {
    const texts = await artifact.read(['result.json'])
    const result = parseResult(texts.get('result.json') ?? '')
    const { pull: about, permits, verdict } = result
    const isOurs = result.command === 'plan' && result.name === name
    const isOwn = about?.number === pull.number && about.target === forge.run.defaultBranch
    if (!isOurs || !isOwn) return { absent: 'its plan is of another pull request' }
    return permits ? { permits } : { absent: `its plan permits nothing: ${verdict}` }
  } catch (error) {
    if (!isUnusable(error)) throw error
    return { absent: `its plan is not usable: ${error.message}` }
  }
}
