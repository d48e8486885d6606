import { onTestFinished } from 'vitest'
import type { Simulator } from '../../src/simulator/server.ts'
import { type Arrival, json, raw, serve } from './server.ts'

/**
 * Starts a server that passes each request on to the simulator, and returns its address. `beforeAnswer` is called
 * while the answer is on its way: the service has handled the request, and the client does not know it yet. A request with
 * a `statusOf` gets that status instead.
 */
export async function frontOf(
  simulator: Pick<Simulator, 'url'>,
  beforeAnswer: (arrival: Arrival) => void | Promise<void>,
  statusOf: (arrival: Arrival) => number | undefined = () => undefined
): Promise<string> {
  const server = await serve((arrival, response) => {
    const { method, path, headers, body } = arrival
    const status = statusOf(arrival)
    if (status !== undefined) {
      json({ detail: 'Refused.' }, {}, status)(arrival, response)
      return
    }
    const { authorization = '' } = headers
    const request = { method, headers: { authorization }, ...(body !== '' && { body }) }
    fetch(simulator.url + path, request)
      .then(async answer => {
        const text = await answer.text()
        await beforeAnswer(arrival)
        const { 'content-length': _, ...kept } = Object.fromEntries(answer.headers)
        raw(text, kept, answer.status)(arrival, response)
      })
      .catch(() => response.destroy())
  })
  onTestFinished(() => server.close())
  return server.url
}
