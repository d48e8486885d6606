import { stat } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { countManaged, type Desired } from '../../core/model/desired.ts'
import { Failure } from '../../core/model/failure.ts'
import { isError } from '../../core/model/finding.ts'
import { tool } from '../../core/model/tool.ts'
import { compact } from '../../core/values/collections.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import type { LoadedFleet } from '../../fleet/load.ts'
import { openReader, probe } from '../../service/client.ts'
import { type Connection, checkTls, proxySettings } from '../../service/http/connection.ts'
import { addressOf, connectionOf, tokensOf } from '../connect.ts'
import { gitIn } from '../files/git.ts'
import { organizationSites } from '../import/requested-sites.ts'
import { loadSelected } from '../load-desired.ts'
import type { PlanningOptions } from '../options.ts'
import { secretSourceOf, secretsDirProblem } from '../secret-source.ts'
import type { Io } from '../terminal/io.ts'
import type { Check, Found } from './check.ts'
import { ciFiles, referencesIn } from './ci-files.ts'

export type Options = PlanningOptions & { readonly org?: string }

interface Run {
  readonly fleet: string
  readonly options: Options
  readonly io: Io
  readonly loaded: LoadedFleet | Failure
  readonly desired: Desired | undefined
  /** The connection without retries, after the check of the token. */
  connection?: Connection
  /** The remaining requests of each token, with the start of its messages; empty where the service refuses it. */
  readonly left: { readonly name: string; readonly requests: number | undefined }[]
}

export async function runOf(fleet: string, options: Options, io: Io): Promise<Run> {
  const quiet = { ...options, quiet: true } as const
  const load = async () => loadSelected(fleet, quiet, io, secretSourceOf(quiet, io))
  const loaded = await load().catch(error => {
    if (error instanceof Failure) return error
    throw error
  })
  const all = loaded instanceof Failure ? undefined : loaded.desired
  const sites = all?.sites.map(site => ({
    ...site,
    wlans: site.wlans.filter(({ excluded }) => !excluded)
  }))
  const desired = all && sites && { ...all, sites }
  return { fleet, options, io, loaded, desired, left: [] }
}

export const requirements: readonly Check<Run>[] = [
  {
    about: 'program',
    check: program,
    fix: 'install Node 24, or the newest 22 or 20: others are not tested'
  },
  { about: 'address', check: ({ options }) => addressOf(options) },
  { about: 'TLS', needs: 'address', check: tls },
  { about: 'proxy', needs: 'address', check: proxy },
  { about: 'token', needs: 'address', check: token },
  { about: 'service', needs: 'token', check: service },
  {
    about: 'rate limit',
    check: rateLimit,
    fix: 'wait for the next hour, or give the run another token'
  },
  { about: 'organization', check: organization },
  { about: 'fleet', check: declared },
  {
    about: 'secrets',
    needs: 'fleet',
    check: available,
    fix: 'apply needs them: set the variables, or name their file with --secrets-file, or the folder of `$file` secrets with --secrets-dir'
  },
  {
    about: 'secrets directory',
    check: ({ options, io }) => {
      const wrong = secretsDirProblem(options, io)
      return wrong === undefined ? undefined : { wrong }
    },
    fix: 'name the folder of `$file` secrets with --secrets-dir, or leave the option out'
  },
  {
    about: 'file modes',
    check: async run => [await fileMode(run), await modes(run)],
    fix: 'remove the rights of group and others with chmod, unless this is a container'
  },
  { about: 'CI files', check: ciFiles },
  { about: 'git', check: git },
  {
    about: 'git',
    check: tracked,
    fix: 'replace the secret, then run git rm --cached and add a line to .gitignore'
  }
]

/** The versions of Node in the `engines` of the package, in ascending order; the last one is a minimum. */
const engines = [
  [20, 19],
  [22, 12],
  [24, 0]
] as const

function program({ io: { node } }: Run): Found {
  const versions = `${tool.name.replace('/', ' ')} on Node ${node.replace(/^v/, '')}, ${platform()} ${arch()}`
  return isSupported(node) ? versions : { wrong: versions }
}

/** True if the engines of the package include this version, e.g. `v20.19.4`. */
export function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [newest] = engines[engines.length - 1] ?? [0]
  if (major >= newest) return true
  return engines.some(([line, least]) => major === line && minor >= least)
}

function tls({ options, io }: Run): Found {
  checkTls(io.env)
  if (addressOf(options).startsWith('http:')) return 'none: the service is on this machine'
  return 'certificates are checked'
}

function proxy({ options, io: { env } }: Run): Found {
  const { httpsProxy, noProxy } = proxySettings({ baseUrl: addressOf(options), env })
  if (httpsProxy === '') return 'none'
  const { host } = new URL(httpsProxy.includes('://') ? httpsProxy : `http://${httpsProxy}`)
  return noProxy === '' ? `through ${host}` : `through ${host}, but not for ${noProxy}`
}

async function token(run: Run): Promise<Found> {
  const { options, io, desired } = run
  const amount = (await tokensOf(options, io)).length
  const { retryPolicy: _, ...connection } = await connectionOf(options, io, io.interrupted, desired)
  run.connection = connection
  const which = amount === 1 ? '' : `${amount} of them, `
  if (options.tokenFile === undefined) return `${which}from WLANCTL_API_TOKEN`
  return `${which}from ${options.tokenFile}, which only you can read`
}

