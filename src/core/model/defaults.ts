import type { LintPolicy, Policy, RolloutPolicy } from './desired.ts'

/** Settings that the command line and the library use by default. */
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
  secretPrefix: 'WLAN_SECRET_'
} as const

/** The policy of `lint: {}`, and of a fleet without `lint`. */
export const defaultLintPolicy: LintPolicy = { level: 'warning', rules: {}, strict: false }

const defaultRollout: RolloutPolicy = { pause: 0, checkTimeout: 300 }

/** The policy of a fleet that declares none. */
export const defaultPolicy: Policy = {
  rollout: defaultRollout,
  maxChangePercent: 30,
  unknownFields: 'error',
  unknownValues: 'error',
  plaintextSecrets: 'error',
  unmanaged: 'report',
  unwatched: 'report',
  lint: defaultLintPolicy
}
