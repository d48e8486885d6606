import { errorResponse, jsonResponse, type SimulatedResponse } from './http.ts'

/** A parsed path. Its ids are not checked. */
export type Route =
  | { readonly kind: 'tokens' }
  | { readonly kind: 'sites'; readonly org: string }
  | { readonly kind: 'wlans'; readonly site: string }
  | { readonly kind: 'wlan'; readonly site: string; readonly wlan: string }

const SITES = /^\/api\/v1\/orgs\/([^/]+)\/sites$/
const WLANS = /^\/api\/v1\/sites\/([^/]+)\/wlans(?:\/([^/]+))?$/

/** The route of a path (without its query), or undefined. */
export function matchRoute(path: string): Route | undefined {
  if (path === '/api/v1/self/apitokens') return { kind: 'tokens' }
  const [, org] = SITES.exec(path) ?? []
  if (org !== undefined) return { kind: 'sites', org }
  const [, site, wlan] = WLANS.exec(path) ?? []
  if (site === undefined) return undefined
  return wlan === undefined ? { kind: 'wlans', site } : { kind: 'wlan', site, wlan }
}

/** The supported methods; WLANs cannot be created or deleted. */
const methods: Readonly<Record<Route['kind'], readonly string[]>> = {
  tokens: ['GET', 'POST', 'OPTIONS'],
  sites: ['GET', 'OPTIONS'],
  wlans: ['GET', 'OPTIONS'],
  wlan: ['GET', 'PUT', 'OPTIONS']
}

/** The response to OPTIONS, and a 405 for an unsupported method; undefined for other requests. */
export function checkMethod(route: Route, method: string): SimulatedResponse | undefined {
  const allowed = methods[route.kind]
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS') return jsonResponse(200, {}, headers)
  if (allowed.includes(method)) return undefined
  return errorResponse(405, `Method "${method}" not allowed.`, headers)
}
