import type { ClientsNow } from '../../model/plan.ts'
import { compact } from '../../values/collections.ts'

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
