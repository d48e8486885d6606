import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The user of the project access token. */
export const SELF = 7

/** The project access token. */
export const NOTES_TOKEN = 'planted-token-for-notes'

/** The id of the project; a fork has another. */
export const PROJECT = '42'

export interface Note {
  readonly id: number
  readonly author: { readonly id: number }
  body: string
}

export interface GitLabIssue {
  readonly iid: number
  readonly author: { readonly id: number }
  readonly title: string
  readonly labels: string
  description: string
  state: string
  readonly notes: Note[]
}

export interface MergeRequest {
  readonly iid: number
  sha: string
  state: string
  target_branch: string
  merge_commit_sha: string | null
  squash_commit_sha: null
  readonly notes: Note[]
}

export interface Pipeline {
  readonly id: number
  readonly project_id: number
  readonly sha: string
  readonly ref: string
  readonly source: string
  /** Of a merge request. */
  readonly iid?: number
  readonly jobs: GitLabJob[]
}

export interface GitLabJob {
  readonly id: number
  readonly name: string
  /** The folder of its artifacts, unless they have expired. */
  artifacts?: string
}

/** The response to some of the next requests. */
interface Failure {
  /** Part of the method and path. */
  readonly matching: string
  times: number
  readonly status: number
  /** True if the request is executed, and only its response is lost. */
  readonly isDone?: boolean
}

/** A fake GitLab on loopback with one project. */
export interface GitLab {
  /** `CI_API_V4_URL`. */
  readonly url: string
  /** Method and path of each request. */
  readonly requests: string[]
  readonly failures: Failure[]
  readonly issues: GitLabIssue[]
  readonly mergeRequests: MergeRequest[]
  /** The oldest first. */
  readonly pipelines: Pipeline[]
  readonly deployments: { readonly sha: string; readonly status: string }[]
  /** The parents of commits. */
  readonly parents: Record<string, readonly string[]>
  /** The last commit of the default branch. */
  tip: string
  /** True if its pipelines can be read without a token. */
  isPublic: boolean
  nextId(): number
}

type Answer = (
  ids: readonly string[],
  body: Record<string, string>,
  query: URLSearchParams
) => unknown

class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super()
    this.status = status
  }
}

function need<T>(found: T | undefined): T {
  if (found === undefined) throw new Refused(404)
  return found
}

