import type { Site } from '../../model/desired.ts'
import { exit, Failure } from '../../model/failure.ts'
import { intactPlan, planForm } from '../file.ts'
import { parseSaved } from '../saved.ts'
import { intactSnapshot, snapshotForm } from '../snapshot.ts'

/** What an earlier run could not read, and of which service. */
export interface Leftover {
  readonly base_url: string
  readonly unread: readonly Site[]
}

/**
 * Reads from a saved plan, such as a JSON report of `drift`, or from a snapshot, what is left to read.
 * Throws a `Failure` (exit 3) for anything else. `name` is the file's, for the message.
 */
export function leftoverOf(text: string, name: string): Leftover {
  const { form, value } = parseSaved(text, name, planForm, snapshotForm)
  if (form === snapshotForm) return intactSnapshot(value, name)
  const { base_url, unread = [], summary } = intactPlan(value, name)
  if (unread.length === summary.sites_failed) return { base_url, unread }
  throw new Failure(
    exit.wrongInput,
    `${name} does not say which sites could not be read`,
    'an earlier version made it: begin anew, without `--continue`'
  )
}
