import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../../core/model/failure.ts'
import type { Finding } from '../../core/model/finding.ts'
import { type Change, changeKey, type Plan } from '../../core/model/plan.ts'
import type { RecordedChange, RecordedRun } from '../../core/model/record.ts'
import { isSameJson } from '../../core/values/value.ts'
import { parsePlan } from '../../files/saved-plan.ts'
import { escapeCode } from '../../report/escape.ts'
import { parseRecord } from '../../run/record/read.ts'
import { downloadCheck, downloadRecords, readDeployments } from '../branch.ts'
import {
  ADOPT,
  type DriftResult,
  type Ending,
  type Job,
  RECONCILE,
  reportOptions,
  storedJson,
  textOf
} from '../command.ts'

/** The reports of earlier checks that are kept until a newer one has read every site. */
const MAX_REPORTS = 10

const reports = Array.from(
  { length: MAX_REPORTS },
  (_, at) => `drift${at === 0 ? '' : `-${at}`}.json`
)

/** Checks the fleet for drift, dates it by the results of earlier checks, and stores a snapshot for the next one. */
export async function drift(job: Job): Promise<Ending> {
  const stored = [...reports, 'snapshot.json']
  const earlier = await downloadCheck(job, stored, join(job.temporary, 'earlier'))
  const inFolder = (name: string) => join(job.results, name)
  const check = (since: readonly string[]) =>
    job.program([
      ...['drift', job.fleet, ...since.flatMap(file => ['--since', file])],
      ...reportOptions(job, 'drift.json'),
      ...job.options
    ])
  let { code, reason } = await check(earlier)
  if (code === exit.wrongInput && earlier.length > 0) {
    await job.log('checking again without the earlier results, which may be what is wrong')
    ;({ code, reason } = await check([]))
  }
  const text = await textOf(inFolder('drift.json'))
  // With errors in the files, it holds only these.
  const isPlan = text !== undefined && code !== exit.wrongInput
  const plan = isPlan ? parsePlan(text, 'drift.json') : undefined
  await keepReports(job, earlier, plan)
  await takeSnapshot(job, earlier)
  const drifted = plan && withoutChanges(plan, await waitingChanges(job, plan))
  const found = resultOf(drifted, code)
  const isWaiting = (plan?.changes.length ?? 0) > (drifted?.changes.length ?? 0)
  return {
    code: code === exit.changes ? exit.done : code,
    ...{ reason, drift: found },
    notes: [
      ...(isWaiting
        ? [
            `${drifted?.changes.length === 0 ? 'All of it' : 'The rest of it'} waits for a window, the end of a freeze or the wave before, as approved.`
          ]
        : []),
      ...(found.status === 'drift' ? [WAYS] : [])
    ]
  }
}

function withoutChanges(plan: Plan, without: ReadonlySet<Change>): Plan {
  return { ...plan, changes: plan.changes.filter(change => !without.has(change)) }
}

function resultOf(plan: Plan | undefined, code: number): DriftResult {
  if (plan === undefined || code === exit.failed || code === exit.interrupted) {
    return { status: 'failed', isIncomplete: false, news: [] }
  }
  const { sites_failed, blocked } = plan.summary
  const isIncomplete = sites_failed + blocked > 0
  const isDrift = plan.changes.length > 0 || undeclaredIn(plan).length > 0
  const isRefused = code !== exit.done && code !== exit.changes
  const status = isDrift ? 'drift' : isIncomplete || isRefused ? 'incomplete' : 'none'
  return { status, isIncomplete, news: isDrift ? newsOf(plan) : [] }
}

function undeclaredIn({ findings }: Plan): readonly Finding[] {
  return findings.filter(({ code }) => code === 'UNDECLARED_CHANGED')
}

/** Keeps earlier reports, which know since when a field differs, until a newer one has read every site. */
async function keepReports(
  { results }: Job,
  earlier: readonly string[],
  plan: Plan | undefined
): Promise<void> {
  let kept = plan === undefined ? 0 : 1
  let isComplete = plan?.summary.sites_failed === 0
  for (const file of earlier) {
    const name = reports[kept]
    if (isComplete || name === undefined || file.endsWith('snapshot.json')) break
    await copyFile(file, join(results, name))
    const { summary } = await storedJson(file)
    isComplete = Object(summary).sites_failed === 0
    kept += 1
  }
}

