import { isIpv4 } from '../values/address.ts'
import { Secret } from '../values/secret.ts'
import { canonical, isList, isObject, isScalar, type Value } from '../values/value.ts'

/** The reason why a string is not a valid host name or address of a server; undefined if it may be one. */
export function hostProblem(host: string): string | undefined {
  if (holdsVariable(host) || host === '') return undefined
  if (/\s/.test(host)) return 'contains a blank'
  if (host.includes('/')) return 'contains "/"'
  if (/^[\d.]+$/.test(host) && !isIpv4(host)) return 'is not an IPv4 address'
  return /^[^:]*:\d+$|\]:\d+$/.test(host) ? 'contains a port' : undefined
}

/** The host of a URL in lower case, without the port; undefined if the string has none. */
export function hostOfUrl(url: string): string | undefined {
  return /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^:/?#]+)/i.exec(url)?.[1]?.toLowerCase()
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** True if a declared and a live value are equal in any notation; unknown secrets may be equal. */
export function isEquivalent(declared: Value, live: Value): boolean {
  if (declared instanceof Secret || live instanceof Secret)
    return declared instanceof Secret && live instanceof Secret && declared.mayEqual(live)
  if (declared === live) return true
  return canonicalText(declared) === canonicalText(live)
}

/** One text for values that differ only in order, case, or a number written as a string. */
function canonicalText(value: Value): string {
  if (isList(value)) return JSON.stringify(value.map(canonicalText).sort())
  return isScalar(value) ? String(value).toLowerCase() : JSON.stringify(canonical(value))
}

/** A variable of the service as J-VAR describes it: letters, digits and underscores in double braces. */
const VARIABLE = /\{\{ ?\w+ ?\}\}/g

/** True if the string contains a variable of the service, such as `{{vlan}}`, or a part of one. */
export function holdsVariable(text: string): boolean {
  return text.includes('{{')
}

/** True for a value with such a text at any depth; a secret is none. */
export function holdsVariables(value: Value | undefined): boolean {
  if (typeof value === 'string') return holdsVariable(value)
  if (isList(value)) return value.some(holdsVariables)
  return isObject(value) && Object.values(value).some(holdsVariables)
}

/** True if the string contains `{{` that does not start a variable. */
export function hasBrokenVariable(text: string): boolean {
  return text.replace(VARIABLE, '').includes('{{')
}

export function serviceVariablesIn(text: string): string[] {
  return [...text.matchAll(/\{\{ ?(\w+) ?\}\}/g)].map(([, name = '']) => name)
}
