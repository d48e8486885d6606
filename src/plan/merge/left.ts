import type { Site } from '../../model/desired.ts'
import { exit, Failure } from '../../model/failure.ts'
import { intactPlan, planForm } from '../file.ts'
import type { SavedForm } from '../saved.ts'
import { intactSnapshot, snapshotForm } from '../snapshot.ts'

export { planForm, snapshotForm }

/** What was read of a file: what it is, and what it holds. */
interface Saved {
  readonly form: SavedForm
  readonly value: unknown
}

/** What an earlier run could not read, and of which service. */
export interface Leftover {
  readonly base_url: string
  readonly unread: readonly Site[]
}

/**
 * Takes from a saved plan, such as a JSON report of `drift`, or from a snapshot, what is left to read.
 * Throws a `Failure` (exit 3) for anything else. `name` is the file's, for the message.
 */
export function leftoverOf({ form, value }: Saved, name: string): Leftover {
  if (form === snapshotForm) return intactSnapshot(value, name)
  const { base_url, unread = [], summary } = intactPlan(value, name)
  if (unread.length === summary.sites_failed) return { base_url, unread }
  throw new Failure(
    exit.wrongInput,
    `${name} does not say which sites could not be read`,
    'an earlier version made it: begin anew, without `--continue`'
  )
}
