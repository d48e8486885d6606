import { join } from 'node:path'
import { exit, reasonOf, wrongInput } from '../../core/model/failure.ts'
import { present } from '../../core/values/collections.ts'
import { listFirst } from '../../core/values/text.ts'
import { codeSpan, prose } from '../../report/render/markdown.ts'
import {
  type Ending,
  hasServiceToken,
  type Job,
  RECONCILE,
  reportOptions,
  WAYS_ON
} from '../command.ts'
import { formerLine, readHistory } from '../history.ts'
import { type Consent, judge } from '../judge.ts'
import { type Candidates, candidatesOf } from '../merged-pulls.ts'
import { afterRun, type OpenPermission } from '../permissions.ts'
import type { Permitted } from '../permitted-plan.ts'

/** Sends of the tip what the open permissions cover. */
export async function apply(job: Job, consent?: Consent): Promise<Ending> {
  const { forge } = job
  const { run } = forge
  if (run.branch !== run.defaultBranch || run.pull !== undefined) {
    throw wrongInput(
      `this run is of ${run.branch ?? 'a tag'}, and only ${run.defaultBranch} is applied; nothing was sent`
    )
  }
  const history = await readHistory(job)
  const tip = await forge.tip()
  if (tip !== run.commit) return notAtTip(job, tip)
  const former = await formerLine(job, history)
  const candidates = await candidatesOf(job, history, former)
  const { isPlanned, without, problem } = candidates
  const lines = without.map(line => `- ${prose(line)}`).join('\n')
  const notes = present(
    !former && 'No earlier result of this fleet: only the merge at the tip is looked up.',
    problem && `The forge did not list all pull requests: ${prose(problem)}`,
    lines && `**These permit nothing**; to send what they change, ${RECONCILE}:\n\n${lines}`
  )
  const suspended = job.env['WLANCTL_SUSPEND']
  if (suspended) {
    const reason = `Suspended: ${suspended}`
    await job.log(`suspended: ${suspended}; nothing was sent`)
    return { ...unsent(job, candidates, reason), title: 'Apply: suspended', notes }
  }
  if (!hasServiceToken(job)) {
    const isSetUp = isPlanned || candidates.open.length > 0
    const reason = 'The environment has no WLANCTL_API_TOKEN.'
    const ending = unsent(job, candidates, reason)
    if (isSetUp) return { ...ending, code: exit.wrongInput, notes }
    await job.log('not set up yet: WLANCTL_API_TOKEN is missing')
    return { ...ending, title: 'Apply: not set up yet', notes }
  }
  const base = former?.since ?? history.commits[1]?.sha ?? tip
  return { ...(await send(job, candidates, base, consent)), notes }
}

function notAtTip({ forge }: Job, tip: string): Ending {
  const reason = `The branch is at ${tip}, and this run is of ${forge.run.commit}: the run of the tip sends what is missing.`
  return { code: exit.done, title: 'Apply: not at the tip', reason, result: undefined }
}

function unsent({ forge }: Job, { open, missing }: Candidates, why: string): Ending {
  return {
    ...{ code: exit.done, reason: why },
    result: {
      ...{ since: forge.run.commit, missing, settled: [], pulls: pullsOf(open) },
      open: open.map(each => ({ ...each, why }))
    }
  }
}

const pullsOf = (all: readonly { readonly pull: number }[]) => [
  ...new Set(all.map(({ pull }) => pull))
]

