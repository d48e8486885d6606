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

/** The code points before the halves of surrogate pairs, and how many halves there are. */
const [BEFORE, HALVES] = [0xd800, 0x800]

/**
 * Any character but half a surrogate pair, as the unit of `fc.string`. The unit `binary` is the same, and takes 0.9 s
 * of CPU in each process for a map of all characters.
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
