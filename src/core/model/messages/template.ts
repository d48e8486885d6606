import { plural, quote } from '../../values/text.ts'

/** The text of a finding, and its level; an error if `level` is absent. */
export interface MessageTemplate {
  readonly level?: 'error' | 'warning' | 'info'
  readonly message: string
  readonly hint?: string | undefined
}

export type Messages = Readonly<Record<string, (...details: never[]) => MessageTemplate>>

/** A hint with the correct name for a misspelled one, or another hint if no known name is close. */
export function didYouMean(near: string | undefined, otherwise?: string): string | undefined {
  return near === undefined ? otherwise : `did you mean ${quote(near)}?`
}

/** Where the schema has a field, or what it calls the field: `"psk" belongs under "auth"`; none without places. */
export function placesHint(name: string, places: readonly string[]): string | undefined {
  if (places.length === 0) return undefined
  const above = places.map(place => place.slice(0, place.lastIndexOf('.') + 1))
  if (places.some((place, at) => place !== `${above[at]}${name}`)) {
    return `did you mean ${places.map(place => quote(place)).join(' or ')}?`
  }
  const under = above.map(each =>
    each === '' ? 'at the root of the WLAN' : `under ${quote(each.slice(0, -1))}`
  )
  return `${quote(name)} belongs ${under.join(' or ')}`
}

/** The variables that a value comes from if it is not declared at the place of the finding. */
export interface VariableOrigin {
  readonly variables: readonly string[]
  /** The value, if the message does not contain it and it is not a secret. */
  readonly value?: string
  /** The first sites by name; `count` is the number of all. */
  readonly sites: readonly string[]
  readonly count: number
  /** The place at which the variable is set; absent for several variables. */
  readonly setAt?: { readonly file: string; readonly line: number; readonly column: number }
  /** True if `setAt` is the place for the first site, and the variable is set elsewhere for others. */
  readonly isSetElsewhere?: boolean
}

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

export function percentOf(part: number, whole: number): number {
  return Math.round((100 * part) / whole)
}
