import { quote, truncate } from '../../values/text.ts'
import {
  didYouMean,
  fromVariable,
  type Messages,
  placesHint,
  type VariableOrigin
} from './template.ts'

/** A value that a message may show; undefined for a map, a list, and a possible secret. */
type Shown = null | boolean | number | string | undefined

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: '`true` or `false`',
  object: 'a map',
  array: 'a list',
  null: '`null`'
}

const TRUE = /^(?:yes|on|true|y)$/i
const FALSE = /^(?:no|off|false|n)$/i
const NUMBER = /^-?\d+(?:\.\d+)?$/

/**
 * The value of a wrong type. Numbers are not shown, because a secret may look like one; strings only if they
 * look like the expected boolean or number, because others may be a misplaced secret.
 */
function gotType(allowed: readonly string[], found: Shown): string {
  if (found === undefined) return ''
  if (found === null) return ', got `null`'
  if (typeof found === 'number') return ', got a number'
  if (typeof found === 'boolean') return `, got \`${found}\``
  const isScalar = allowed.some(type => /^(?:boolean|integer|number)$/.test(type))
  const isShown = isScalar && [TRUE, FALSE, NUMBER].some(form => form.test(found))
  return isShown ? `, got the string ${quote(found)}` : ', got a string'
}

function typeHint(allowed: readonly string[], found: Shown): string | undefined {
  const isPlain = typeof found === 'number' || typeof found === 'boolean'
  if (isPlain && allowed.includes('string')) return 'quote the value'
  if (typeof found !== 'string') return undefined
  if (allowed.includes('boolean')) {
    if (TRUE.test(found)) return 'write `true`, without quotes'
    if (FALSE.test(found)) return 'write `false`, without quotes'
  }
  const isNumeric = allowed.includes('integer') || allowed.includes('number')
  return isNumeric && NUMBER.test(found) ? 'write it without quotes' : undefined
}

interface Bounds {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

function within({ minimum, maximum }: Bounds): string {
  if (maximum === undefined) return `${minimum ?? 0} or more`
  return minimum === undefined ? `at most ${maximum}` : `${minimum} to ${maximum}`
}

const MAX_SHOWN_LENGTH = 60

/** True for a number, an address, or a text too short for a passphrase; any other text may be a misplaced secret. */
function isShowable(found: Shown): boolean {
  return typeof found !== 'string' || found.length < 8 || /^[\d.,:/ -]+$/.test(found)
}

function got(found: Shown): string {
  if (found === undefined) return ''
  return `, got ${typeof found === 'string' ? quote(truncate(found, MAX_SHOWN_LENGTH)) : String(found)}`
}

function fewNames(known: readonly string[]): string {
  return known.length === 0 || known.length > 10 ? '' : `, expected one of ${known.join(', ')}`
}

/** Findings about the fields of a WLAN; none of them shows the value of a secret field. */
export const fieldMessages = {
  FIELD_UNKNOWN: (
    name: string,
    near?: string,
    variable?: VariableOrigin,
    known: readonly string[] = [],
    places: readonly string[] = []
  ) => ({
    message: `unknown field ${quote(name)}${fewNames(known)}${fromVariable(variable)}`,
    hint:
      placesHint(name, places) ??
      didYouMean(near, 'to allow unknown fields, set `policy.unknown_fields` to `warn`')
  }),
  FIELD_MISSING: (name: string, variable?: VariableOrigin) => ({
    message: `${quote(name)} is missing${fromVariable(variable)}`
  }),
  FIELD_TYPE: (allowed: readonly string[], found: Shown, variable?: VariableOrigin) => ({
    message: `expected ${allowed.map(type => types[type] ?? type).join(' or ')}${gotType(allowed, found)}${fromVariable(variable)}`,
    hint: typeHint(allowed, found)
  }),
  FIELD_VALUE_UNKNOWN: (
    found: Shown,
    known: readonly string[],
    near?: string,
    variable?: VariableOrigin
  ) => ({
    message: `expected one of ${known.join(', ')}${got(found)}${fromVariable(variable)}`,
    hint: didYouMean(near, 'to allow unknown values, set `policy.unknown_values` to `warn`')
  }),
  FIELD_RANGE: (bounds: Bounds, unit?: string, variable?: VariableOrigin, found?: Shown) => ({
    message: `expected ${within(bounds)}${unit === undefined ? '' : ` ${unit}`}${got(found)}${fromVariable(variable)}`
  }),
  FIELD_LENGTH: (bounds: Bounds, variable?: VariableOrigin, found?: Shown) => ({
    message: `expected ${within(bounds)} characters${typeof found === 'string' ? `, got ${[...found].length}` : ''}${fromVariable(variable)}`
  }),
  FIELD_COUNT: (bounds: Bounds, variable?: VariableOrigin) => ({
    message: `expected a list of ${within(bounds)} elements${fromVariable(variable)}`
  }),
  FIELD_PATTERN: (shape: string, variable?: VariableOrigin, found?: Shown) => ({
    message: `expected ${shape}${isShowable(found) ? got(found) : ''}${fromVariable(variable)}`
  }),
  FIELD_READ_ONLY: (name: string) => ({
    message: `${quote(name)} is read-only: the service sets it`,
    hint: 'remove the field'
  }),
  FIELD_DEPRECATED: (name: string) => ({
    level: 'warning',
    message: `${quote(name)} is deprecated: the service keeps it for old records only`
  }),
  SSID_INVALID: (problem: string, variable?: VariableOrigin) => ({
    message: `invalid SSID: ${problem}${fromVariable(variable)}`
  }),
  SSID_JOINER: (variable?: VariableOrigin) => ({
    level: 'warning',
    message: `the SSID has a zero-width joiner, which is invisible outside of emoji${fromVariable(variable)}`
  }),
  SECRET_IN_CLEAR: (variable?: VariableOrigin) => ({
    message: `plaintext secret${fromVariable(variable)}`,
    hint: 'replace it by a reference, `{ $env: WLAN_SECRET_… }` or `{ $file: … }`, and rotate the secret: Git keeps it'
  }),
  SECRET_MISPLACED: () => ({
    message: 'the field is not secret: every reader of the WLAN sees its value',
    hint: '`$env` and `$file` are for secret fields; use `$var` or `$format` for other values'
  }),
  // The value may be a misplaced secret, so no message shows it.
  SECRET_REFERENCE: (problem: string) => ({
    message: `invalid reference: ${problem}`
  }),
  SECRET_UNRESOLVED: (reference: string, problem: string) => ({
    level: 'warning',
    message: `${quote(reference)} is not available: ${problem}`,
    hint: 'the field is not compared, and `apply` needs it'
  }),
  SECRET_VERSION: (shape: string) => ({
    message: `invalid \`$version\`: expected ${shape}`,
    hint: 'raise it by one to send the secret again, e.g. `{ $env: WLAN_SECRET_GUEST_PSK, $version: 2 }`'
  }),
  SECRET_INVALID: (shape: string, variable?: VariableOrigin) => ({
    message: `invalid secret: expected ${shape}${fromVariable(variable)}`
  }),
  SECRET_MASKED: (reference: string, looksLike: string) => ({
    message: `the value of ${quote(reference)} is ${looksLike}, not the secret`,
    hint: looksLike.includes('quotes')
      ? 'load a file of `NAME=value` lines with `--secrets-file FILE`: `docker --env-file` and others keep the quotes'
      : 'store the secret itself where the reference points, or run wlanctl through the runner of the vault'
  }),
  WLAN_TOO_LARGE: (limit: number) => ({
    message: `the WLAN has more than ${limit} values, with its profiles and variables`
  })
} as const satisfies Messages
