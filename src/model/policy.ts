/**
 * What a fleet demands of every run (the `policy` of its YAML), but for the rules, by which WLANs are
 * judged where they are declared, and the rollout, which is made of the sites (`Desired.rollout`).
 */
export interface Policy {
  /** `apply` refuses a plan with more changes. Undefined: no such limit. */
  readonly maxChanges?: number
  /** `apply` refuses to change more than this percentage of the declared WLANs that exist, from 10 on. */
  readonly maxChangePercent: number
  /** Sites that a run reads at most of those that its base does not declare; the base's policy counts. */
  readonly maxNewSites: number
  readonly unknownFields: 'error' | 'warn'
  readonly plaintextSecrets: 'error' | 'warn' | 'allow'
  /** What a live WLAN that nobody declares is: listed, passed over, or an error. */
  readonly unmanaged: 'report' | 'ignore' | 'error'
  /** Lets `apply` make a WLAN less safe without being told so on the command line. */
  readonly allowDowngrade: boolean
}

/** The policy of a fleet that declares none. */
export const defaultPolicy: Policy = {
  maxChangePercent: 30,
  maxNewSites: 50,
  unknownFields: 'error',
  plaintextSecrets: 'error',
  unmanaged: 'report',
  allowDowngrade: false
}
