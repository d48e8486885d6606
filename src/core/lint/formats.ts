import { Secret } from '../values/secret.ts'
import { canonical, isEmpty, isList, isObject, type Value } from '../values/value.ts'

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)
const IPV4_SUBNET = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}/(\\d|[12]\\d|3[0-2])$`)
const IPV6_SUBNET = /^(?=.*:.*:)[\da-f:.]{2,45}\/(?:\d|[1-9]\d|1[01]\d|12[0-8])$/i

/** True for an IPv4 address. */
export function isIpv4(text: string): boolean {
  return IPV4.test(text)
}

/** True for an IPv4 subnet in CIDR notation, or a string that looks like an IPv6 subnet. */
export function isSubnet(text: string): boolean {
  return IPV4_SUBNET.test(text) || IPV6_SUBNET.test(text)
}

/** True for a subnet with a prefix of /8 or shorter: `10.0.0.0/8`, `::/0`. */
export function isWideSubnet(subnet: string): boolean {
  return isSubnet(subnet) && Number(subnet.split('/')[1]) <= 8
}

/** True if the IPv4 subnet contains the IPv4 address. */
export function subnetHolds(subnet: string, address: string): boolean {
  if (!isIpv4(address) || !IPV4_SUBNET.test(subnet)) return false
  const [base = '', length] = subnet.split('/')
  const size = 2 ** (32 - Number(length))
  return Math.floor(numberOf(base) / size) === Math.floor(numberOf(address) / size)
}

/** Subnets whose addresses do not cross the internet (RFC 6890). */
const INTERNAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3'
]

/** True for an IPv4 address that is reached over the internet. */
export function isPublicIpv4(text: string): boolean {
  return isIpv4(text) && !INTERNAL.some(subnet => subnetHolds(subnet, text))
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0)
}

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

/** The first and the last VLAN of a range such as 10-20, in their order; undefined for any other text. */
export function vlanRange(entry: string): readonly [first: number, last: number] | undefined {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(entry) ?? []
  return first === undefined ? undefined : [Number(first), Number(last)]
}

/** The length of a string in UTF-8, in bytes. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

const noEntries: readonly string[] = []

/** The entries of a list or of a comma-separated string, as strings; undefined for an unknown value. */
export function entriesOf(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined || value instanceof Secret) return undefined
  if (isEmpty(value)) return noEntries
  if (isList(value)) return areTexts(value) ? value : value.filter(isScalar).map(String)
  if (typeof value !== 'string') return typeof value === 'number' ? [String(value)] : []
  return value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

function areTexts(list: readonly Value[]): list is readonly string[] {
  return list.every(entry => typeof entry === 'string')
}

/** True if a declared and a live value are equal in any notation; unknown secrets may be equal. */
export function isEquivalent(declared: Value, live: Value): boolean {
  if (declared instanceof Secret || live instanceof Secret)
    return declared instanceof Secret && live instanceof Secret && declared.mayEqual(live)
  if (declared === live) return true
  return canonicalText(declared) === canonicalText(live)
}

/**
 * A canonical string: equal for values that differ only in order, case, or a number written as a string.
 */
function canonicalText(value: Value): string {
  if (isList(value)) return JSON.stringify(value.map(canonicalText).sort())
  return isScalar(value) ? String(value).toLowerCase() : JSON.stringify(canonical(value))
}

function isScalar(value: Value): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
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

/** The names of the variables in a string. */
export function serviceVariablesIn(text: string): string[] {
  return [...text.matchAll(/\{\{ ?(\w+) ?\}\}/g)].map(([, name = '']) => name)
}
