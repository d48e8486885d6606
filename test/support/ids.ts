/** Shared ids: a site, its two WLANs, and one that does not exist. */
export const HQ = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'
export const CORP = '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b01'
export const GUEST = '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b02'
export const UNKNOWN_ID = '00000000-0000-4000-8000-00000000dead'

/** The nth id of a sequence. */
export function nth(n: number): string {
  return `7d6f1c5e-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
}