/** Starts a GitLab, which is closed after the test. */
export async function gitlab(): Promise<GitLab> {
  let last = 100
  const state: Omit<GitLab, 'url'> = {
    requests: [],
    failures: [],
    issues: [],
    mergeRequests: [],
    pipelines: [],
    deployments: [],
    parents: {},
    tip: '',
    isPublic: false,
    nextId: () => ++last
  }
  const routes = routesOf(state)
  const server = createServer(async (message, response) => {
    try {
      const answer = await serve(state, routes, message)
      response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      response.writeHead(error.status).end('{}')
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return Object.assign(state, { url: `http://127.0.0.1:${address.port}/api/v4` })
}

async function serve(
  state: Omit<GitLab, 'url'>,
  routes: Readonly<Record<string, Answer>>,
  message: IncomingMessage
): Promise<unknown> {
  const url = new URL(message.url ?? '', 'http://gitlab')
  const call = `${message.method} ${url.pathname.replace(/^\/api\/v4/, '')}`
  state.requests.push(call)
  let text = ''
  for await (const part of message) text += part
  const { authorization } = message.headers
  if (authorization !== undefined && authorization !== `Bearer ${NOTES_TOKEN}`)
    throw new Refused(401)
  const isReadable = state.isPublic && /^GET .*(?:pipelines|jobs)/.test(call)
  if (authorization === undefined && !isReadable) throw new Refused(404)
  const failure = state.failures.find(({ matching, times }) => times > 0 && call.includes(matching))
  if (failure) failure.times -= 1
  if (failure && !failure.isDone) throw new Refused(failure.status)
  const answer = route(routes, call, text === '' ? {} : JSON.parse(text), url.searchParams)
  if (failure) throw new Refused(failure.status)
  return answer
}

function route(
  routes: Readonly<Record<string, Answer>>,
  call: string,
  body: Record<string, string>,
  query: URLSearchParams
): unknown {
  for (const [pattern, answer] of Object.entries(routes)) {
    const match = new RegExp(`^${pattern.replace('PROJECT', `/projects/${PROJECT}`)}$`).exec(call)
    if (!match) continue
    const answered = answer(match.slice(1), body, query)
    if (!Array.isArray(answered)) return answered
    const size = Number(query.get('per_page') ?? 20)
    const from = (Number(query.get('page') ?? 1) - 1) * size
    return answered.slice(from, from + size)
  }
  throw new Refused(404)
}

/** Method and path; the function gets the groups of the path. */
function routesOf(state: Omit<GitLab, 'url'>): Readonly<Record<string, Answer>> {
  const author = { id: SELF }
  const request = (iid = '') => need(state.mergeRequests.find(each => each.iid === Number(iid)))
  const issue = (iid = '') => need(state.issues.find(each => each.iid === Number(iid)))
  const add = (notes: Note[], body = '') => {
    const note = { id: state.nextId(), author, body }
    notes.push(note)
    return note
  }
  const newest = (pipelines: readonly Pipeline[]) => [...pipelines].reverse()
  return {
    'GET /user': () => author,
    'GET PROJECT/merge_requests/(\\d+)/notes': ([iid]) => request(iid).notes,
    'POST PROJECT/merge_requests/(\\d+)/notes': ([iid], { body }) => add(request(iid).notes, body),
    'PUT PROJECT/merge_requests/(\\d+)/notes/(\\d+)': ([iid, id], { body = '' }) =>
      Object.assign(need(request(iid).notes.find(note => note.id === Number(id))), { body }),
    'GET PROJECT/merge_requests/(\\d+)/pipelines': ([iid]) =>
      newest(state.pipelines.filter(each => each.iid === Number(iid))),
    'GET PROJECT/repository/commits/(\\w+)/merge_requests': ([sha = '']) =>
      state.mergeRequests.filter(each => [each.merge_commit_sha, each.sha].includes(sha)),
    'GET PROJECT/repository/commits/(\\w+)': ([sha = '']) => ({
      parent_ids: state.parents[sha] ?? []
    }),
    'GET PROJECT/repository/branches/main': () => ({ commit: { id: state.tip } }),
    'GET PROJECT/deployments': () =>
      [...state.deployments].reverse().filter(({ status }) => status === 'success'),
    'GET PROJECT/pipelines': (_, __, query) =>
      newest(state.pipelines.filter(({ source }) => source === query.get('source'))),
    'GET PROJECT/pipelines/(\\d+)/jobs': ([id]) =>
      need(state.pipelines.find(each => each.id === Number(id))).jobs,
    'GET PROJECT/jobs/(\\d+)/artifacts/(.+)': ([id, name = '']) => {
      const jobs = state.pipelines.flatMap(({ jobs }) => jobs)
      const { artifacts } = need(jobs.find(each => each.id === Number(id)))
      const file = join(need(artifacts), name)
      if (!existsSync(file)) throw new Refused(404)
      return readFileSync(file)
    },
    'GET PROJECT/issues': (_, __, query) =>
      state.issues.filter(
        each => each.state === 'opened' && String(each.author.id) === query.get('author_id')
      ),
    'POST PROJECT/issues': (_, { title = '', description = '', labels = '' }) => {
      const iid = state.nextId()
      state.issues.push({ iid, author, title, labels, description, state: 'opened', notes: [] })
      return { iid }
    },
    'PUT PROJECT/issues/(\\d+)': ([iid], { state_event, ...change }) =>
      Object.assign(issue(iid), change, state_event === 'close' ? { state: 'closed' } : {}),
    'POST PROJECT/issues/(\\d+)/notes': ([iid], { body }) => add(issue(iid).notes, body)
  }
}
