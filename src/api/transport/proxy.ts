import { exit, Failure } from '../../model/failure.ts'
import { type Connection, type Environment, isLoopback } from '../connection.ts'

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
    httpsProxy: checkProxy(setting(env, 'https_proxy')),
    noProxy: setting(env, 'no_proxy')
  }
}

function setting(env: Environment, name: string): string {
  return env[name] ?? env[name.toUpperCase()] ?? ''
}

function checkProxy(text: string): string {
  if (text === '') return ''
  const address = text.includes('://') ? text : `http://${text}`
  if (isProxyAddress(address)) return address
  throw new Failure(
    exit.wrongInput,
    'HTTPS_PROXY is not the address of an http or https proxy',
    'it looks like http://proxy.example.com:3128'
  )
}

function isProxyAddress(address: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(address)
    decodeURIComponent(username + password)
    return /^https?:$/.test(protocol) && hostname !== ''
  } catch {
    return false
  }
}
