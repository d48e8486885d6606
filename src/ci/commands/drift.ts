import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../../core/model/failure.ts'
import { type Change, changeKey, type Plan } from '../../core/model/plan.ts'
import type { RecordedChange, RecordedRun } from '../../core/model/record.ts'
import { isSameJson } from '../../core/values/value.ts'
import { parsePlan } from '../../files/saved-plan.ts'
import { parseRecord } from '../../run/record/read.ts'
import { downloadCheck, downloadRecords, readDeployments } from '../branch.ts'
import {
  ADOPT,
  type DriftResult,
  type Ending,
  type Job,
  RECONCILE,
  reportOptions,
  textOf
} from '../command.ts'

/** Checks the fleet for drift, also since the snapshot of the last check, and stores one for the next. */
export async function drift(job: Job): Promise<Ending> {
  const [earlier] = await downloadCheck(job, ['snapshot.json'], join(job.temporary, 'earlier'))
  const inFolder = (name: string) => join(job.results, name)
  const check = (since?: string) =>
    job.program([
      ...['drift', job.fleet, ...(since === undefined ? [] : ['--since', since])],
      ...reportOptions(job, 'drift.json'),
      ...job.options
    ])
  let { code, reason } = await check(earlier)
  if (code === exit.wrongInput && earlier !== undefined) {
    await job.log('checking again without the earlier snapshot, which may be what is wrong')
    ;({ code, reason } = await check())
  }
  const text = await textOf(inFolder('drift.json'))
  // With errors in the files, it holds only these.
  const isPlan = text !== undefined && code !== exit.wrongInput
  const plan = isPlan ? parsePlan(text, 'drift.json') : undefined
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
    return { status: 'failed', isIncomplete: false }
  }
  const { sites_failed, blocked } = plan.summary
  const isIncomplete = sites_failed + blocked > 0
  const isDrift =
    plan.changes.length > 0 || plan.findings.some(({ code }) => code === 'UNDECLARED_CHANGED')
  const isRefused = code !== exit.done && code !== exit.changes
  const status = isDrift ? 'drift' : isIncomplete || isRefused ? 'incomplete' : 'none'
  return { status, isIncomplete }
}

/** Stores a snapshot; without a new one, the earlier one stays. */
async function takeSnapshot(job: Job, earlier: string | undefined): Promise<void> {
  const file = join(job.results, 'snapshot.json')
  await job.program(['snapshot', job.fleet, '--quiet', '--out', file, ...connection(job)])
  if (earlier !== undefined && (await textOf(file)) === undefined) await copyFile(earlier, file)
}

/** The options of the user that `snapshot` has, too. */
function connection({ options }: Job): readonly string[] {
  const shared = /^--(?:base-url|token-file|parallelism|timeout|max-attempts|max-wait)(=|$)/
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

const WAYS = `- To set the live WLANs as declared: ${RECONCILE}.\n- To keep the live values: ${ADOPT}.`
