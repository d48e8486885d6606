/** The settings of a run that the command line and the library have in common, unless they are given. */
export const runDefaults = {
  /** The number of sites that are read or changed at the same time. */
  parallelism: 10,
  /** The timeout of one request, in seconds. */
  timeout: 30,
  /** The number of attempts for one result, including the first one. */
  maxAttempts: 6,
  /** The longest wait for a rate limit, in seconds. */
  maxWait: 60,
  /** How long a run waits for a change to be visible, in seconds. */
  verifyTimeout: 30,
  /** Variables with secrets start with it. */
  secretPrefix: 'WLAN_SECRET_'
} as const