async function service({ connection, desired, left }: Run): Promise<readonly Found[]> {
  if (connection === undefined) return []
  const [site] = desired?.sites ?? []
  return await Promise.all(
    connection.tokens.map(async (each, at, { length }): Promise<Found> => {
      const name = length === 1 ? '' : `token ${at + 1} of ${length}: `
      try {
        const requests = await probe({ ...connection, tokens: [each] }, site)
        left[at] = { name, requests }
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const { message, hint } = error
        return { wrong: name + message, ...compact({ fix: hint }) }
      }
      return name + (site === undefined ? 'accepts the token' : `lists the WLANs of ${site.name}`)
    })
  )
}

function rateLimit({ left }: Run): readonly Found[] {
  return left.flatMap(({ name, requests }) => {
    if (requests === undefined) return `${name}the service does not report the remaining requests`
    return requests > 0
      ? `${name}${plural(requests, 'request')} left`
      : { wrong: `${name}no request is left` }
  })
}

async function organization({ connection, desired, options }: Run): Promise<Found> {
  const org = options.org ?? desired?.policy.org
  if (org === undefined || connection === undefined) return undefined
  const reader = openReader(connection)
  try {
    const sites = await organizationSites(reader, org)
    const listed = `the service lists ${plural(sites.length, 'site')}`
    if (desired === undefined) return listed
    const declaredIds =
      desired.declaredIds ?? new Set(desired.sites.map(({ id }) => id.toLowerCase()))
    const missing = sites.filter(({ id }) => !declaredIds.has(id.toLowerCase())).length
    return `${listed}, ${missing === 0 ? 'all of them declared' : `${missing} of them not declared`}`
  } finally {
    await reader.close()
  }
}

function declared({ fleet, loaded, desired }: Run): Found {
  if (loaded instanceof Failure) throw loaded
  const { findings } = loaded
  if (desired !== undefined) {
    return `${plural(countManaged(desired.sites), 'WLAN')} on ${plural(desired.sites.length, 'site')} in ${fleet}`
  }
  if (findings.some(({ code }) => code === 'EMPTY_FLEET')) {
    const fix = 'name the folder with the YAML files; `wlanctl import` writes those of live WLANs'
    return { wrong: `${fleet} declares no site`, fix }
  }
  const errors = plural(findings.filter(isError).length, 'error')
  return { wrong: `${errors} in ${fleet}`, fix: `see them with: wlanctl validate ${fleet}` }
}

const MAX_NAMES = 8

function available({ desired }: Run): Found {
  const references = referencesIn(desired)
  const missing = [...references].flatMap(([name, isKnown]) => (isKnown ? [] : name))
  if (missing.length > 0) {
    const names = listFirst(missing, MAX_NAMES)
    return { wrong: `${missing.length} of ${references.size} missing: ${names}` }
  }
  if (references.size === 0) return 'none is referred to'
  return references.size === 1 ? 'the one referred to is there' : `all ${references.size} are there`
}

async function fileMode({ options: { secretsFile }, io }: Run): Promise<Found> {
  if (secretsFile === undefined) return undefined
  const found = await stat(resolve(io.cwd, secretsFile)).catch(() => undefined)
  if (found === undefined) return undefined
  return (found.mode & 0o044) === 0
    ? 'only you can read the secrets file'
    : { note: `others on this machine can read ${secretsFile}` }
}

async function modes({ options: { secretsDir }, io, desired }: Run): Promise<Found> {
  if (secretsDir === undefined || desired === undefined) return undefined
  if (secretsDirProblem({ secretsDir }, io) !== undefined) return undefined
  const readable: string[] = []
  for (const name of referencesIn(desired, '$file').keys()) {
    const found = await stat(join(resolve(io.cwd, secretsDir), name)).catch(() => undefined)
    if (found !== undefined && (found.mode & 0o077) !== 0) readable.push(name)
  }
  const [first] = readable
  if (first === undefined) return 'only you can read the secret files'
  const others = readable.length > 1 ? ` and ${readable.length - 1} more` : ''
  return { note: `others on this machine can read ${first}${others} in ${secretsDir}` }
}

async function git({ fleet, io }: Run): Promise<Found> {
  const folder = resolve(io.cwd, fleet)
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) return undefined
  const run = gitIn(folder, io)
  const asked = await run(['--version']).catch(withoutGit)
  if (asked === undefined) return { note: 'git is not installed', fix: '--changed-since needs it' }
  const version = asked.stdout
    .toString()
    .trim()
    .replace(/^git version /, '')
  const shallow = await run(['rev-parse', '--is-shallow-repository'])
  if (shallow.code !== 0) {
    const fix = 'keep the fleet in one, so that changes can be reviewed'
    return { note: `${version}; the fleet is not in a git repository`, fix }
  }
  if (shallow.stdout.toString().trim() !== 'true') return version
  const fix = '--changed-since needs it: git fetch --unshallow'
  return { note: `${version}; the clone has no history`, fix }
}

function withoutGit(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

async function tracked({ options: { tokenFile, secretsDir }, io }: Run): Promise<readonly Found[]> {
  const files = [tokenFile ?? [], secretsDir ?? []].flat()
  return await Promise.all(
    files.map(async (file): Promise<Found> => {
      const path = resolve(io.cwd, file)
      const words = ['ls-files', '-z', '--', `./${basename(path)}`]
      const listed = await gitIn(dirname(path), io)(words).catch(withoutGit)
      if (listed === undefined || listed.code !== 0 || listed.stdout.length === 0) return undefined
      return { wrong: `${file} is tracked by git: every clone of the repository contains it` }
    })
  )
}
