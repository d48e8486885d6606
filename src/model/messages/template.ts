import { listFirst, plural, quote } from '../text.ts'

/** The text of a finding, and its severity; an error where `level` is absent. */
export interface MessageTemplate {
  readonly level?: 'error' | 'warning' | 'info'
  readonly message: string
  readonly hint?: string
}

/** Messages by code; each takes its details. */
export type Messages = Readonly<Record<string, (...details: never[]) => MessageTemplate>>

/** The hint about a misspelled name, or another one where no known name is near. */
export function didYouMean(near: string | undefined): { readonly hint?: string }
export function didYouMean(near: string | undefined, otherwise: string): { readonly hint: string }
export function didYouMean(near: string | undefined, otherwise?: string): { hint?: string } {
  const hint = near === undefined ? otherwise : `did you mean ${quote(near)}?`
  return hint === undefined ? {} : { hint }
}

/** The variable that a value comes from, where it is not written at the place of the finding. */
export function fromVariable(variable: string | undefined): string {
  return variable === undefined ? '' : ` (from the variable ${quote(variable)})`
}

/** The WLANs of a finding that several of them have in common. */
export function concerning(addresses: readonly string[]): string {
  return `affects ${plural(addresses.length, 'WLAN')}: ${listFirst(addresses, 3)}`
}

export function percentOf(part: number, whole: number): number {
  return Math.round((100 * part) / whole)
}
