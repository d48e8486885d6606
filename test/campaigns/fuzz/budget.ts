/** The longest that a property is tried in CI, in milliseconds. */
const IN_CI = 3_000

const MOST = 2 ** 31 - 1

/** Of the parameters of `fc.assert`. */
interface Budget {
  readonly numRuns: number
  readonly interruptAfterTimeLimit?: number
  readonly seed?: number
  readonly path?: string
}

/** A failure prints its seed and path: `FC_SEED=… FC_PATH=… npm run fuzz` repeats it. */
const { FC_SEED, FC_PATH, FC_RUNS, FC_SECONDS } = process.env

/**
 * How long a property is tried: in CI `runs` cases, or as many as there is time for; with FC_RUNS so
 * many cases, and with FC_SECONDS, as `npm run fuzz` has it, as many as fit into that time.
 */
export function budget(runs: number): Budget {
  return {
    ...limits(runs),
    ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH })
  }
}

function limits(runs: number): Budget {
  if (FC_RUNS !== undefined) return { numRuns: Number(FC_RUNS) }
  if (FC_SECONDS === undefined) return { numRuns: runs, interruptAfterTimeLimit: IN_CI }
  return { numRuns: MOST, interruptAfterTimeLimit: 1000 * Number(FC_SECONDS) }
}

/** The time a test with one property may take, in milliseconds. */
export const LIMIT = FC_RUNS === undefined ? 30_000 + 1000 * Number(FC_SECONDS ?? 0) : MOST
