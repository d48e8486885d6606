import { Agent, buildConnector } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { TransportError } from '../../../src/service/http/error.ts'
import { dispatchRequest } from '../../../src/service/http/http-connection.ts'
import { json } from '../../support/server.ts'
import { scripted } from '../support.ts'

const late = new TransportError({ kind: 'timeout' }, 'late')

/** An agent that connects slowly. */
function slowAgent(milliseconds: number): Agent {
  const connect = buildConnector({})
  const agent = new Agent({
    connect: (options, callback) => {
      setTimeout(() => connect(options, callback), milliseconds)
    }
  })
  onTestFinished(() => agent.destroy())
  return agent
}

test('a request that is aborted before the connection is open is not sent', async () => {
  const server = await scripted(json([]))
  const agent = slowAgent(50)
  const request = { origin: server.url, path: '/first', method: 'PUT' } as const
  const first = dispatchRequest(agent, request)
  first.cancel(late)
  await expect(first.done).rejects.toBe(late)
  const second = dispatchRequest(agent, { ...request, path: '/second' })
  expect((await second.done).status).toBe(200)
  expect(server.arrivals.map(({ path }) => path)).toEqual(['/second'])
})

test('a request that is no longer fresh when the connection is open is not sent', async () => {
  const server = await scripted(json([]))
  const agent = slowAgent(50)
  const request = { origin: server.url, path: '/', method: 'PUT' } as const
  const made = performance.now()
  const isFresh = () => performance.now() - made < 40
  const { done } = dispatchRequest(agent, request, undefined, isFresh)
  await expect(done).rejects.toMatchObject({ problem: { kind: 'expired', sent: 'no' } })
  expect(server.arrivals).toEqual([])
})

test('a settled request ignores an abort', async () => {
  const server = await scripted(json([]))
  const agent = slowAgent(0)
  const { done, cancel: stop } = dispatchRequest(agent, {
    origin: server.url,
    path: '/',
    method: 'GET'
  })
  const { body } = await done
  stop(late)
  expect(String(body)).toBe('[]')
  expect(await done).toMatchObject({ status: 200 })
})

test('an informational response is skipped', async () => {
  const server = await scripted((arrival, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    json([])(arrival, response)
  })
  const request = { origin: server.url, path: '/', method: 'GET' } as const
  expect((await dispatchRequest(slowAgent(0), request).done).status).toBe(200)
})
