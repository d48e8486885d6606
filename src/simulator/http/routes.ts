import { type Answer, json, refusal } from './answers.ts'

/** What a path names. Ids are as they were written: whether they exist is for the store to say. */
export type Resource =
  | { readonly kind: 'tokens' }
  | { readonly kind: 'wlans'; readonly site: string }
  | { readonly kind: 'wlan'; readonly site: string; readonly wlan: string }

const WLANS = /^\/api\/v1\/sites\/([^/]+)\/wlans(?:\/([^/]+))?$/

/** The resource at a path (without its query), or undefined. */
export function resourceAt(path: string): Resource | undefined {
  if (path === '/api/v1/self/apitokens') return { kind: 'tokens' }
  const [, site, wlan] = WLANS.exec(path) ?? []
  if (site === undefined) return undefined
  return wlan === undefined ? { kind: 'wlans', site } : { kind: 'wlan', site, wlan }
}

/** The operations there are; there is no create and no delete of WLANs. */
const methods: Readonly<Record<Resource['kind'], readonly string[]>> = {
  tokens: ['GET', 'POST', 'OPTIONS'],
  wlans: ['GET', 'OPTIONS'],
  wlan: ['GET', 'PUT', 'OPTIONS']
}

/** Answers OPTIONS, and 405 what the resource has no operation for; undefined for the others. */
export function methodAnswer(resource: Resource, method: string): Answer | undefined {
  const allowed = methods[resource.kind]
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS') return json(200, {}, headers)
  if (allowed.includes(method)) return undefined
  return refusal(405, `Method "${method}" not allowed.`, headers)
}
