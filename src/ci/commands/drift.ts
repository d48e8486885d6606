import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../../core/model/failure.ts'
import { type Change, changeKey, type Plan, patchedPointers } from '../../core/model/plan.ts'
import { isPolicyRefusal } from '../../core/model/refusals.ts'
import { present } from '../../core/values/collections.ts'
import { overlap } from '../../core/values/pointer.ts'
import { parsePlan } from '../../files/saved-plan.ts'
import { prose } from '../../report/render/markdown.ts'
import { type Ending, type Job, type Result, reportOptions, textIn, WAYS_ON } from '../command.ts'
import { formerLine, newestResult, readHistory } from '../history.ts'
import type { Line } from '../permissions.ts'

/** Checks the fleet for drift, also since the snapshot of the last check, and stores one for the next. */
export async function drift(job: Job): Promise<Ending> {
  const { results, temporary, fleet, options } = job
  const { line, snapshot, problem } = await earlier(job)
  const since = snapshot === undefined ? [] : ['--since', join(temporary, 'earlier.json')]
  if (snapshot !== undefined) await writeFile(join(temporary, 'earlier.json'), snapshot)
  const base = line === undefined ? [] : ['--base', line.since]
  const check = (...more: readonly string[]) =>
    job.program(['drift', fleet, ...more, ...reportOptions(job, 'drift.json'), ...options])
  let { code, reason, headline } = await check(...since, ...base)
  if (code === exit.wrongInput && since.length + base.length > 0) {
    await job.log('checking again without the earlier snapshot and base, which may be wrong')
    ;({ code, reason, headline } = await check())
  }
  const text = code === exit.wrongInput ? undefined : await textIn(results, 'drift.json')
  const plan = text === undefined ? undefined : parsePlan(text, 'drift.json')
  await takeSnapshot(job, snapshot)
  const open = line?.open.filter(each => each.base_url === plan?.base_url)
  const waiting = new Set(plan?.changes.filter(change => isWaiting(change, open)))
  const status = statusOf(plan, code, waiting)
  const expired = (plan?.findings ?? []).filter(found => found.code === 'WAIVER_EXPIRED')
  return {
    code: code === exit.changes ? exit.done : code,
    ...{ reason, headline },
    result: { drift: status, expired: expired.map(({ message }) => message) },
    ...(waiting.size > 0 && {
      first: `Not drift: ${waiting.size} of the changes ${waiting.size === 1 ? 'is' : 'are'} merged, and waiting to be applied.`
    }),
    notes: present(
      problem && `What waits may be shown as drift: ${prose(problem)}`,
      status === 'drift' && plan && waysOn(plan, waiting)
    )
  }
}

function waysOn({ changes, findings }: Plan, waiting: ReadonlySet<Change>): string {
  const isChanged = changes.some(change => !waiting.has(change))
  const isUndeclared = findings.some(({ code }) => code === 'UNDECLARED_CHANGED')
  const ways = present(...(isChanged ? WAYS_ON : []), isUndeclared && UNDECLARED)
  return ways.map(way => `- ${way}`).join('\n')
}

const UNDECLARED =
  'Fields that no file declares: the snapshot of an earlier check puts them back: `wlanctl revert --to snapshot.json`; or declare them, by hand or with `wlanctl adopt --undeclared`, in a pull request.'

/** What the newest apply left open, and the snapshot of the last check. A forge that does not say stops no check. */
async function earlier(job: Job) {
  try {
    const history = await readHistory(job)
    const line = await formerLine(job, history)
    const check = await newestResult(job, 'drift', history, ['snapshot.json'])
    return { line, snapshot: check?.texts.get('snapshot.json') }
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === exit.interrupted) throw error
    await job.log(`the earlier results cannot be read: ${error.message}`)
    return { problem: error.message }
  }
}

/** True if all of a change was merged after the newest result, or is what it left open. */
function isWaiting(change: Change, open: Line['open'] | undefined): boolean {
  if (open === undefined) return false
  const { patch, causes = {} } = change
  const key = changeKey(change)
  const pointers = open
    .filter(each => changeKey(each) === key)
    .flatMap(({ operations }) => operations.map(({ pointer }) => pointer))
  return patchedPointers(patch).every(
    path => causes[path] === 'declaration' || pointers.some(at => overlap(at, path))
  )
}

function statusOf(
  plan: Plan | undefined,
  code: number,
  waiting: ReadonlySet<Change>
): NonNullable<Result['drift']> {
  if (plan === undefined || code === exit.failed || code === exit.interrupted) return 'failed'
  const isDrift =
    plan.changes.some(change => !waiting.has(change)) ||
    plan.findings.some(
      found =>
        ['UNDECLARED_CHANGED', 'UNMANAGED_OPEN'].includes(found.code) ||
        (found.existing === true && isPolicyRefusal(found))
    )
  if (isDrift) return 'drift'
  const { sites_failed, blocked } = plan.summary
  const isRefused = code !== exit.done && code !== exit.changes
  return sites_failed + blocked > 0 || isRefused ? 'incomplete' : 'none'
}

/** Stores a snapshot; without a new one, the earlier one stays. */
async function takeSnapshot(job: Job, former: string | undefined): Promise<void> {
  const file = join(job.results, 'snapshot.json')
  await job.program(['snapshot', job.fleet, '--quiet', '--out', file, ...connection(job)])
  const isTaken = (await textIn(job.results, 'snapshot.json')) !== undefined
  if (former !== undefined && !isTaken) await writeFile(file, former)
}

function connection({ options }: Job): readonly string[] {
  const shared = /^--(?:base-url|token-file|parallelism|timeout|max-attempts|max-wait)(=|$)/
  return options.flatMap((option, at) => {
    const [, end] = shared.exec(option) ?? []
    if (end === undefined) return []
    return end === '=' ? [option] : [option, options[at + 1] ?? '']
  })
}
