import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Connection, checkBaseUrl, checkToken } from '../api/connection.ts'
import { exit, Failure, reasonOf } from '../model/failure.ts'
import type { Io } from './io.ts'
import type { ServiceOptions } from './options.ts'
import { patienceOf } from './patience.ts'
import { tool } from './version.ts'

/** A token has some 40 characters; a file much longer than that is another file. */
const MAX_TOKEN_BYTES = 4096

/**
 * How to reach the service and as whom: from flags and environment, never from a file of the fleet.
 * Throws a `Failure` (exit 3) if the address or the token is missing or unfit.
 */
export async function connectionOf(
  options: ServiceOptions,
  io: Io,
  signal: AbortSignal
): Promise<Connection> {
  if (options.baseUrl === undefined) {
    throw new Failure(
      exit.wrongInput,
      'the address of the service is missing',
      'set WLANCTL_BASE_URL, or give --base-url https://…; `wlanctl simulate` runs one to try'
    )
  }
  const baseUrl = checkBaseUrl(options.baseUrl)
  const token = checkToken(await tokenOf(options, io))
  const { parallelism, timeout } = options
  const patience = patienceOf(options, io, signal)
  return {
    baseUrl,
    token,
    parallelism,
    timeout,
    userAgent: tool.name,
    env: io.env,
    patience,
    signal
  }
}

async function tokenOf({ tokenFile }: ServiceOptions, io: Io): Promise<string> {
  const variable = io.env['WLANCTL_API_TOKEN'] || undefined
  if (variable !== undefined && tokenFile !== undefined) {
    throw new Failure(
      exit.wrongInput,
      'there are two API tokens: WLANCTL_API_TOKEN and a token file',
      'unset one of them, so that it is clear which account the run uses'
    )
  }
  if (tokenFile !== undefined) return readTokenFile(tokenFile, io.cwd)
  if (variable !== undefined) return variable
  throw new Failure(
    exit.wrongInput,
    'the API token is missing',
    'set WLANCTL_API_TOKEN, or give --token-file FILE'
  )
}

async function readTokenFile(file: string, cwd: string): Promise<string> {
  const wrong = (problem: string, hint?: string) =>
    new Failure(exit.wrongInput, `the token file ${file} ${problem}`, hint)
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const handle = await open(resolve(cwd, file), flags).catch(error => {
    throw wrong(`cannot be read: ${reasonOf(error)}`)
  })
  try {
    const { mode, size, isFile } = await handle.stat().then(stat => ({
      mode: stat.mode,
      size: stat.size,
      isFile: stat.isFile()
    }))
    if (!isFile || size > MAX_TOKEN_BYTES) throw wrong('is no regular file with a token in it')
    if ((mode & 0o077) !== 0) throw wrong('can be read by others', `run: chmod 600 ${file}`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
