// A client of GitLab's REST API, and the texts of notes and issues, for the other scripts in this folder.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const { env } = process

/** The path of this project. */
export const project = `/projects/${encodeURIComponent(env.CI_PROJECT_ID ?? '')}`

/** The folder with the artifacts of an earlier job of this pipeline. */
const folder = join(env.CI_PROJECT_DIR ?? '.', 'wlanctl-results')

/** The delays before retries, in milliseconds. */
const PAUSES = [1000, 4000, 15_000]

/** An error response; `passes` is true if the same request may succeed later. */
class GitLabError extends Error {
  constructor(message, status, passes) {
    super(message)
    this.status = status
    this.passes = passes
  }
}

/** Sends a request. A redirect to another host does not get the token, because `fetch` drops `Authorization`. */
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

/** The result of an operation, with retries if GitLab or the network fails temporarily. */
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

/** All items of a list, or those of its first `pages` pages. */
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

/** Sends a change without retries, because a repeated POST may create a duplicate. */
export async function send(method, path, body) {
  return (await request(method, path, body)).json()
}

/** A file in the artifacts of a job; undefined if there is none, or if it has expired. */
export async function artifact(projectPath, job, name) {
  const path = `${projectPath}/jobs/${job}/artifacts/wlanctl-results/${name}`
  try {
    return await retry(async () => Buffer.from(await (await request('GET', path)).arrayBuffer()))
  } catch (error) {
    if (error.status === 404) return undefined
    throw error
  }
}

/** The first line of a note or issue of this fleet, which identifies it. */
export function marker(kind) {
  const name = env.FLEET_NAME ?? ''
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return `<!-- wlanctl:${kind}:${name} -->`
  throw new Error(`FLEET_NAME: expected a-z, 0-9 and -, got ${JSON.stringify(name)}`)
}

/** The user of this token; the author must match, because anyone can write the marker of a note. */
export async function self() {
  if (!env.WLANCTL_GITLAB_TOKEN)
    throw new Error('WLANCTL_GITLAB_TOKEN is missing: see .gitlab/wlanctl/README.md')
  return (await get('/user')).id
}

/** The text of a result of an earlier job of this pipeline; undefined if the job did not write it. */
export function result(name) {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return undefined
  }
}

/** The report of a run, or the reason why the run ended without one. */
export function report(name, title) {
  const text = result(name)
  if (text !== undefined && text !== '') return text.replace(/^<!-- wlanctl:.*\n/, '')
  const reason =
    result('stderr')?.trim() || 'The job ended early, or was not run: its log has the reason.'
  return `### 🔴 ${title}\n\n${plain(reason)}\n`
}

/** The last lines of a text, without control characters, as a code block in Markdown. */
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

/** The text of a note or issue, in which no line of a report acts as a quick action of GitLab, such as `/merge`. */
export function body(kind, text, end = '') {
  const safe = text.replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
  return `${marker(kind)}\n${safe}\n<sub>[The pipeline](${env.CI_PIPELINE_URL}), with its logs and artifacts</sub>\n${end}`
}

/** Runs a script; an error is printed on one line, with exit code 1. */
export async function main(run) {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`wlanctl: ${error.message}\n`)
    process.exitCode = 1
  }
}
