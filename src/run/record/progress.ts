import type { Desired, Wave } from '../../core/model/desired.ts'
import type { Judgement, Measurement } from '../../core/model/judgement.ts'
import type { RecordedChange, RecordedRun } from '../../core/model/record.ts'
import { compact } from '../../core/values/collections.ts'
import { isWaiting, RecordedEvents } from './recorded-events.ts'

/** A rollout whose later waves wait, as its records tell. */
export interface Progress {
  /** The last wave that changed sites; absent for that of the sites in no declared wave. */
  readonly wave?: string
  /** UTC. */
  readonly ended: string
  /** The metrics before that wave; absent if they were not measured. */
  readonly before?: Measurement
  /** The last judgement of that wave. */
  readonly judgement?: Judgement
  /** Its runs with waiting changes, the oldest first. */
  readonly runs: readonly RecordedRun[]
  /** The ids of the sites that the files declare now, in lower case. */
  readonly declared: ReadonlySet<string>
  /** The ids of sites that any run has changed since that wave was measured, in lower case. */
  readonly changed: ReadonlySet<string>
}

/** The rollout that a scheduled apply continues; undefined if no change waits for a wave. */
export function progressOf(
  { sites, rollout = [], declaredIds }: Pick<Desired, 'sites' | 'rollout' | 'declaredIds'>,
  recorded: readonly RecordedRun[],
  baseUrl: string
): Progress | undefined {
  const events = new RecordedEvents(recorded, baseUrl)
  const waiting = new Set<RecordedRun>()
  for (const site of sites) {
    for (const { address, excluded } of site.wlans) {
      if (excluded) continue
      for (const event of [...events.of(site, address)].reverse()) {
        if (!isWaiting(event)) break
        waiting.add(event.run)
      }
    }
  }
  const runs = recorded.filter(run => waiting.has(run))
  const done = lastWave(runs, rollout)
  if (done === undefined) return undefined
  const { name, ended } = done
  const measurements = runs.flatMap(run => run.measurements ?? [])
  const ofWave = measurements.filter(({ phase, wave }) => phase === 'before' && wave === name)
  const before = ofWave[0]
  const since = Date.parse(before?.of ?? ended)
  const own = recorded.filter(run => run.baseUrl === baseUrl)
  const changed = own.flatMap(run => run.changes.filter(each => changedSince(each, since)))
  const judgement = runs.flatMap(run => run.judgements ?? []).findLast(({ wave }) => wave === name)
  return {
    ...compact({ wave: name, before, judgement }),
    ended,
    runs,
    declared: declaredIds ?? new Set(sites.map(({ id }) => id.toLowerCase())),
    changed: new Set(changed.map(({ change }) => change.site.id.toLowerCase()))
  }
}

/** Of the waves that changed sites, the one that comes last in the rollout, and its latest end. */
function lastWave(runs: readonly RecordedRun[], rollout: readonly Wave[]) {
  const order = (name: string | undefined) => rollout.findIndex(wave => wave.name === name)
  const done = runs.flatMap(({ waves = [], changes }) =>
    waves.flatMap(({ name, ended, problem }) => {
      const isDone = changes.some(
        ({ outcome }) => outcome.wave === name && outcome.status === 'applied'
      )
      return ended !== undefined && problem === undefined && isDone ? [{ name, ended }] : []
    })
  )
  done.sort((a, b) => order(a.name) - order(b.name) || Date.parse(a.ended) - Date.parse(b.ended))
  return done.at(-1)
}

function changedSince({ outcome, at }: RecordedChange, since: number): boolean {
  const isSent = outcome.status !== 'deferred' && outcome.status !== 'skipped'
  return isSent && at !== undefined && Date.parse(at) >= since
}
