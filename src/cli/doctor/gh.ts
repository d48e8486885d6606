import { execFile } from 'node:child_process'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import { gitIn } from '../files/git.ts'
import type { Io } from '../terminal/io.ts'

/** A repository on GitHub. */
export interface GithubRepository {
  readonly host: string
  readonly owner: string
  readonly name: string
}

/** JSON, or the status and the message of an error; status 0 without a response. */
export type GhAnswer =
  | { readonly value: unknown }
  | { readonly status: number; readonly reason: string }

/** Calls GitHub's REST API with a path such as `repos/acme/wifi`; `body` is sent as JSON. */
export type Gh = (method: 'GET' | 'PUT' | 'POST', path: string, body?: unknown) => Promise<GhAnswer>

/** What locates gh, its settings and its login, but no secret of a run. */
const PASSED_VARIABLES =
  /^(?:PATH|HOME|XDG_CONFIG_HOME|GH_.*|GITHUB_TOKEN|GITHUB_ENTERPRISE_TOKEN|SYSTEMROOT|USERPROFILE|APPDATA|HTTPS_PROXY|NO_PROXY|SSL_CERT_FILE)$/i

/** The timeout of a call in milliseconds, and the maximum size of its output in bytes. */
const TIMEOUT = 60_000
const MAX_OUTPUT = 16 * 1024 * 1024

/** A GitHub client that runs the program `gh`. A call rejects with a `Failure` if it is not installed. */
export function ghFor({ host }: GithubRepository, { env, cwd, interrupted }: Io): Gh {
  const entries = Object.entries(env).filter(([name]) => PASSED_VARIABLES.test(name))
  const quiet = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', LC_ALL: 'C' }
  const options = {
    cwd,
    env: { ...Object.fromEntries(entries), ...quiet },
    encoding: 'utf8',
    timeout: TIMEOUT,
    maxBuffer: MAX_OUTPUT,
    signal: interrupted
  } as const
  return (method, path, body) =>
    new Promise((answer, reject) => {
      const input = body === undefined ? [] : ['--input', '-']
      const words = ['api', '--hostname', host, '--method', method, path, ...input]
      const child = execFile('gh', words, options, (error, stdout, stderr) => {
        if (interrupted.aborted) reject(error)
        else if (error?.code === 'ENOENT') reject(missing())
        else answer(error === null ? parsed(stdout) : problemIn(stderr))
      })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(body === undefined ? '' : JSON.stringify(body))
    })
}

function missing(): Failure {
  return wrongInput(
    'the program gh is not installed',
    'install it from https://cli.github.com and run `gh auth login`, or check the list in the README that `wlanctl init` writes'
  )
}

/** Parses a response; an empty body, such as that of a 204, becomes `{}`. */
function parsed(text: string): GhAnswer {
  try {
    return { value: text.trim() === '' ? {} : (JSON.parse(text) as unknown) }
  } catch {
    return { status: 0, reason: 'gh printed no JSON' }
  }
}

/** Parses an error of gh, which ends with the status: `gh: Not Found (HTTP 404)`. */
function problemIn(stderr: string): GhAnswer {
  const [line = ''] = stderr.trim().split('\n')
  const [, status = '0'] = /\(?HTTP (\d{3})/.exec(stderr) ?? []
  return { status: Number(status), reason: line.replace(/^gh: /, '').slice(0, 300) }
}

/** The repository of the remote `origin`; throws a `Failure` if it is not on GitHub. */
export async function repositoryOf(folder: string, io: Io): Promise<GithubRepository> {
  const { code, stdout } = await gitIn(folder, io)(['remote', 'get-url', 'origin'])
  const url = stdout.toString().trim()
  if (code !== 0 || url === '') {
    throw wrongInput(
      'the repository of the fleet has no remote `origin`',
      'push it to GitHub first: gh repo create --private --source . --push'
    )
  }
  const found = parseRemote(url)
  const host = io.env['GH_HOST'] || 'github.com'
  if (found?.host === host) return found
  throw wrongInput(
    `expected the remote \`origin\` on ${host}, got ${found?.host ?? 'an address without a host'}`,
    'for GitHub Enterprise Server, set GH_HOST; for GitLab, the README that `wlanctl init --ci gitlab` writes lists the settings'
  )
}

/** `https://user@host:port/path`, or the short form of ssh, `user@host:path`. */
const URL_REMOTE = /^[a-z+]+:\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/(.+)$/i
const SCP_REMOTE = /^(?:[^@/:]*@)?([\w.-]+):(?!\/)(.+)$/

/** Parses the address of a remote, and drops user and password. */
export function parseRemote(url: string): GithubRepository | undefined {
  const place = URL_REMOTE.exec(url) ?? SCP_REMOTE.exec(url)
  const [, host, path = ''] = place ?? []
  const [, owner, name] = /^([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(path) ?? []
  if (host === undefined || owner === undefined || name === undefined) return undefined
  return { host: host.toLowerCase(), owner, name }
}
