import { type Desired, declaredSecrets } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import { tool } from '../core/model/tool.ts'
import { formatTimeOfDay } from '../core/values/time.ts'
import { escapeText } from '../report/escape.ts'
import { openReader, type Reader } from '../service/client.ts'
import { clockUntil } from '../service/http/clock.ts'
import { type Connection, checkBaseUrl, checkTokens } from '../service/http/connection.ts'
import type { RetryPolicy } from '../service/http/retry.ts'
import { readPrivateFile } from './files/files.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'
import type { Io } from './terminal/io.ts'
import { safeObserver, writeAboveStatus } from './terminal/status-line.ts'

type ConnectionOptions = ServiceOptions & Pick<ReportOptions, 'quiet'>

/**
 * The connection with address and tokens from flags and environment, never from a file of the fleet. The
 * client redacts the secrets of `desired` in errors of the service. Throws a `Failure` (exit 3) if the
 * address or the tokens are missing or invalid.
 */
export async function connectionOf(
  options: ConnectionOptions,
  io: Io,
  signal: AbortSignal,
  desired?: Desired
): Promise<Connection> {
  const { parallelism, timeout } = options
  return {
    baseUrl: addressOf(options),
    tokens: await tokensOf(options, io),
    ...(desired && { secrets: () => declaredSecrets(desired) }),
    parallelism,
    timeout,
    userAgent: tool.name,
    env: io.env,
    retryPolicy: retryPolicyOf(options, io, signal),
    signal
  }
}

/** Opens the service for reading, with the secrets of `desired` redacted, if a fleet is involved, until `work` ends. */
export async function withReader<Result>(
  options: ConnectionOptions,
  io: Io,
  desired: Desired | undefined,
  work: (reader: Reader) => Promise<Result>
): Promise<Result> {
  const reader = openReader(await connectionOf(options, io, io.interrupted, desired))
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

/** The address of the service. Throws a `Failure` (exit 3) if it is missing or invalid. */
export function addressOf({ baseUrl }: Pick<ServiceOptions, 'baseUrl'>): string {
  if (baseUrl !== undefined) return checkBaseUrl(baseUrl)
  throw wrongInput(
    'the address of the service is missing',
    'set WLANCTL_BASE_URL, or give --base-url https://…; to try it out, run `wlanctl simulate`'
  )
}

/** The API tokens of the run, from exactly one source, because two may belong to different accounts. */
export async function tokensOf(
  { tokenFile }: Pick<ConnectionOptions, 'tokenFile'>,
  { env, cwd }: Io
): Promise<readonly string[]> {
  const variable = env['WLANCTL_API_TOKEN'] || undefined
  if (variable !== undefined && tokenFile !== undefined) {
    throw wrongInput(
      'expected one source of credentials, got WLANCTL_API_TOKEN and a token file',
      'remove one of the two'
    )
  }
  if (variable !== undefined) return checkTokens(variable, 'WLANCTL_API_TOKEN')
  if (tokenFile !== undefined) {
    const text = await readPrivateFile(tokenFile, 'the token file', cwd)
    return checkTokens(text, escapeText(tokenFile))
  }
  throw wrongInput(
    'the API token is missing',
    'set WLANCTL_API_TOKEN, or give --token-file; the web console of the service creates the first one'
  )
}

/** The retry policy of the run; `abortSignal` ends every wait. Prints waits for a rate limit. */
export function retryPolicyOf(
  { maxAttempts, maxWait, quiet }: ServiceOptions & Pick<ReportOptions, 'quiet'>,
  io: Io,
  abortSignal: AbortSignal
): RetryPolicy {
  let printed = 0
  const safely = safeObserver('a notice', io)
  return {
    maxAttempts,
    maxWait,
    clock: clockUntil(abortSignal),
    random: Math.random,
    interrupted: io.interrupted,
    onWait: safely(until => {
      // Prints one line for a limit that many requests hit.
      const time = until.getTime()
      if (quiet || time - printed < 1_000) return
      printed = time
      const retry = Number.isNaN(time) ? '' : `; retrying at ${formatTimeOfDay(until)}`
      writeAboveStatus(io, `wlanctl: rate limit reached${retry}`)
    }, undefined),
    onRefused: safely(token => {
      writeAboveStatus(io, `wlanctl: warning: the service rejected ${token}; continuing without it`)
    }, undefined)
  }
}
