import fc from 'fast-check'

/** More runs than there is time for. */
const MOST = 2 ** 31 - 1

const { FC_SEED, FC_PATH, FC_RUNS, FC_SECONDS } = process.env

/** True where a property is tried longer than in `npm test`, as by `npm run fuzz`. */
const isLong = FC_RUNS !== undefined || FC_SECONDS !== undefined

/**
 * How all properties are tried: 100 runs with a random seed, which a failure prints. `FC_SEED=…` repeats
 * the runs of that seed; `FC_RUNS=…` tries each property so often, `FC_SECONDS=…` as often as fits.
 */
fc.configureGlobal({
  ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
  ...(FC_RUNS === undefined ? {} : { numRuns: Number(FC_RUNS) }),
  ...(FC_SECONDS === undefined
    ? {}
    : { numRuns: MOST, interruptAfterTimeLimit: 1000 * Number(FC_SECONDS) })
})

/** The parameters of a property of which 100 runs take too long, or find too little. */
export function runs(count = 100): { readonly numRuns?: number; readonly path?: string } {
  return {
    ...(isLong ? {} : { numRuns: count }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH })
  }
}
