import { isList, isObject } from '../../../src/core/values/value.ts'
import { type Json, tryParseJson } from '../../../src/simulator/json.ts'
import type { Arrival } from '../../support/server.ts'
import { planted, TOKEN, wlans } from './secrets.ts'

/**
 * The requests without the token in its header and the secrets in their own fields of PUT bodies. Any secret
 * left was sent in the wrong place.
 */
export function misplaced(arrivals: readonly Arrival[]): Record<string, string> {
  const entries = arrivals.flatMap(({ method, path, headers, body }, n) => {
    const { authorization, ...others } = headers
    const shown = authorization === `Token ${TOKEN}` ? {} : { authorization }
    const rest = method === 'PUT' ? withoutOwn(tryParseJson(body) ?? body, ssidOf(path)) : body
    return [
      [`request ${n}: ${method}, its path`, path],
      [`request ${n}: ${method}, its headers`, JSON.stringify({ ...others, ...shown })],
      [`request ${n}: ${method}, its body`, JSON.stringify(rest)]
    ] as const
  })
  return Object.fromEntries(entries)
}

function ssidOf(path: string): string {
  return wlans.find(({ id }) => path.endsWith(`/wlans/${id}`))?.ssid ?? ''
}

function withoutOwn(value: Json, at: string): Json {
  if (isList(value)) return value.map((item, place) => withoutOwn(item, `${at}/${place}`))
  if (isObject(value)) {
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, withoutOwn(inner, `${at}/${name}`)])
    )
  }
  const isAtHome = planted.some(
    ({ value: secret, homes }) => secret === value && homes.includes(at)
  )
  return isAtHome ? '(its own)' : value
}
