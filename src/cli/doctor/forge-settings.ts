import { execFile } from 'node:child_process'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import { gitIn } from '../files/git.ts'
import type { Io } from '../terminal/io.ts'
import { Unseen } from './check.ts'

/** The programs that call the API of a forge with the login of a person. */
const programs = {
  gh: { address: 'https://cli.github.com', login: 'gh auth login' },
  glab: { address: 'https://gitlab.com/gitlab-org/cli', login: 'glab auth login' }
} as const

/** JSON, or the status and the message of an error; status 0 without a response. */
export type Answer =
  | { readonly value: unknown }
  | { readonly status: number; readonly reason: string }

/** Calls an API with a path such as `repos/acme/wifi`; `body` is sent as JSON. */
export type Call = (method: 'GET' | 'PUT' | 'POST', path: string, body?: unknown) => Promise<Answer>

/** The settings that a forge shows, each read once. Their types are those of its documentation, with every member optional. */
export class Settings {
  readonly #call: Call
  readonly #answers = new Map<string, Promise<Answer>>()

  constructor(call: Call) {
    this.#call = call
  }

  /** Throws `Unseen` for what the forge refuses. */
  async get<T>(path: string): Promise<T> {
    const answer = await this.answer(path)
    if ('value' in answer) return answer.value as T
    throw new Unseen(`cannot be seen with this login: ${answer.reason}`)
  }

  /** Undefined for what does not exist. */
  async find<T>(path: string): Promise<T | undefined> {
    const answer = await this.answer(path)
    return 'status' in answer && answer.status === 404 ? undefined : this.get<T>(path)
  }

  answer(path: string): Promise<Answer> {
    const answer = this.#answers.get(path) ?? this.#call('GET', path)
    this.#answers.set(path, answer)
    return answer
  }
}

/** What locates the programs, their settings and their logins, but no secret of a run. */
const PASSED_VARIABLES =
  /^(?:PATH|HOME|XDG_CONFIG_HOME|GH_.*|GITHUB_TOKEN|GITHUB_ENTERPRISE_TOKEN|GLAB_.*|GITLAB_(?:HOST|TOKEN)|SYSTEMROOT|USERPROFILE|APPDATA|HTTPS_PROXY|NO_PROXY|SSL_CERT_FILE)$/i

/** The timeout of a call in milliseconds, and the maximum size of its output in bytes. */
const TIMEOUT = 60_000
const MAX_OUTPUT = 16 * 1024 * 1024

/** Runs `gh api` or `glab api`. A call rejects with a `Failure` if the program is not installed. */
export function callWith(
  program: keyof typeof programs,
  host: string,
  { env, cwd, interrupted }: Io
): Call {
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
      const child = execFile(program, words, options, (error, stdout, stderr) => {
        if (interrupted.aborted) reject(error)
        else if (error?.code === 'ENOENT') reject(missing(program))
        else answer(error === null ? parsed(stdout) : problemIn(stderr))
      })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(body === undefined ? '' : JSON.stringify(body))
    })
}

function missing(program: keyof typeof programs): Failure {
  const { address, login } = programs[program]
  return wrongInput(
    `the program ${program} is not installed`,
    `install it from ${address} and run \`${login}\`, or check the list in the README that \`wlanctl init\` writes`
  )
}

/** Parses a response; an empty body, such as that of a 204, becomes `{}`. */
function parsed(text: string): Answer {
  try {
    return { value: text.trim() === '' ? {} : (JSON.parse(text) as unknown) }
  } catch {
    return { status: 0, reason: 'the answer is not JSON' }
  }
}

/** Parses an error, which ends with the status: `gh: Not Found (HTTP 404)`. */
function problemIn(stderr: string): Answer {
  const [line = ''] = stderr.trim().split('\n')
  const [, status = '0'] = /\(?HTTP (\d{3})/.exec(stderr) ?? []
  return { status: Number(status), reason: line.replace(/^(?:gh|glab): /, '').slice(0, 300) }
}

/** A repository on a forge; its path is `owner/name`, on GitLab with the groups before. */
export interface Remote {
  readonly host: string
  readonly path: string
}

/** The repository of the remote `origin`. Throws a `Failure` if there is none. */
export async function remoteOf(folder: string, io: Io): Promise<Remote> {
  const { code, stdout } = await gitIn(folder, io)(['remote', 'get-url', 'origin'])
  const url = stdout.toString().trim()
  const found = code === 0 ? parseRemote(url) : undefined
  if (found !== undefined) return found
  throw wrongInput(
    url === ''
      ? 'the repository of the fleet has no remote `origin`'
      : 'the remote `origin` is not a repository on a server',
    'push it first: gh repo create --private --source . --push'
  )
}

/** `https://user@host:port/path`, or the short form of ssh, `user@host:path`. */
const URL_REMOTE = /^[a-z+]+:\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/(.+)$/i
const SCP_REMOTE = /^(?:[^@/:]*@)?([\w.-]+):(?!\/)(.+)$/

/** Parses the address of a remote, and drops user and password. */
export function parseRemote(url: string): Remote | undefined {
  const [, host, rest = ''] = URL_REMOTE.exec(url) ?? SCP_REMOTE.exec(url) ?? []
  const path = rest.replace(/(?:\.git)?\/?$/, '')
  if (host === undefined || !/^[\w.-]+(?:\/[\w.-]+)+$/.test(path)) return undefined
  return { host: host.toLowerCase(), path }
}
