import { setImmediate } from 'node:timers/promises'
import { parseRecordSlowly } from '../../apply/record/read.ts'
import { exit, Failure } from '../../model/failure.ts'
import { fileLimits } from '../../model/file-limits.ts'
import type { Plan } from '../../model/plan.ts'
import type { RecordedRun } from '../../model/record.ts'
import { parseSaved, type SavedForm } from '../../plan/saved-file.ts'
import { intactPlan, planForm } from '../../plan/saved-plan.ts'
import { intactSnapshot, type Snapshot, snapshotForm } from '../../plan/snapshot.ts'
import type { Io } from '../io.ts'
import { readInput } from './files.ts'

/** Lets signals in; throws once one came. To be called between units of work that take long. */
export async function checkpoint({ interrupted }: Pick<Io, 'interrupted'>): Promise<void> {
  await setImmediate()
  if (interrupted.aborted) throw new Failure(exit.interrupted, 'interrupted')
}

/** Reads a file in one of these forms. Throws a `Failure` (exit 3). */
export async function readSaved(
  file: string,
  io: Io,
  ...forms: readonly [SavedForm, ...SavedForm[]]
): Promise<{ readonly form: SavedForm; readonly value: unknown }> {
  const [first, ...others] = forms
  const limits = [first.limit, ...others.map(({ limit }) => limit)] as const
  const text = await readInput(file, io.cwd, ...limits)
  await checkpoint(io)
  const saved = parseSaved(text, file, ...forms)
  await checkpoint(io)
  return saved
}

export async function readPlan(file: string, io: Io): Promise<Plan> {
  const { value } = await readSaved(file, io, planForm)
  return intactPlan(value, file)
}

export async function readSnapshot(file: string, io: Io): Promise<Snapshot> {
  const { value } = await readSaved(file, io, snapshotForm)
  return intactSnapshot(value, file)
}

export async function readRecord(file: string, io: Io): Promise<RecordedRun[]> {
  const text = await readInput(file, io.cwd, fileLimits.record)
  return parseRecordSlowly(text, file, () => checkpoint(io))
}
