import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import { type Job, parseResult } from './command.ts'
import type { CiCommand } from './forge.ts'
import type { Line } from './permissions.ts'

interface Commit {
  readonly sha: string
  readonly parents: number
  readonly committed: number
  readonly key: string
}

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
export function isUnusable(error: unknown): error is Failure {
  return error instanceof Failure && error.exitCode === exit.wrongInput
}

/** The line that the newest apply of this fleet left; undefined if there is none. */
export async function formerLine(job: Job, history: History): Promise<Line | undefined> {
  const found = await newestResult(job, 'apply', history)
  const { since, open, missing } = found?.result ?? {}
  if (since === undefined || open === undefined || !history.places.has(since)) return undefined
  return { since, open, missing: missing ?? [] }
}
