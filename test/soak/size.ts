/** `npm run soak` sets it; `npm run check` does the same with less. */
export const full = process.env['WLANCTL_SOAK'] === 'full'

/** How much a campaign does: in full, or as a part of the slow tests. */
export function size<T>(inFull: T, inShort: T): T {
  return full ? inFull : inShort
}

const MINUTE = 60_000

/** How long a test may take. */
export const patience = size(30 * MINUTE, MINUTE)
