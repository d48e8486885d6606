import { join } from 'node:path'
import { exit, worst } from '../../core/model/failure.ts'
import type { Plan } from '../../core/model/plan.ts'
import { shownEffects } from '../../core/plan/effects/escalation.ts'
import { present } from '../../core/values/collections.ts'
import { overlap } from '../../core/values/pointer.ts'
import { listFirst } from '../../core/values/text.ts'
import { codeSpan } from '../../report/render/markdown.ts'
import type { PlanResult } from '../../run/make-plan.ts'
import {
  type Ending,
  failureReport,
  hasServiceToken,
  type Job,
  reportOptions,
  textIn
} from '../command.ts'
import { changedAt, declaredLeaves, narrowTo, operationAt } from '../facts.ts'
import { type CiHooks, refusalIn } from '../judge.ts'
import type { Permission } from '../permissions.ts'

/**
 * Plans a pull request and tests its fleet; failures of tests come first. In a merge queue and
 * without a token of the service, it only validates the files.
 */
export async function plan(job: Job): Promise<Ending> {
  const { forge, results, fleet, options } = job
  const { pull, isMergeQueue } = forge.run
  const pulls = pull === undefined ? [] : [pull.number]
  const tests = await failedTests(job)
  const isPlanned = hasServiceToken(job) && !isMergeQueue
  const base = await baseOfPull(job)
  if (!isPlanned) {
    const since = base === undefined ? [] : ['--base', base]
    const ended = await job.program(['validate', fleet, ...since, ...reportOptions(job)])
    const why = isMergeQueue ? 'This is a merge queue' : 'This run has no token'
    const note = `${why}: the files are only validated. A plan of the pull request itself permits its changes, or none.`
    return withTests({ ...ended, notes: [note], result: { pulls } }, tests)
  }
  const { narrow, permissions, others } = changesOf()
  const file = join(results, 'plan.json')
  const compared = base === undefined ? [] : ['--changed-since', base]
  const output = ['--detailed-exitcode', '--out', file, ...reportOptions(job)]
  let made: PlanResult | undefined
  const hooks: CiHooks = {
    ...(base !== undefined && { narrow }),
    ...(pull && { allowing: `ci apply --pull-request ${pull.number}` }),
    planned(result) {
      made = result
    }
  }
  const words = ['plan', fleet, ...compared, ...output, ...options]
  const ended = await job.program(words, hooks)
  const refusal = made && refusalIn(made)
  const isWaiting = ended.code === exit.refused && refusal?.isLiftable === true
  const code = ended.code === exit.changes || isWaiting ? exit.done : ended.code
  const { sites_failed = 1, blocked = 1 } = made?.plan.summary ?? {}
  const isUsable = code === exit.done && sites_failed + blocked === 0
  const permits = isUsable && pull && base !== undefined && made && permissions(made.plan)
  const waits = `**After the merge this waits for a run by hand** that names ${pull ? `#${pull.number}` : 'it'} and allows: ${refusal?.why}.`
  const ending: Ending = {
    ...{ code, reason: ended.reason, headline: ended.headline },
    ...(isWaiting && tests === undefined && { first: waits }),
    result: {
      pulls,
      ...(permits && { permits }),
      ...(pull && { pull: { number: pull.number, target: pull.target ?? '' } })
    },
    notes: present(
      (!permits || tests !== undefined) && '**This plan permits nothing.**',
      others.length > 0 && `**Also different, and not part of this plan:** ${listFirst(others, 5)}.`
    )
  }
  return withTests(ending, tests)
}

function withTests(ending: Ending, tests: Awaited<ReturnType<typeof failedTests>>): Ending {
  if (tests === undefined || ending.code === exit.wrongInput) return ending
  const { first = '', code, result } = ending
  const { permits: _, ...others } = result ?? {}
  const both = `${tests.report}\n\n${first}`
  const { headline } = tests
  return { ...ending, headline, code: worst(code, tests.code), first: both, result: others }
}

/** Narrows sites to the fields that a pull request changes, and collects what that permits, and what else differs. */
function changesOf() {
  const found: Omit<Permission, 'base_url' | 'effects'>[] = []
  const others: string[] = []
  const narrow = narrowTo((site, wlan, seen) => {
    const { address } = wlan
    const { id, name } = site
    const leaves = wlan.excluded ? [] : declaredLeaves(wlan, changedAt(site, wlan))
    const isOther = seen?.differing.some(path => !leaves.some(at => overlap(at, path)))
    if (isOther) others.push(codeSpan(address))
    if (leaves.length === 0) return undefined
    if (seen !== undefined) {
      const live = { id: seen.live.id, ssid: seen.live.ssid }
      const operations = leaves.map(at => operationAt(seen, at))
      found.push({ address, site: { id, name }, wlan: live, operations })
    }
    return leaves
  })
  const permissions = ({ base_url, changes }: Plan): Permission[] => {
    const byAddress = new Map(changes.map(change => [change.address, change]))
    return found.map(each => {
      const effects = shownEffects(byAddress.get(each.address) ?? {})
      return { base_url, ...each, effects }
    })
  }
  return { narrow, permissions, others }
}

async function failedTests(job: Job) {
  const { forge, fleet, temporary } = job
  const format = forge.kind === 'github' ? 'github' : 'text'
  const reports = ['--format', format, '--report', `markdown=${join(temporary, 'tests.md')}`]
  const {
    code,
    reason,
    headline = 'Tests: not run'
  } = await job.program(['test', fleet, ...reports])
  if (code === exit.done) return undefined
  const report = await textIn(temporary, 'tests.md')
  return { code, headline, report: report ?? failureReport('Tests: not run', reason, code) }
}

/** The first parent of the forge's merge of the pull request, else where its branch began; undefined outside of one. */
async function baseOfPull({ forge, git }: Job): Promise<string | undefined> {
  const { commit, pull } = forge.run
  if (pull === undefined) return undefined
  const { stdout } = await git(['rev-list', '--parents', '--max-count=1', 'HEAD'])
  const [, first, second] = stdout.toString().trim().split(' ')
  if (second === commit) return first
  const merge = await git(['merge-base', 'HEAD', pull.targetCommit ?? 'HEAD^1'])
  return merge.code === 0 ? merge.stdout.toString().trim() : pull.targetCommit
}
