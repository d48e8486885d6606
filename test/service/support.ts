import { onTestFinished } from 'vitest'
import { openReader, openTokens, openWriter } from '../../src/service/client.ts'
import type { Connection } from '../../src/service/http/connection.ts'
import { ApiError } from '../../src/service/http/error.ts'
import { HQ, nth } from '../support/ids.ts'
import { type Script, type ScriptedServer, serve } from '../support/server.ts'

export const TOKEN = 'tok-en_0123456789'
export { nth }

export const SITE = { id: HQ, name: 'hq' }
export const WLAN = nth(10)

/** A server for this test. */
export async function scripted(
  script: Script,
  tls?: Parameters<typeof serve>[1]
): Promise<ScriptedServer> {
  const server = await serve(script, tls)
  onTestFinished(() => server.close())
  return server
}

/** Sends these responses in order, and repeats the last one. */
export function inTurn(...scripts: readonly Script[]): Script {
  let turn = 0
  return (arrival, response) => {
    scripts[Math.min(turn, scripts.length - 1)]?.(arrival, response)
    turn += 1
  }
}

export function connectionTo(baseUrl: string, changes: Partial<Connection> = {}): Connection {
  const defaults = {
    tokens: [TOKEN],
    parallelism: 4,
    timeout: 20,
    userAgent: 'wlanctl/test',
    env: {}
  }
  return { baseUrl, ...defaults, ...changes }
}

/** The three clients on one connection, closed when the test ends. */
export function clients(baseUrl: string, changes: Partial<Connection> = {}) {
  const connection = connectionTo(baseUrl, changes)
  const reader = openReader(connection)
  const writer = openWriter(connection)
  const tokens = openTokens(connection)
  onTestFinished(async () => {
    await Promise.all([reader.close(), writer.close(), tokens.close()])
  })
  return { reader, writer, tokens }
}

/** The `ApiError` that a promise must reject with. */
export async function apiError(promise: Promise<unknown>): Promise<ApiError> {
  const thrown = await promise.then(
    value => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason
  )
  if (thrown instanceof ApiError) return thrown
  throw thrown
}
