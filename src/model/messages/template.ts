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

/** The variables of sites that a value comes from, where it is not written at the place of the finding. */
export interface VariableOrigin {
  readonly variables: readonly string[]
  /** The value, where the message does not state it and it is no secret. */
  readonly value?: string
  /** The first sites by name, of `count`. */
  readonly sites: readonly string[]
  readonly count: number
  /** Where the variable is set; absent for several variables. */
  readonly setAt?: { readonly file: string; readonly line: number; readonly column: number }
  /** `setAt` is the place of the first site, and others set the variable elsewhere. */
  readonly isSetElsewhere?: boolean
}

/** The variable that a value comes from, the sites that have the value, and where they set it. */
export function fromVariable(origin: VariableOrigin | string | undefined): string {
  if (origin === undefined) return ''
  if (typeof origin === 'string') return ` (from the variable ${quote(origin)})`
  const { variables, value, setAt } = origin
  const [named, ...others] = variables.map(name => quote(name))
  const names =
    others.length === 0
      ? `variable ${named}`
      : `variables ${variables.map(name => quote(name)).join(', ')}`
  const set =
    setAt &&
    `, ${origin.isSetElsewhere ? 'first ' : ''}set at ${setAt.file}:${setAt.line}:${setAt.column}`
  return ` (from the ${names}${value === undefined ? '' : `, ${quote(value)},`}${ofSites(origin)}${set ?? ''})`
}

/** ` of the site "hq"`, or ` of 12 sites: a, b, c and 9 more`; empty without a site. */
export function ofSites({ sites, count }: Pick<VariableOrigin, 'sites' | 'count'>): string {
  if (count === 0) return ''
  if (count === 1) return ` of the site ${quote(sites[0] ?? '')}`
  const more = count - sites.length
  return ` of ${plural(count, 'site')}: ${sites.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The WLANs of a finding that several of them have in common. */
export function concerning(addresses: readonly string[]): string {
  return `affects ${plural(addresses.length, 'WLAN')}: ${listFirst(addresses, 3)}`
}

export function percentOf(part: number, whole: number): number {
  return Math.round((100 * part) / whole)
}