async function send(
  job: Job,
  candidates: Candidates,
  since: string,
  consent: Consent | undefined
): Promise<Ending> {
  const { forge, fleet, results, options } = job
  const { commit: tip } = forge.run
  const stop = stopSignal(job)
  let judged: Permitted | undefined
  const record = ['--record', join(results, 'record.jsonl')]
  const words = ['apply', fleet, '--yes', ...record, ...reportOptions(job, 'outcomes.json')]
  const permit = async (run: Parameters<typeof judge>[1]) => {
    const { open } = candidates
    judged = await judge({ candidates: open, since, tip, consent, beforeWave: stop.check }, run)
    return judged.plan
  }
  const ended = await job
    .program([...words, ...options], { permit }, stop.signal)
    .finally(() => stop.end())
  const { missing, open: waiting, without } = candidates
  const cases = judged?.cases ?? waiting.map(permission => ({ permission, wave: 0 }))
  const why = stop.signal.aborted ? String(stop.signal.reason) : ended.reason
  const after = afterRun(cases, judged?.execution ?? NOTHING, why)
  const { open, settled, needing, hasFault } = after
  const isStopped = stop.signal.aborted && ended.code === exit.interrupted
  const isFine = ended.code === exit.done || ended.code === exit.incomplete || isStopped
  const rest = judged?.rest ?? []
  const isIncomplete =
    needing.length > 0 || rest.some(({ isSince }) => isSince) || (!isStopped && hasFault)
  const code = isFine ? (isIncomplete ? exit.incomplete : exit.done) : ended.code
  const isQuiet = code === exit.done && waiting.length + without.length + rest.length === 0
  return {
    ...{ code, reason: ended.reason, headline: ended.headline },
    result: {
      ...{ since: tip, open, missing, settled },
      pulls: pullsOf([...settled, ...open.filter(each => isNews(each, waiting))]),
      ...(isQuiet && { quiet: true })
    },
    first: pullLines(after, rest)
  }
}

const NOTHING = { outcomes: new Map(), waves: new Map(), inWaves: false }

function isNews({ pull, wlan, why }: OpenPermission, before: readonly OpenPermission[]): boolean {
  return !before.some(each => each.pull === pull && each.wlan.id === wlan.id && each.why === why)
}

const MAX_LINES = 50

const REVERT = 'To undo what was sent: `wlanctl revert record.jsonl`, with the record of this run.'

function pullLines(
  { open, needing, isStopped }: ReturnType<typeof afterRun>,
  rest: Permitted['rest']
): string {
  const lines = [
    ...open.map(({ pull, address, why }) => `- #${pull} ${codeSpan(address)} waits: ${prose(why)}`),
    ...needing.map(
      ({ pull, address, status, why = '' }) =>
        `- #${pull} ${codeSpan(address)} is settled as ${status}: ${prose(why)}`
    )
  ]
  const named = (isWanted: boolean) =>
    rest.flatMap(({ address, isSince }) => (isSince === isWanted ? codeSpan(address) : []))
  const [unplanned, drift] = [named(true), named(false)]
  return present(
    lines.slice(0, MAX_LINES).join('\n'),
    needing.length + unplanned.length > 0 && present(isStopped && REVERT, ...WAYS_ON).join(' '),
    unplanned.length > 0 && `**Merged without a plan:** ${listFirst(unplanned, 5)}.`,
    drift.length > 0 && `**Drift, not sent:** ${listFirst(drift, 5)}.`
  ).join('\n\n')
}

/** Seconds of `pause` between two questions for the tip. */
const TIP_INTERVAL = 60

/** A week, in minutes. */
const MAX_MINUTES = 10_000

/** Ends a run whose branch has moved, and before the time limit of its job. */
function stopSignal({ forge, env, pause, log }: Job) {
  const controller = new AbortController()
  const stop = (reason: string) => controller.abort(reason)
  const check = async () => {
    try {
      const tip = await forge.tip()
      if (tip !== forge.run.commit) stop('the branch has moved: the run of its tip goes on')
    } catch (error) {
      await log(`the tip of the branch is unknown: ${reasonOf(error)}`)
    }
  }
  const minutes = Number(env['WLANCTL_MAX_MINUTES'] || MAX_MINUTES)
  if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw wrongInput('WLANCTL_MAX_MINUTES: expected a number of minutes; nothing was sent')
  }
  const isOver = 'the time limit of the job is near: a later run goes on'
  const timers = [
    setInterval(() => void check(), TIP_INTERVAL * pause),
    setTimeout(() => stop(isOver), Math.max(minutes - 2, minutes * 0.9) * 60_000)
  ]
  return { signal: controller.signal, check, end: () => timers.forEach(clearTimeout) }
}
