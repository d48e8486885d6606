/** `npm run soak` sets it; `npm run check` runs a smaller campaign. */
export const full = process.env['WLANCTL_SOAK'] === 'full'

/** The size of a campaign: in full, or as part of the slow tests. */
export function size<T>(inFull: T, inShort: T): T {
  return full ? inFull : inShort
}

const MINUTE = 60_000

/** The timeout of a test. */
export const timeout = size(30 * MINUTE, 5 * MINUTE)
