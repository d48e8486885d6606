import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Cancellable, Timeout } from '../../src/service/http/clock.ts'
import { json, type Script } from '../support/server.ts'
import { apiError, clients, SITE, scripted, WLAN } from './support.ts'

const silent: Script = () => undefined

/** Sends a byte at intervals, endlessly. */
const drip: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

describe('a timeout', () => {
  test.each([
    ['no response', silent],
    ['a slow response', drip],
    [
      'headers and nothing more',
      (_, response) => response.setHeader('content-type', 'application/json').flushHeaders()
    ]
  ] satisfies [string, Script][])('ends the wait for %s', async (_, script) => {
    const server = await scripted(script)
    const { reader } = clients(server.url, { timeout: 0.2 })
    const error = await apiError(reader.listWlans(SITE))
    expect(error.problem).toEqual({ kind: 'timeout' })
    server.script(json([]))
    expect((await reader.listWlans(SITE)).wlans).toEqual([])
  })

  test('includes the time to connect', async () => {
    const mute = createServer()
    await new Promise<void>(listening => mute.listen(0, '127.0.0.1', listening))
    onTestFinished(() => {
      mute.close()
    })
    const address = mute.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { reader } = clients(`https://127.0.0.1:${port}`, { timeout: 0.2 })
    expect((await apiError(reader.listWlans(SITE))).problem).toEqual({ kind: 'timeout' })
  })

  test('does not run while a request waits for a free connection', async () => {
    const server = await scripted((arrival, response) => {
      setTimeout(() => json([])(arrival, response), 150)
    })
    const { reader } = clients(server.url, { parallelism: 1, timeout: 1 })
    await Promise.all(Array.from({ length: 12 }, () => reader.listWlans(SITE)))
    expect(server.arrivals).toHaveLength(12)
  })

  test('may exceed the longest timer', async () => {
    const server = await scripted(json([]))
    const { reader } = clients(server.url, { timeout: 1e10 })
    expect((await reader.listWlans(SITE)).wlans).toEqual([])
  })
})

describe('an abort', () => {
  test('ends active and waiting requests, and no other request is sent', async () => {
    const run = new AbortController()
    const server = await scripted(() => run.abort())
    const { writer } = clients(server.url, { signal: run.signal, parallelism: 1 })
    const first = apiError(writer.updateWlan(SITE, WLAN, {}))
    const second = apiError(writer.updateWlan(SITE, WLAN, {}))
    expect((await first).problem).toEqual({ kind: 'aborted', sent: 'perhaps' })
    expect((await second).problem).toEqual({ kind: 'aborted', sent: 'no' })
    expect((await first).exitCode).toBe(130)
    expect(server.arrivals).toHaveLength(1)
    expect(writer.requests).toBe(1)
  })

  test('reaches any number of requests without a warning', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => {
      process.off('warning', onWarning)
    })
    const server = await scripted(json([]))
    const { signal } = new AbortController()
    const { reader } = clients(server.url, { signal, parallelism: 32 })
    await Promise.all(Array.from({ length: 64 }, () => reader.listWlans(SITE)))
    expect(warnings).toEqual([])
  })

  test('of all requests follows when the client is closed', async () => {
    const server = await scripted(() => writer.close())
    const { writer } = clients(server.url)
    const error = await apiError(writer.listWlans(SITE))
    expect(error.problem.kind).toBe('aborted')
  })
})

test('settled work leaves no timer and no listener', async () => {
  const run = new AbortController()
  const timeout = new Timeout(5, run.signal)
  const cancelled: Error[] = []
  const working = <T>(done: Promise<T>): Cancellable<T> => ({
    done,
    cancel: error => cancelled.push(error)
  })
  timeout.throwIfAborted()
  await expect(timeout.limit(working(Promise.resolve('done')))).resolves.toBe('done')
  const failed = Promise.reject(new Error('x'))
  await expect(timeout.limit(working(failed))).rejects.toThrow('x')
  run.abort()
  expect(cancelled).toEqual([])
  expect(() => timeout.throwIfAborted()).toThrow('interrupted')
})
