import fc from 'fast-check'

/** More runs than fit into the time limit. */
const MOST = 2 ** 31 - 1

/** Each run of CI has another seed: `npm run fuzz` has time for more. */
const RUNS = 40

const { FC_SEED, FC_PATH, FC_RUNS, FC_SECONDS } = process.env

/** True if a property runs longer than in `npm test`, as with `npm run fuzz`. */
const isLong = FC_RUNS !== undefined || FC_SECONDS !== undefined

/**
 * The settings of all properties: 40 runs with a random seed, which a failure prints. `FC_SEED=…` repeats
 * the runs of a seed; `FC_RUNS=…` sets the number of runs of each property, `FC_SECONDS=…` their time.
 */
fc.configureGlobal({
  ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
  numRuns: Number(FC_RUNS ?? RUNS),
  ...(FC_SECONDS === undefined
    ? {}
    : { numRuns: MOST, interruptAfterTimeLimit: 1000 * Number(FC_SECONDS) })
})

/** The parameters of a property for which 40 runs take too long, or find too little. */
export function runs(count = RUNS): { readonly numRuns?: number; readonly path?: string } {
  return {
    ...(isLong ? {} : { numRuns: count }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH })
  }
}

/** The number of code points before the surrogates, and the number of surrogates. */
const [BEFORE, HALVES] = [0xd800, 0x800]

/**
 * Any character except surrogates, as the unit of `fc.string`. The unit `binary` is equivalent, but spends
 * 0.9 s of CPU per process on a map of all characters.
 */
export const anyCharacter = fc.nat(0x10ffff - HALVES).map(
  n => String.fromCodePoint(n < BEFORE ? n : n + HALVES),
  character => {
    const [first, ...others] = typeof character === 'string' ? [...character] : []
    const code = first?.codePointAt(0)
    if (code === undefined || others.length > 0) throw new Error('expected one character')
    if (code >= BEFORE && code < BEFORE + HALVES) throw new Error('expected no half of a pair')
    return code < BEFORE ? code : code - HALVES
  }
)
