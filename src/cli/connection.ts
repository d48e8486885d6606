import { type Connection, checkBaseUrl } from '../api/connection.ts'
import { type Credentials, checkSession, checkTokens } from '../api/credentials.ts'
import type { Desired } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import type { Secret } from '../model/secret.ts'
import { secretsIn } from '../model/value.ts'
import { escapeText } from '../report/escape.ts'
import { readPrivateFile } from './files/private-file.ts'
import type { Io } from './io.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'
import { retryPolicyOf } from './retry-policy.ts'
import { tool } from './version.ts'

/** How a run reaches the service; a session is for those that have no token yet. */
type ConnectionOptions = ServiceOptions &
  Pick<ReportOptions, 'quiet'> & { readonly sessionCookieFile?: string }

/**
 * How to reach the service and as whom: from flags and environment, never from a file of the fleet.
 * No error of the service repeats a secret of what is desired. Throws a `Failure` (exit 3) if the
 * address or the credentials are missing or unfit.
 */
export async function connectionOf(
  options: ConnectionOptions,
  io: Io,
  signal: AbortSignal,
  desired?: Desired
): Promise<Connection> {
  const baseUrl = addressOf(options)
  const { parallelism, timeout, maxRequests } = options
  return {
    baseUrl,
    credentials: await credentialsOf(options, io),
    ...(desired && { secrets: async () => secretsOf(desired) }),
    parallelism,
    timeout,
    ...(maxRequests === undefined ? {} : { maxRequests }),
    userAgent: tool.name,
    env: io.env,
    patience: retryPolicyOf(options, io, signal),
    signal
  }
}

/** The address of the service. Throws a `Failure` (exit 3) if it is missing or unfit. */
export function addressOf({ baseUrl }: Pick<ServiceOptions, 'baseUrl'>): string {
  if (baseUrl !== undefined) return checkBaseUrl(baseUrl)
  throw new Failure(
    exit.wrongInput,
    'the address of the service is missing',
    'set WLANCTL_BASE_URL, or give --base-url https://…; `wlanctl simulate` runs one to try'
  )
}

function* secretsOf({ sites }: Desired): Generator<Secret> {
  for (const { wlans } of sites) for (const { fields } of wlans) yield* secretsIn(fields)
}

/** One source a run: whoever gives two may take one for the other. */
export async function credentialsOf(
  { tokenFile, sessionCookieFile }: Pick<ConnectionOptions, 'tokenFile' | 'sessionCookieFile'>,
  { env, cwd }: Io
): Promise<Credentials> {
  const variable = env['WLANCTL_API_TOKEN'] || undefined
  const given = [
    ...(variable === undefined ? [] : ['WLANCTL_API_TOKEN']),
    ...(tokenFile === undefined ? [] : ['a token file']),
    ...(sessionCookieFile === undefined ? [] : ['a session cookie file'])
  ]
  if (given.length > 1) {
    throw new Failure(
      exit.wrongInput,
      `it is not clear which account the run uses: there are ${given.join(' and ')}`,
      'keep one of them'
    )
  }
  if (variable !== undefined) return { tokens: checkTokens(variable, 'WLANCTL_API_TOKEN') }
  if (tokenFile !== undefined) {
    const text = await readPrivateFile(tokenFile, 'the token file', cwd)
    return { tokens: checkTokens(text, escapeText(tokenFile)) }
  }
  if (sessionCookieFile !== undefined) {
    return checkSession(await readPrivateFile(sessionCookieFile, 'the session cookie file', cwd))
  }
  throw new Failure(
    exit.wrongInput,
    'the API token is missing',
    'set WLANCTL_API_TOKEN, or give --token-file; for a first one see `wlanctl token create --help`'
  )
}
