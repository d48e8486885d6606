import type { Part } from '../model/desired.ts'
import { plural } from '../model/text.ts'

/** What a plan is only a part of, in words; undefined for one that is whole. */
export function partNote({ shard, continues }: Part): string | undefined {
  if (shard !== undefined) return `Shard ${shard} of the fleet`
  if (continues === undefined) return undefined
  if (continues.length === 0) return 'No site of the fleet: an earlier run has read all of them'
  return `Of the fleet only ${plural(continues.length, 'site')} that an earlier run could not read`
}
