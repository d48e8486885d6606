/** The first pause is up to so long, and each next one up to twice as long, in milliseconds. */
const FIRST = 250
const LONGEST = 20_000

/**
 * How long to wait after the nth failed attempt, in milliseconds: anything from nothing to the
 * longest pause of its turn ("full jitter"), so that many clients do not come back together.
 */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST, FIRST * 2 ** (attempt - 1))
}
