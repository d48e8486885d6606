import { type Finding, finding } from '../../model/finding.ts'
import type { Outcome, Status } from '../../model/outcome.ts'
import type { Change, ClientsNow, Plan, PlanClients } from '../../model/plan.ts'
import { compact } from '../../values/collections.ts'

/** A site of a plan with its number of clients, if that is known. */
interface CountedSite {
  /** Absent if the site could not be read. */
  readonly name?: string
  readonly clients?: number
}

/**
 * The number of clients at the sites of a plan, and of those that its changes affect; undefined if no site
 * has a number.
 */
export function countClients(
  sites: readonly CountedSite[],
  changes: readonly Change[]
): PlanClients | undefined {
  const known = new Map(
    sites.flatMap(({ name, clients }) =>
      name === undefined || clients === undefined ? [] : [[name, clients] as const]
    )
  )
  if (known.size === 0) return undefined
  const changed = new Set(changes.map(({ site }) => site.name))
  const bySite = Object.fromEntries([...known].filter(([name]) => changed.has(name)))
  const total = [...known.values()].reduce((sum, clients) => sum + clients, 0)
  const { affected, unknown } = affectedClients(changes, bySite)
  return {
    total,
    affected,
    ...(unknown.length > 0 && { sites_unknown: unknown.length }),
    by_site: bySite
  }
}

/**
 * The number of clients that a run affected: at sites where a change with an impact may have reached the
 * service, even if it was put back. Undefined if no site has a number.
 */
export function clientsReached(
  { changes, clients }: Pick<Plan, 'changes' | 'clients'>,
  outcomes: readonly Outcome[]
): PlanClients | undefined {
  if (clients === undefined) return undefined
  const reached = new Set(
    outcomes.flatMap(({ address, status }) => (statusesReached.has(status) ? address : []))
  )
  const { sites_unknown: _, ...known } = clients
  const sent = changes.filter(({ address }) => reached.has(address))
  const { affected, unknown } = affectedClients(sent, clients.by_site)
  return { ...known, affected, ...compact({ sites_unknown: unknown.length || undefined }) }
}

/** The statuses of changes that the service may have stored. */
const statusesReached: ReadonlySet<Status> = new Set(['applied', 'diverged', 'unknown', 'reverted'])

/** Adds up the clients of several plans for parts of a fleet. */
export function mergeClients(parts: readonly (PlanClients | undefined)[]): PlanClients | undefined {
  const known = parts.filter(part => part !== undefined)
  if (known.length === 0) return undefined
  const sum = (count: (part: PlanClients) => number) =>
    known.reduce((total, part) => total + count(part), 0)
  const unknown = sum(({ sites_unknown = 0 }) => sites_unknown)
  return {
    total: sum(({ total }) => total),
    affected: sum(({ affected }) => affected),
    ...(unknown > 0 && { sites_unknown: unknown }),
    by_site: Object.fromEntries(known.flatMap(({ by_site }) => Object.entries(by_site)))
  }
}

/** Joins the answers of several plans for parts of a fleet; a problem counts only if no site has an answer. */
export function mergeClientsNow(
  parts: readonly (ClientsNow | undefined)[]
): ClientsNow | undefined {
  const asked = parts.filter(part => part !== undefined)
  if (asked.length === 0) return undefined
  const counts = asked.flatMap(({ by_site }) => Object.entries(by_site))
  const problem = asked.find(part => part.problem !== undefined)?.problem
  return { by_site: Object.fromEntries(counts), ...(counts.length === 0 && compact({ problem })) }
}

/**
 * The number of clients at the sites where changes have an impact, each site once; and the sites without a
 * number.
 */
export function affectedClients(
  changes: readonly Pick<Change, 'site' | 'impact'>[],
  bySite: PlanClients['by_site']
): { readonly affected: number; readonly unknown: readonly string[] } {
  const sites = new Set(
    changes.flatMap(({ site, impact }) => (impact === undefined ? [] : site.name))
  )
  const names = [...sites]
  const clientsAt = (name: string) => (Object.hasOwn(bySite, name) ? bySite[name] : undefined)
  return {
    affected: names.reduce((sum, name) => sum + (clientsAt(name) ?? 0), 0),
    unknown: names.filter(name => clientsAt(name) === undefined)
  }
}

/**
 * Refuses changes that affect more clients than the limit on the command line, or else of the policy; also if
 * the number of clients of a changed site is unknown.
 */
export function overClients(
  changes: readonly Change[],
  clients: PlanClients | undefined,
  limit: number | undefined,
  override: number | 'all' | undefined
): Finding[] {
  const max = override ?? limit
  if (max === undefined || max === 'all') return []
  const { affected, unknown } = affectedClients(changes, clients?.by_site ?? {})
  const source = override === undefined ? 'policy.max_clients' : '--max-clients'
  return [
    ...(affected > max ? [finding('OVER_MAX_CLIENTS', {}, affected, max, source)] : []),
    ...(unknown.length > 0 ? [finding('CLIENTS_UNKNOWN', {}, unknown, source)] : [])
  ]
}
