import type { Site } from '../../core/model/desired.ts'
import { sortBy } from '../../core/values/collections.ts'
import { fromEntries, type ValueObject } from '../../core/values/value.ts'

/** Yields to the event loop between units of long work; rejects if the run is aborted. */
export type Pause = () => Promise<void>

/** A WLAN, a profile or a group in a file. */
export type Block = readonly [name: string, content: ValueObject]

/** What a file says of a site apart from the WLANs of the file. */
export interface SiteLayers {
  /** The names of its groups. */
  readonly groups?: readonly string[]
  readonly vars?: ValueObject
  readonly overrides?: readonly Block[]
}

/** A site as a member of a file. */
export function siteMembers(
  { id, name }: Site,
  { groups = [], vars = {}, overrides = [] }: SiteLayers
): ValueObject {
  return {
    id,
    name,
    ...(groups.length > 0 && { groups }),
    ...varsMember(vars),
    ...(overrides.length > 0 && { wlans: fromEntries(overrides) })
  }
}

/** The `vars` of a site or a group, by name; nothing without any. */
export function varsMember(vars: ValueObject): ValueObject {
  const sorted = sortBy(Object.entries(vars), ([name]) => name)
  return sorted.length === 0 ? {} : { vars: fromEntries(sorted) }
}

/** A file of an import. */
export interface ImportedFile {
  /** Relative to the output folder. */
  readonly file: string
  readonly text: string
  /** The number of WLANs that it declares, on all of its sites. */
  readonly wlans: number
  /** The number of profiles, in the file of profiles. */
  readonly profiles?: number
}