/** Stores a snapshot; a site that cannot be read keeps its earlier state, and without a new snapshot all do. */
async function takeSnapshot(job: Job, earlier: readonly string[]): Promise<void> {
  const file = join(job.results, 'snapshot.json')
  const before = earlier.find(each => each.endsWith('snapshot.json'))
  const take = (...keep: readonly string[]) =>
    job.program(['snapshot', job.fleet, '--quiet', '--out', file, ...keep, ...connection(job)])
  const { code } = await take(...(before === undefined ? [] : ['--keep', before]))
  if (code === exit.wrongInput && before !== undefined) await take()
  if (before !== undefined && (await textOf(file)) === undefined) await copyFile(before, file)
}

/** The options of the user that `snapshot` has, too. */
function connection({ options }: Job): readonly string[] {
  const shared =
    /^--(?:base-url|token-file|parallelism|timeout|max-attempts|max-wait|max-requests)(=|$)/
  return options.flatMap((option, at) => {
    const [, end] = shared.exec(option) ?? []
    if (end === undefined) return []
    return end === '=' ? [option] : [option, options[at + 1] ?? '']
  })
}

/** The changes that records of our runs deferred and that still wait; what cannot be known to wait is drift. */
async function waitingChanges(job: Job, plan: Plan): Promise<ReadonlySet<Change>> {
  const { changes, deferred = [], rollout } = plan
  if (changes.length === 0 || (deferred.length === 0 && rollout === undefined)) return new Set()
  try {
    return await deferredChanges(job, plan)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await job.log(`what waits for its window or its wave counts as drift: ${error.message}`)
    return new Set()
  }
}

async function deferredChanges(
  job: Job,
  { changes, deferred = [] }: Plan
): Promise<ReadonlySet<Change>> {
  const files = await downloadRecords(job, await readDeployments(job))
  const newest = new Map<string, { readonly recorded: RecordedChange; readonly run: RecordedRun }>()
  for (const file of files) {
    for (const run of parseRecord((await textOf(file)) ?? '', file).reverse()) {
      for (const recorded of run.changes) {
        const key = changeKey(recorded.change)
        if (!newest.has(key)) newest.set(key, { recorded, run })
      }
    }
  }
  const shut = new Set(deferred.map(({ address }) => address))
  const isLater = (until: string | undefined) => Date.parse(until ?? '') > job.now().getTime()
  const waiting = changes.filter(change => {
    const { recorded, run } = newest.get(changeKey(change)) ?? {}
    if (recorded?.outcome.status !== 'deferred') return false
    // Without a time of its own, it waits for the others of its run.
    const isInTime = ({ outcome }: RecordedChange) => isLater(outcome.until)
    const isWaiting = recorded.outcome.until ? isInTime(recorded) : run?.changes.some(isInTime)
    const { patch } = recorded.change
    return (
      (shut.has(change.address) || isWaiting === true) &&
      change.patch.every(step => patch.some(each => isSameJson({ ...each }, { ...step })))
    )
  })
  return new Set(waiting)
}

/** The lines about drift that no earlier check has found. */
function newsOf(plan: Plan): readonly string[] {
  const fields = plan.changes.map(({ address, patch, first_seen = {} }) => ({
    address,
    pointers: patch.flatMap(({ op, path }) => (op === 'test' || path in first_seen ? [] : path))
  }))
  const undeclared = undeclaredIn(plan).map(({ address = '', message }) => ({
    address,
    pointers: [/^(\/[^ ]+)/.exec(message)?.[1] ?? '']
  }))
  return [...fields, ...undeclared]
    .filter(({ pointers }) => pointers.length > 0)
    .slice(0, 50)
    .map(({ address, pointers }) => {
      const code = (text: string) => `\`${escapeCode(text)}\``
      const listed = pointers.slice(0, 10).map(code).join(', ')
      return `- ${code(address)}: ${listed}`
    })
}

const WAYS = `- To set the live WLANs as declared: ${RECONCILE}.\n- To keep the live values: ${ADOPT}.`
