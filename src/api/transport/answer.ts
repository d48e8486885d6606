import type { Dispatcher } from 'undici'
import { Fault, unbelievable } from '../error.ts'
import { within } from './deadline.ts'
import { detailOf } from './detail.ts'
import { retryAfter } from './retry-after.ts'

/** A complete answer 200 with JSON. */
export interface Answer {
  /** Decoded, but not looked at: anything JSON can hold. */
  readonly json: unknown
  /** When it was asked for, in milliseconds of the monotonic clock (`performance.now`). */
  readonly askedAt: number
  /** A header by its lower-case name; undefined if it is absent. Repeated ones are joined by commas. */
  header(name: string): string | undefined
  /** To be told of each secret that is found in it: no error of the run repeats one. */
  readonly meet: (secret: string) => void
}

type Response = Dispatcher.ResponseData

const MEBIBYTE = 1024 * 1024
const LONGEST_ANSWER = 16 * MEBIBYTE
const LONGEST_ERROR = MEBIBYTE / 16
/** Seconds the body of an error may take: the status is what matters. */
const ERROR_TIME = 2

/** Said with an error, beside the service's own words. */
const hints: Readonly<Record<number, string>> = {
  401: 'the service does not accept the token: check WLANCTL_API_TOKEN or --token-file',
  403: 'the token has no right to this',
  404: 'the service knows no such site or WLAN, or does not show it to this token'
}

/**
 * Reads a response whole. Success is 200 with JSON and nothing else: a captive portal, a proxy's
 * page and a cut answer are faults, never an empty result. The body is consumed or destroyed.
 */
export async function readAnswer(
  response: Response,
  askedAt: number,
  meet: Answer['meet']
): Promise<Answer> {
  response.body.on('error', () => undefined)
  try {
    const header = headerReader(response)
    await checkStatus(response, header)
    checkType(header)
    return { json: parse(await read(response, LONGEST_ANSWER)), askedAt, header, meet }
  } finally {
    response.body.destroy()
  }
}

async function checkStatus(response: Response, header: Answer['header']): Promise<void> {
  const status = response.statusCode
  if (status === 200) return
  if (status >= 400) {
    const wait = retryAfter(header('retry-after'), header('date'))
    throw new Fault(
      { kind: 'status', status, ...(wait === undefined ? {} : { retryAfter: wait }) },
      String(status),
      { detail: await errorDetail(response, header), hint: hints[status] }
    )
  }
  if (status < 300) throw unbelievable(`status ${status}, where 200 is the only success`)
  throw new Fault({ kind: 'redirect' }, `${status}: a redirect, which is not followed`, {
    detail: `to ${hostOf(header('location'))}`,
    hint: 'give the address of the service itself as base address'
  })
}

function checkType(header: Answer['header']): void {
  const encoding = header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw unbelievable('compressed, though nobody asked for it')
  const type = header('content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;[^,]*)?$/i.test(type)) return
  throw unbelievable('not JSON, by its content type', type === '' ? 'none' : type)
}

/** What the body of an error says; nothing if it is too long, too slow, compressed or cut. */
async function errorDetail(response: Response, header: Answer['header']) {
  if (header('content-encoding') !== undefined) return undefined
  try {
    const bytes = await within(ERROR_TIME, undefined, () => read(response, LONGEST_ERROR))
    return detailOf(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** Reads the body, counting what arrives, whatever its length is said to be. */
async function read(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limit) throw unbelievable(`longer than ${limit / MEBIBYTE} MiB`)
      chunks.push(chunk)
    }
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : unbelievable('it was cut off')
  }
  return Buffer.concat(chunks)
}

/** Decodes JSON; the parser's own message would quote the answer. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw unbelievable('not valid JSON in UTF-8')
  }
}

function headerReader({ headers }: Response): Answer['header'] {
  return name => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }
}

/** The host a `Location` points to: it may be absolute, relative, or no address at all. */
function hostOf(location = ''): string {
  const here = 'https://here.invalid'
  if (!URL.canParse(location, here)) return 'nowhere'
  const url = new URL(location, here)
  return url.origin === here ? 'the same host' : `the host ${url.host}`
}
