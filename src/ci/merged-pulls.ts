import { lowest } from '../core/values/collections.ts'
import { isSameJson } from '../core/values/value.ts'
import { type Job, parseResult } from './command.ts'
import type { MergedPull } from './forge.ts'
import { ForgeError } from './forge-json.ts'
import { type History, isUnusable } from './history.ts'
import type { Line, Permission } from './permissions.ts'

export interface Candidates extends Pick<Line, 'open' | 'missing'> {
  /** True if a pull request was merged with a plan. */
  readonly isPlanned: boolean
  /** Merges and pushes that permit nothing, in words. */
  readonly without: readonly string[]
  readonly problem: string | undefined
}

export const DAY = 24 * 60 * 60 * 1000

/**
 * The permissions that the run before left open, and those of the plans of pull requests that were merged since, without a
 * run before of the tip alone, or that it missed. Only commits that changed the fleet are looked up. One that is missing for
 * a day is a push without a plan.
 */
export async function candidatesOf(
  job: Job,
  history: History,
  former: Line | undefined
): Promise<Candidates> {
  const { commits, places } = history
  const { since = commits[1]?.sha, open: left = [], missing: missed = [] } = former ?? {}
  const known = new Map(missed.map(each => [each.commit, each.since]))
  const asked = [...known.keys()].filter(sha => places.has(sha))
  // The first commit of a repository is no merge.
  const touched = since === undefined ? [] : await touching(job, `${since}..HEAD`)
  const wanted = new Set([...touched, ...asked])
  const { found, problem } = await mergesOf(job, history, wanted)
  const open = left.filter(({ merge }) => places.has(merge))
  const absent: string[] = []
  const unanswered = new Map<string, string>()
  let isPlanned = false
  for (const { pull, place } of found) {
    const merge = commits[place]?.sha ?? ''
    const { number } = pull
    try {
      const count = await commitCount(job, history, pull, place)
      const own = commits.slice(place, place + count).filter(({ sha }) => wanted.has(sha))
      if (own.length === 0) continue
      const base = commits[place + count]?.sha ?? merge
      const plan = await planOf(job, pull)
      for (const { sha } of own) wanted.delete(sha)
      if (typeof plan === 'string') absent.push(`#${number}: ${plan}`)
      else for (const each of plan) open.push({ ...each, pull: number, merge, base, why: 'new' })
      isPlanned ||= typeof plan !== 'string'
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error
      if (!wanted.has(merge)) continue
      unanswered.set(merge, `#${number}: ${error.message}; the next run asks again`)
    }
  }
  const now = job.now()
  const missing = [...wanted].map(commit => {
    return { commit, since: known.get(commit) ?? now.toISOString() }
  })
  const isOver = (since: string) => now.getTime() - Date.parse(since) > DAY
  const placeOf = ({ merge }: { readonly merge: string }) => places.get(merge) ?? 0
  return {
    ...{ isPlanned, problem },
    // The oldest merge first: the waves of its first parent hold.
    open: open.sort((a, b) => placeOf(b) - placeOf(a)),
    missing: missing.filter(each => !isOver(each.since)),
    without: [
      ...[...absent, ...unanswered.values()],
      ...missing.flatMap(({ commit, since }) => {
        const shown = `\`${commit.slice(0, 7)}\``
        if (isOver(since)) return `${shown}: pushed without a pull request`
        return unanswered.has(commit) ? [] : `${shown}: the forge lists no pull request for it yet`
      }),
      ...left
        .filter(({ merge }) => !places.has(merge))
        .map(({ pull, address }) => `#${pull}: ${address}: its merge is no longer on the branch`)
    ]
  }
}

async function touching({ git, fleet }: Job, range: string): Promise<readonly string[]> {
  const under = fleet.replace(/^(?:\.\/)+|\/+$/g, '')
  const top = under === '' || under === '.' ? '' : `${under}/`
  const files = ['*.yaml', '*.yml', '.wlanctlignore'].map(file => `:(glob)${top}**/${file}`)
  const paths = ['--', ...files, `:(exclude,glob)${top}**/.*/**`]
  const { stdout } = await git(['rev-list', '--first-parent', range, ...paths])
  return stdout.toString().split('\n').filter(Boolean)
}

/** The pull requests that were merged about when commits were made, and the places of their merges; the oldest first. */
async function mergesOf({ forge }: Job, { commits, places }: History, wanted: ReadonlySet<string>) {
  const found: { readonly pull: MergedPull; readonly place: number }[] = []
  if (wanted.size === 0) return { found, problem: undefined }
  const committed = [...wanted].map(sha => commits[places.get(sha) ?? 0]?.committed ?? 0)
  const oldest = new Date(lowest(committed) * 1000 - DAY)
  let problem: string | undefined
  try {
    for await (const pull of forge.mergedSince(oldest)) {
      const place = pull.commits.map(sha => places.get(sha)).find(at => at !== undefined)
      if (place !== undefined) found.push({ pull, place })
    }
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    problem = error.message
  }
  return { found: found.sort((a, b) => b.place - a.place), problem }
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

async function planOf(
  { forge, name }: Job,
  pull: MergedPull
): Promise<readonly Permission[] | string> {
  if (pull.isFork) return 'it comes from a fork, whose plans permit nothing'
  const artifact = await forge.planOf(pull, name)
  if (artifact === undefined) return 'no plan of its last commit was made before the merge'
  try {
    const texts = await artifact.read(['result.json'])
    const result = parseResult(texts.get('result.json') ?? '')
    const { pull: about, permits, verdict } = result
    const isOurs = result.command === 'plan' && result.name === name
    const isOwn = about?.number === pull.number && about.target === forge.run.defaultBranch
    if (!isOurs || !isOwn) return 'its plan is of another pull request'
    return permits ?? `its plan permits nothing: ${verdict}`
  } catch (error) {
    if (!isUnusable(error)) throw error
    return `its plan is not usable: ${error.message}`
  }
}
