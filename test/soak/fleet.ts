import { isList, isObject } from '../../src/core/values/value.ts'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { SimulatedSite } from '../../src/simulator/store.ts'
import { declarations, secrets } from './declarations.ts'

/** The initial state of a WLAN and its declaration, in plain JSON. */
export interface Case {
  readonly site: string
  readonly wlan: string
  readonly before: JsonObject
  /** With variables and secrets resolved. */
  readonly declared: JsonObject
}

/** A generated fleet: the state of the service, and its declaration. */
export interface Fleet {
  readonly sites: readonly SimulatedSite[]
  /** By address. */
  readonly cases: ReadonlyMap<string, Case>
  /** The files that declare it. */
  readonly files: Readonly<Record<string, string>>
}

export interface FleetSize {
  readonly sites: number
  /** The number of WLANs of a site: 1, 2, 5 or all 10 families, with equal frequency. */
  readonly wlans: number
  readonly seed: number
  /** Whether the service hides secrets. */
  readonly hidden: boolean
}

/** Makes a fleet in which every WLAN must change, with the declaration of each SSID. */
export function makeFleet(
  { sites: count, wlans: perSite, seed, hidden }: FleetSize,
  bySsid = declarations(hidden)
): Fleet {
  const declared = Object.entries(bySsid)
  const groups = declared.length / perSite
  const generated = generateFleet({ sites: count, wlans: declared.length, seed })
  const sites = generated.map(({ id, name, wlans }, nth) => {
    const first = (nth % groups) * perSite
    return { id, name, wlans: wlans.slice(first, first + perSite) }
  })
  const cases = sites.flatMap((site, nth) =>
    site.wlans.map((before): [string, Case] => {
      const fields = Object.fromEntries(declared)[before.ssid] ?? {}
      const wanted = resolved(fields, variables(nth)) as JsonObject
      const place = { site: site.id, wlan: before.id, before }
      return [`${site.name}/${before.ssid}`, { ...place, declared: wanted }]
    })
  )
  const files = Array.from({ length: groups }, (_, group) => {
    const part = sites.flatMap(({ id, name }, nth) =>
      nth % groups === group ? { id, name, vars: variables(nth) } : []
    )
    const wlans = declared
      .slice(group * perSite, (group + 1) * perSite)
      .map(([ssid, fields]) => [ssid, { ssid, ...fields }])
    // JSON is YAML.
    return [
      `fleet-${group}.yaml`,
      JSON.stringify({ sites: part, wlans: Object.fromEntries(wlans) }, null, 1)
    ]
  })
  return { sites, cases: new Map(cases), files: Object.fromEntries(files) }
}

/** The servers of a generated site have these numbers in their addresses. */
function variables(nth: number): Readonly<Record<string, number>> {
  return { vlan: 200 + (nth % 1000), high: nth >> 8, low: nth & 255 }
}

function resolved(value: Json, vars: Readonly<Record<string, number>>): Json {
  if (isList(value)) return value.map(each => resolved(each, vars))
  if (!isObject(value)) return value
  const { $env, $var, $format } = value
  if ($env !== undefined) return secrets[String($env)] ?? null
  if ($var !== undefined) return vars[String($var)] ?? null
  if ($format !== undefined) {
    return String($format).replace(/\{(\w+)\}/g, (_, name) => String(vars[name]))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, resolved(inner, vars)])
  )
}
