import { formatNumber } from './text.ts'

const MiB = 1024 * 1024

/** What a file may hold at most; a larger one is refused before any work that grows with it. */
export interface FileLimit {
  /** What such a file is called, e.g. `a saved plan`. */
  readonly name: string
  readonly bytes: number
  /** Values of JSON in it: members and elements, lists and objects once more. */
  readonly values: number
  /** Only of files that are read line by line. */
  readonly lines?: number
}

/**
 * The limits of every file that is read as input, in one place. They are set so that the worst file
 * that is let in takes less than 2 s and 400 MB; `test/bench` has no file of our own near them.
 *
 * | file       | what fits                                                                |
 * |------------|--------------------------------------------------------------------------|
 * | plan       | 20,000 changed WLANs (10,000 take 15 MB)                                 |
 * | snapshot   | 12,000 WLANs (4 KB each); a larger fleet is read in shards               |
 * | outcomes   | 100,000 outcomes                                                         |
 * | record     | several runs of 10,000 changes (20 MB each)                              |
 * | site list  | 100,000 sites                                                            |
 * | seed       | the sites of an embedded service                                         |
 */
export const fileLimits = {
  plan: { name: 'a saved plan', bytes: 32 * MiB, values: 1_000_000 },
  snapshot: { name: 'a snapshot', bytes: 48 * MiB, values: 2_000_000 },
  outcomes: {
    name: 'the outcomes of a run',
    bytes: 32 * MiB,
    values: 1_000_000
  },
  record: { name: 'a record', bytes: 64 * MiB, values: 2_500_000, lines: 300_000 },
  siteList: { name: 'a list of sites', bytes: 8 * MiB, values: 0, lines: 100_000 },
  seed: { name: 'a seed of the embedded service', bytes: 48 * MiB, values: 2_000_000 }
} as const satisfies Readonly<Record<string, FileLimit>>

/** Says that a file is over its limit, e.g. `it has 70 MiB, and the limit of a saved plan is 32 MiB`. */
export function tooLarge(bytes: number, limit: FileLimit): string {
  return `it has ${mebibytes(bytes)} MiB, and the limit of ${limit.name} is ${mebibytes(limit.bytes)} MiB`
}

/** Rounded up, so that what is over a limit is never shown as the limit. */
function mebibytes(bytes: number): string {
  return formatNumber(Math.ceil(bytes / 1024 / 1024))
}
