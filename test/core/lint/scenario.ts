import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { LintLevel } from '../../../src/core/lint/rule.ts'
import type { LintSite, LintWlan } from '../../../src/core/lint/view.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'

/** A fleet, and the expected level of the worst finding of the rule; by default that of the rule. */
export interface Scenario {
  readonly sites: readonly (readonly LintWlan[])[]
  readonly level?: LintLevel
}

/** A secret that every scenario keeps out of its findings. */
export const CANARY = 'hush-Zq7-and-more'

/** A live secret that the service hides. */
export const hidden = Secret.live('********')

/** A declared secret whose reference is not resolved. */
export const unresolved = new Secret({ $env: 'WLAN_SECRET_KEY' }, undefined)

/** The sites with names and ids. */
export function sitesOf({ sites }: Scenario): LintSite[] {
  return sites.map((wlans, n) => ({ id: `site-${n}`, name: `store-${n}`, wlans }))
}

type Fields = Readonly<Record<string, Value>>

/** An object with one member at each path: `auth.type`. */
export function fields(members: Fields): ValueObject {
  const object: Record<string, Value> = {}
  for (const [path, value] of Object.entries(members)) {
    const names = path.split('.')
    let inner = object
    for (const name of names.slice(0, -1)) {
      inner[name] ??= {}
      inner = inner[name] as Record<string, Value>
    }
    inner[names.at(-1) ?? ''] = value
  }
  return object
}

/** A scenario as `scenarios.yaml` and `well-known.yaml` write it: a WLAN, or several on one site or on one each. */
export interface Row {
  readonly level?: LintLevel
  readonly declared?: Fields
  readonly live?: Fields
  readonly site?: readonly Row[]
  readonly fleet?: readonly Row[]
}

export function scenarioOf({ level, declared, live, site, fleet }: Row): Scenario {
  const leveled = level === undefined ? {} : { level }
  const sites = [site, fleet].flatMap(rows => rows ?? []).flatMap(row => scenarioOf(row).sites)
  if (fleet !== undefined) return { sites, ...leveled }
  if (site !== undefined) {
    return { sites: [sites.flat().map((wlan, n) => ({ ...wlan, name: `net-${n}` }))], ...leveled }
  }
  const wlan: LintWlan = {
    name: 'net',
    declared: declared && fields(declared),
    live: live || declared === undefined ? recordOf(fields(live ?? {})) : undefined
  }
  return { sites: [[wlan]], ...leveled }
}

/** A record of a service that shows secrets: an absent secret is not set. */
function recordOf(members: ValueObject): ValueObject {
  return { ssid: 'Net', portal_api_secret: Secret.live('hush-of-the-portal'), ...members }
}

const customTags = [
  { tag: '!live', resolve: (text: string) => Secret.live(text) },
  { tag: '!hidden', resolve: () => hidden },
  { tag: '!env', resolve: (text: string) => new Secret({ $env: 'WLAN_SECRET_KEY' }, text) },
  { tag: '!ref', resolve: ($env: string) => new Secret({ $env }, 'hush-hush') },
  { tag: '!unresolved', resolve: () => unresolved }
]

/** Reads a file of rows with secrets. */
export function readRows(directory: string, name: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(join(directory, name), 'utf8')
  return parse(text, { customTags, merge: true, maxAliasCount: -1 })
}

interface RuleRows {
  readonly breaks: readonly Row[]
  readonly passes: readonly Row[]
}

const { rules } = readRows(import.meta.dirname, 'scenarios/scenarios.yaml') as {
  rules: Readonly<Record<string, RuleRows>>
}

/** Fleets that violate a rule, and similar fleets that do not, by rule. */
export const scenarios = Object.fromEntries(
  Object.entries(rules).map(([id, { breaks, passes }]) => [
    id,
    { breaks: breaks.map(scenarioOf), passes: passes.map(scenarioOf) }
  ])
)

export const server = { host: '10.0.0.5', port: 1812, secret: Secret.live('hush-of-all-radius') }
export const psk = { 'auth.type': 'psk', 'auth.psk': Secret.live(CANARY) }

/** The fields of a network that breaks no rule. */
export const corp = fields({
  'auth.type': 'eap',
  auth_servers: [server],
  ssid: 'Corp',
  portal_api_secret: Secret.live('hush-of-the-portal')
})
