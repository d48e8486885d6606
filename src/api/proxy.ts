import { exit, Failure } from '../model/failure.ts'
import { type Connection, type Environment, isLoopback } from './connection.ts'

/**
 * The proxy settings of a connection, all of them given: a setting that undici does not get, it
 * reads from the process by itself.
 */
export interface ProxySettings {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/**
 * What the environment says about proxies, in the manner of curl: the lower-case name goes first,
 * and `http_proxy` is not for https. A loopback host is never asked through a proxy: that would
 * carry the token off the machine in clear. Throws a `Failure`, which shows no credentials.
 */
export function proxySettings({
  baseUrl,
  env
}: Pick<Connection, 'baseUrl' | 'env'>): ProxySettings {
  if (isLoopback(baseUrl)) return { httpProxy: '', httpsProxy: '', noProxy: '' }
  return {
    httpProxy: '',
    httpsProxy: proxyIn(env),
    noProxy: env[variableOf(env, 'no_proxy')] ?? ''
  }
}

/** The name under which a setting is in the environment. */
function variableOf(env: Environment, name: string): string {
  return env[name] === undefined ? name.toUpperCase() : name
}

function proxyIn(env: Environment): string {
  const variable = variableOf(env, 'https_proxy')
  const text = env[variable] ?? ''
  if (text === '') return ''
  const address = text.includes('://') ? text : `http://${text}`
  const objection = objectionTo(address)
  if (objection === undefined) return address
  throw new Failure(
    exit.wrongInput,
    `${variable} ${objection}`,
    'a proxy address looks like http://proxy.example.com:3128'
  )
}

/** Why the address is not that of a proxy: it is not repeated, since there may be a password in it. */
function objectionTo(address: string): string | undefined {
  const none = 'is not the address of an http or https proxy'
  try {
    const { protocol, hostname, username, password, pathname, search, hash } = new URL(address)
    decodeURIComponent(username + password)
    if (!/^https?:$/.test(protocol) || hostname === '') return none
    const isBare = pathname === '/' && search === '' && hash === ''
    return isBare ? undefined : 'has a path, a query or a fragment, which a proxy address must not'
  } catch {
    return none
  }
}
