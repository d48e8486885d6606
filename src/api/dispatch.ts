import type { Dispatcher } from 'undici'
import { invalidContent, invalidResponse, type TransportError } from './error.ts'
import {
  type BodyLimits,
  bodyLimits,
  MEBIBYTE,
  type RawResponse,
  type ResponseHead
} from './response.ts'
import { after, type Cancellable } from './timeout.ts'

/** One request, one response: nothing is followed, retried or decoded. */
export function dispatchRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions
): Cancellable<RawResponse> {
  let listener: Listener | undefined
  const done = new Promise<RawResponse>((resolve, reject) => {
    listener = new Listener(resolve, reject)
    dispatcher.dispatch(request, listener)
  })
  return { done, stop: fault => listener?.stop(fault) }
}

/** A response that has begun, and how much of it is wanted. */
interface Begun {
  readonly head: ResponseHead
  readonly limits: BodyLimits
}

/**
 * Takes in a response as undici reads it, and no more of it than is wanted; one that is not read to its
 * end costs the connection. The stream and the signal that undici's `request` makes for each would cost
 * as much as all the rest. undici ends a request whose listener throws, with what it threw.
 */
class Listener implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: RawResponse) => void
  readonly #reject: (reason: Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #stopped: Error | undefined
  #begun: Begun | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #chunks: Uint8Array[] = []
  #size = 0

  constructor(resolve: (response: RawResponse) => void, reject: (reason: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Rejects at once, if nothing is settled yet, and lets go of the connection. */
  stop(reason: Error): void {
    clearTimeout(this.#timer)
    this.#reject(reason)
    this.#stopped = reason
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#stopped !== undefined) controller.abort(this.#stopped)
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHead['headers']): void {
    // What only informs comes before the response. What is below is no status.
    if (status >= 100 && status < 200) return
    const head = { status, headers }
    const limits = bodyLimits(head)
    this.#begun = { head, limits }
    if (limits.seconds !== undefined)
      this.#timer = after(limits.seconds, () => this.#cut(invalidResponse('too slow')))
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    const most = this.#begun?.limits.bytes ?? 0
    this.#size += chunk.length
    this.#chunks.push(chunk)
    if (this.#size > most) this.#cut(invalidContent(`longer than ${most / MEBIBYTE} MiB`))
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    const chunks = this.#chunks
    const [body] = chunks.length === 1 ? chunks : [Buffer.concat(chunks)]
    if (this.#begun && body) this.#resolve({ ...this.#begun.head, body })
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#begun === undefined) this.stop(error)
    else this.#cut(invalidResponse('it was cut off'))
  }

  /** A body that is not to be had whole: an error counts without it, and nothing else does. */
  #cut(fault: TransportError): void {
    if (this.#begun?.limits.dispensable) this.#resolve(this.#begun.head)
    this.stop(fault)
  }
}
