import { formatNumber } from '../values/text.ts'

const MiB = 1024 * 1024

/** The limits of a file; a larger one is rejected before it is parsed. */
export interface FileLimit {
  /** The kind of file, e.g. `a saved plan`. */
  readonly name: string
  readonly bytes: number
  /** JSON values: members and elements, with lists and objects counted twice. */
  readonly values: number
  /** For files that are read line by line. */
  readonly lines?: number
  /** Runs in a record. */
  readonly runs?: number
}

/**
 * The limits of all input files. The worst file within them takes less than 2 s and 400 MB; no file of
 * `test/bench` comes close to them.
 *
 * | file       | what fits                                                                |
 * |------------|--------------------------------------------------------------------------|
 * | plan       | 20,000 changed WLANs (10,000 take 15 MB)                                 |
 * | snapshot   | 12,000 WLANs (4 KB each); a larger fleet is read in shards               |
 * | snapshot folder | 10,000 sites with ten WLANs each                                    |
 * | outcomes   | 100,000 outcomes                                                         |
 * | record     | several runs of 10,000 changes (20 MB each)                              |
 * | site list  | 100,000 sites                                                            |
 * | seed       | the sites of an embedded service                                         |
 */
export const fileLimits = {
  plan: { name: 'a saved plan', bytes: 32 * MiB, values: 1_000_000 },
  snapshot: { name: 'a snapshot', bytes: 48 * MiB, values: 2_000_000 },
  snapshotFolder: { name: 'a snapshot folder', bytes: 256 * MiB, values: 0 },
  outcomes: { name: 'the outcomes of a run', bytes: 32 * MiB, values: 1_000_000 },
  record: { name: 'a record', bytes: 64 * MiB, values: 2_500_000, lines: 300_000, runs: 5000 },
  siteList: { name: 'a list of sites', bytes: 8 * MiB, values: 0, lines: 100_000 },
  seed: { name: 'a seed of the embedded service', bytes: 48 * MiB, values: 2_000_000 }
} as const satisfies Readonly<Record<string, FileLimit>>

/** The message about a file over its limit: `the file has 70 MiB, and the limit of a saved plan is 32 MiB`. */
export function tooLarge(bytes: number, limit: FileLimit): string {
  return `the file has ${mebibytes(bytes)} MiB, and the limit of ${limit.name} is ${mebibytes(limit.bytes)} MiB`
}

/** Rounded up, so that a size over the limit is never shown as the limit. */
function mebibytes(bytes: number): string {
  return formatNumber(Math.ceil(bytes / 1024 / 1024))
}
