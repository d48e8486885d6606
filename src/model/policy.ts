import type { ValueObject } from './value.ts'

/** A demand on every WLAN of a fleet: whatever fits `when` has to fit `require`. */
export interface PolicyRule {
  readonly name: string
  /** What to tell the author of a WLAN that breaks the rule. */
  readonly message: string
  /** A JSON Schema over the effective WLAN. Undefined: the rule is for every WLAN. */
  readonly when?: ValueObject
  /** A JSON Schema over the effective WLAN. */
  readonly require: ValueObject
  readonly level: 'error' | 'warning'
}

/** What a fleet demands of every run (the `policy` of its YAML). */
export interface Policy {
  /** `apply` refuses a plan with more changes. Undefined: no such limit. */
  readonly maxChanges?: number
  /** `apply` refuses to change more than this percentage of the declared WLANs, from 10 WLANs on. */
  readonly maxChangePercent: number
  readonly unknownFields: 'error' | 'warn'
  readonly plaintextSecrets: 'error' | 'warn' | 'allow'
  /** What a live WLAN that nobody declares is: listed, passed over, or an error. */
  readonly unmanaged: 'report' | 'ignore' | 'error'
  /** Lets `apply` make a WLAN less safe without being told so on the command line. */
  readonly allowDowngrade: boolean
  /** In the order of the file; their names are unique. */
  readonly rules: readonly PolicyRule[]
}

/** The policy of a fleet that declares none. */
export const defaultPolicy: Policy = {
  maxChangePercent: 30,
  unknownFields: 'error',
  plaintextSecrets: 'error',
  unmanaged: 'report',
  allowDowngrade: false,
  rules: []
}
