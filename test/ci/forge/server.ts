import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { onTestFinished } from 'vitest'
import { githubRoutes } from './github.ts'
import { gitlabRoutes } from './gitlab.ts'
import { type Call, type Paged, Reply, type Routes } from './routes.ts'
import type { ForgeState, Kind, StoredArtifact, User } from './state.ts'

/** What goes wrong with some of the next requests. */
export interface Fault {
  /** Of method and path without the query. */
  readonly matching: RegExp
  /** Default: each. */
  times?: number
  readonly status: number
  readonly body?: unknown
}

/** The forge over HTTP on loopback, with a storage for artifacts on another port, which accepts no token. */
export interface ForgeServer {
  readonly url: string
  /** Method and path of each request to the interface. */
  readonly calls: string[]
  readonly faults: Fault[]
  /** Called with each request before it is answered. */
  onCall?: (call: string) => void
}

export async function startServer(kind: Kind, state: ForgeState): Promise<ForgeServer> {
  const calls: string[] = []
  const faults: Fault[] = []
  const storage = await listen(async (request, response) => {
    const isRefused = request.headers.authorization !== undefined
    const stored = state.artifact(Number(/^\/(\d+)/.exec(request.url ?? '')?.[1]))
    if (isRefused || stored === undefined) response.writeHead(isRefused ? 400 : 404).end()
    else await sendArchive(response, stored)
  })
  const routes = kind === 'github' ? githubRoutes(state, storage) : gitlabRoutes(state, storage)
  const url = await listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://forge')
    const path = decodeURIComponent(pathname).replace(/^\/api\/v4/, '')
    const name = `${request.method} ${path}`
    calls.push(name)
    server.onCall?.(name)
    const body = await bodyOf(request)
    const fault = faults.find(({ matching, times = 1 }) => times > 0 && matching.test(name))
    if (fault?.times !== undefined) fault.times -= 1
    const answer = () => {
      const user = userOf(request, state)
      const lacking = lackingPermission(kind, name, user)
      if (lacking !== undefined) {
        const message = 'Resource not accessible by integration'
        return new Reply(403, { message }, { 'x-accepted-github-permissions': lacking })
      }
      return route(routes, name, { query: searchParams, body, user, url })
    }
    if (fault) send(response, new Reply(fault.status, fault.body ?? {}))
    else sendPage(response, attempt(answer), new URL(request.url ?? '', url))
  })
  const server: ForgeServer = { url, calls, faults }
  return server
}

/** What GitHub's tokens need for each path. */
const needed: readonly (readonly [path: RegExp, permissions: readonly string[]])[] = [
  [/\/actions\//, ['actions']],
  [/\/pulls/, ['pull-requests']],
  [/\/issues(?:\/\d+)?$/, ['issues']],
  [/\/issues\/.*comments/, ['issues', 'pull-requests']],
  [/\/branches\//, ['contents']]
]

/** The permission that a token lacks for a call; undefined if it may do it. */
function lackingPermission(kind: Kind, call: string, { permissions }: User): string | undefined {
  const isWrite = !call.startsWith('GET ') && call !== 'POST /graphql'
  if (kind === 'gitlab') {
    if (permissions['api'] === 'write' || (!isWrite && permissions['read_api'])) return undefined
    return 'api'
  }
  const [, names = []] = needed.find(([path]) => path.test(call)) ?? []
  const word = isWrite ? 'write' : 'read'
  const isMet = names.some(name => [word, 'write'].includes(permissions[name] ?? ''))
  return isMet || names.length === 0 ? undefined : `${names[0]}=${word}`
}

function attempt(answer: () => unknown): unknown {
  try {
    return answer()
  } catch (thrown) {
    if (thrown instanceof Reply) return thrown
    throw thrown
  }
}

/** Starts a server, which is closed after the test; returns its address. */
async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>
): Promise<string> {
  const server: Server = createServer((request, response) => {
    serve(request, response).catch(error => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error?.stack))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bodyOf(request: IncomingMessage): Promise<Call['body']> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text)
}

/** The user of the token. */
function userOf({ headers }: IncomingMessage, { users }: ForgeState): User {
  const user = users.get((headers.authorization ?? '').replace(/^Bearer /, ''))
  if (user === undefined) throw new Reply(401, { message: 'Bad credentials' })
  return user
}

function route(routes: Routes, name: string, call: Omit<Call, 'ids'>): unknown {
  for (const [pattern, answer] of Object.entries(routes)) {
    const match = new RegExp(`^${pattern}$`).exec(name)
    if (match !== null) return answer({ ...call, ids: match.slice(1) })
  }
  throw new Reply(404, { message: `Not Found: ${name}` })
}

const isPaged = (answer: unknown): answer is Paged =>
  typeof answer === 'object' && answer !== null && 'paged' in answer

/** Sends one page of a list, with the address of the next one, or anything else as it is. */
function sendPage(response: ServerResponse, answer: unknown, address: URL) {
  if (answer instanceof Reply) return send(response, answer)
  const list = isPaged(answer) ? answer.items : answer
  if (!Array.isArray(list)) return send(response, new Reply(200, answer))
  const size = Math.min(100, Number(address.searchParams.get('per_page') ?? 30))
  const page = Number(address.searchParams.get('page') ?? 1)
  const items = list.slice((page - 1) * size, page * size)
  address.searchParams.set('page', String(page + 1))
  const isLast = page * size >= list.length
  const headers = isLast ? {} : { link: `<${address.href}>; rel="next"` }
  const body = isPaged(answer) ? { [answer.paged]: items } : items
  send(response, new Reply(200, body, headers))
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

async function sendArchive(response: ServerResponse, { archive, isEndless }: StoredArtifact) {
  response.writeHead(200, { 'content-type': 'application/zip' })
  if (!isEndless) {
    response.end(archive)
    return
  }
  // It ends when the client has read enough.
  await pipeline(endless, response).catch(() => undefined)
}

function* endless() {
  const block = Buffer.alloc(1024 * 1024)
  for (;;) yield block
}
