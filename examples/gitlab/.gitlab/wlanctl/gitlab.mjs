// The REST API of GitLab, and the texts of notes and issues, for the scripts beside this file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const { env } = process

/** The path of this project. */
export const project = `/projects/${encodeURIComponent(env.CI_PROJECT_ID ?? '')}`

/** Where the artifacts of an earlier job of this pipeline are. */
const folder = join(env.CI_PROJECT_DIR ?? '.', 'wlanctl-results')

/** The pauses before a request is sent again, in milliseconds. */
const PAUSES = [1000, 4000, 15_000]

/** An answer that is no success; `passes` if the same request may succeed later. */
class GitLabError extends Error {
  constructor(message, status, passes) {
    super(message)
    this.status = status
    this.passes = passes
  }
}

/** One request. A redirect to another host does not get the token: `fetch` drops `Authorization`. */
async function request(method, path, body) {
  const headers = { 'Content-Type': 'application/json' }
  if (env.WLANCTL_GITLAB_TOKEN) headers.Authorization = `Bearer ${env.WLANCTL_GITLAB_TOKEN}`
  const init = { method, headers, signal: AbortSignal.timeout(60_000) }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await fetch(`${env.CI_API_V4_URL}${path}`, init).catch(error => {
    throw new GitLabError(`GitLab did not answer ${method} ${path}: ${error.message}`, 0, true)
  })
  if (response.ok) return response
  const { status } = response
  const hint = status === 401 || status === 403 ? ': check WLANCTL_GITLAB_TOKEN and its role' : ''
  const passes = status === 429 || status >= 500
  throw new GitLabError(`GitLab answered ${method} ${path} with ${status}${hint}`, status, passes)
}

/** The result of an operation, which is repeated where GitLab or the network fails for a moment. */
export async function retry(operation) {
  for (const pause of PAUSES) {
    try {
      return await operation()
    } catch (error) {
      if (!error.passes) throw error
      await sleep(pause)
    }
  }
  return operation()
}

/** The JSON at a path. */
export function get(path) {
  return retry(async () => (await request('GET', path)).json())
}

/** All items of a list; of its first `pages` pages only if given. */
export async function list(path, pages = Number.POSITIVE_INFINITY) {
  const items = []
  const separator = path.includes('?') ? '&' : '?'
  for (let page = 1; page <= pages; page++) {
    const some = await get(`${path}${separator}per_page=100&page=${page}`)
    items.push(...some)
    if (some.length < 100) break
  }
  return items
}

/** Sends a change; not repeated, since a repeated POST may make two of a thing. */
export async function send(method, path, body) {
  return (await request(method, path, body)).json()
}

/** A file of the artifacts of a job; undefined if there is none, or it has expired. */
export async function artifact(projectPath, job, name) {
  const path = `${projectPath}/jobs/${job}/artifacts/wlanctl-results/${name}`
  try {
    return await retry(async () => Buffer.from(await (await request('GET', path)).arrayBuffer()))
  } catch (error) {
    if (error.status === 404) return undefined
    throw error
  }
}

/** The first line of a note or issue of this fleet, by which it is found again. */
export function marker(kind) {
  const name = env.FLEET_NAME ?? ''
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return `<!-- wlanctl:${kind}:${name} -->`
  throw new Error(`FLEET_NAME: expected a-z, 0-9 and -, got ${JSON.stringify(name)}`)
}

/** The user whose token this is: anyone can write the marker of a note. */
export async function self() {
  if (!env.WLANCTL_GITLAB_TOKEN)
    throw new Error('WLANCTL_GITLAB_TOKEN is missing: see .gitlab/wlanctl/README.md')
  return (await get('/user')).id
}

/** The text of a result of an earlier job of this pipeline; undefined if the job has not written it. */
export function result(name) {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return undefined
  }
}

/** The report of a run; where it has none, why the run ended. */
export function report(name, title) {
  const text = result(name)
  if (text !== undefined && text !== '') return text.replace(/^<!-- wlanctl:.*\n/, '')
  const reason =
    result('stderr')?.trim() || 'The job ended early, or was not run: its log has the reason.'
  return `### 🔴 ${title}\n\n${plain(reason)}\n`
}

/** The last lines of a text, without control characters, as a block that Markdown shows as it is. */
export function plain(text) {
  const printable = text.replace(/[^\P{Cc}\n]/gu, '')
  return printable
    .split('\n')
    .slice(-20)
    .map(line => `    ${line.slice(0, 500)}`)
    .join('\n')
}

/** The heading of a report, without its marks. */
export function verdict(text) {
  return /^### (.{0,500})/m.exec(text)?.[1] ?? 'The run ended without a report'
}

/** A note or issue: no line of a report is a quick action of GitLab, such as `/merge`. */
export function body(kind, text, end = '') {
  const safe = text.replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
  return `${marker(kind)}\n${safe}\n<sub>[The pipeline](${env.CI_PIPELINE_URL}), with its logs and artifacts</sub>\n${end}`
}

/** Runs a script; its error is one line, and the exit code 1. */
export async function main(run) {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`wlanctl: ${error.message}\n`)
    process.exitCode = 1
  }
}
