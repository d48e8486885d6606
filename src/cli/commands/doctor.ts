import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { openReader, probe } from '../../api/client.ts'
import {
  type Connection,
  type Credentials,
  checkTls,
  type Environment,
  proxySettings
} from '../../api/connection.ts'
import type { Desired, Site } from '../../model/desired.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { renderDoctorJson, renderDoctorText } from '../../report/command-results.ts'
import { readRegularFile } from '../../secrets/regular-file.ts'
import type { SecretOptions } from '../../secrets/source.ts'
import { addressOf, connectionOf, credentialsOf } from '../connection.ts'
import type { Context } from '../context.ts'
import {
  check,
  fleetChecks,
  gitChecks,
  leftoverChecks,
  notChecked,
  ok,
  programCheck,
  secretNames,
  wrong
} from '../doctor-checks.ts'
import { unreadReason } from '../files/files.ts'
import { type Io, writeLines } from '../io.ts'
import { append } from '../option-values.ts'
import {
  addExample,
  addFleetArgument,
  addGroup,
  addSecretOptions,
  addServiceOptions,
  addTextOrJson,
  groups,
  type ServiceOptions,
  yesOption
} from '../options.ts'
import { renderOptionsFor } from '../output.ts'
import { organizationSites, orgOption } from '../requested-sites.ts'

interface Options extends ServiceOptions, SecretOptions {
  readonly format: 'text' | 'json'
  readonly color: boolean
  readonly org?: string
  readonly ci?: true
  readonly apply?: true
  readonly yes?: true
  readonly reviewer: readonly string[]
}

export function define(command: Command, { io, ends }: Context): void {
  addTextOrJson(addServiceOptions(addSecretOptions(addFleetArgument(command))))
  addGroup(command, groups.connection, orgOption())
  addGroup(
    command,
    groups.repository,
    new Option(
      '--ci',
      'check the repository instead: its settings on GitHub, with `gh`, or its jobs on GitLab'
    ),
    new Option('--apply', 'with --ci: make the settings, after showing them'),
    new Option(
      '--reviewer <name>',
      'with --apply: who approves each apply, such as @acme/network; repeatable'
    )
      .argParser(append)
      .default([], 'none'),
    yesOption()
  ).action(ends((fleet: string, options: Options) => doctor(fleet, options, io)))
  addExample(command, 'wlanctl doctor examples/quickstart')
}

/** Checks all requirements of a run one after the other; a failed check does not stop the others. */
async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  checkOptions(options)
  if (options.ci) return report(await ciChecks(fleet, options, io), options, io)
  const { checks: files, desired } = await fleetChecks(fleet, options, io)
  const checks = [
    programCheck(io),
    ...(await serviceChecks(desired, options, io)),
    ...files,
    ...(await leftoverChecks(fleet, io)),
    ...(await gitChecks(fleet, options, io))
  ]
  return report(checks, options, io)
}

/** Throws a `Failure` (exit 3) for an option that requires `--ci`. */
function checkOptions({ ci, apply, yes, reviewer }: Options): void {
  if (ci && (apply || !(yes || reviewer.length > 0))) return
  const [first] = [
    ...(reviewer.length > 0 ? ['--reviewer'] : []),
    ...(yes ? ['--yes'] : []),
    ...(apply ? ['--apply'] : [])
  ]
  if (first === undefined) return
  const needed = first === '--apply' ? '--ci' : '--ci --apply'
  throw new Failure(exit.wrongInput, `${first} needs ${needed}`)
}

/** Checks the repository of the fleet, without the service. */
async function ciChecks(fleet: string, options: Options, io: Io): Promise<DoctorCheck[]> {
  const names = await secretNames(fleet, options, io)
  const { repositoryChecks, rootOf } = await import('../github/doctor.ts')
  const folder = resolve(io.cwd, fleet)
  try {
    const root = await rootOf(folder, io)
    const { gitlabChecks, isOnGitlab } = await import('../gitlab-checks.ts')
    if (isOnGitlab(root, io)) {
      if (options.apply) throw new Failure(exit.wrongInput, '--apply makes settings on GitHub only')
      return [programCheck(io), ...(await gitlabChecks(root, io))]
    }
    return [programCheck(io), ...(await repositoryChecks(folder, names, options, io))]
  } catch (error) {
    if (!(error instanceof Failure) || options.apply) throw error
    return [programCheck(io), await check('repository', () => Promise.reject(error))]
  }
}

async function report(checks: readonly DoctorCheck[], options: Options, io: Io): Promise<ExitCode> {
  const renderOptions = renderOptionsFor(io.stdout, options, io)
  const json = options.format === 'json'
  await writeLines(io, json ? renderDoctorJson(checks) : renderDoctorText(checks, renderOptions))
  return checks.some(({ state }) => state === 'wrong') ? exit.failed : exit.done
}

async function serviceChecks(
  desired: Desired | undefined,
  options: Options,
  io: Io
): Promise<DoctorCheck[]> {
  const address = await check('address', () => addressOf(options))
  if (address.state !== 'ok') return [address, notChecked('service', 'address')]
  return [
    address,
    ...(await networkChecks(address.said, io.env)),
    ...(await accountChecks(desired, options, io))
  ]
}

/**
 * The maximum size of a file with certificates in bytes; a file with all public authorities has a twentieth
 * of it.
 */
const MAX_CERTIFICATES_BYTES = 4 * 1024 * 1024

/** Checks TLS and the proxy on the way to the service. */
async function networkChecks(baseUrl: string, env: Environment): Promise<DoctorCheck[]> {
  return [
    await check('TLS', () => tls(baseUrl, env)),
    await check('proxy', () => proxy(baseUrl, env))
  ]
}

async function tls(baseUrl: string, env: Environment): Promise<string> {
  checkTls(env)
  const authorities = await ownAuthorities(env['NODE_EXTRA_CA_CERTS'] ?? '')
  if (baseUrl.startsWith('http:')) return 'none: the service is on this machine'
  return `certificates are checked${authorities}`
}

/** Reads the file of additional authorities, because Node ignores one that it cannot read. */
async function ownAuthorities(file: string): Promise<string> {
  if (file === '') return ''
  const wrong = (problem: string) =>
    new Failure(
      exit.wrongInput,
      `NODE_EXTRA_CA_CERTS names ${file}, which ${problem}`,
      'name a file with the certificates of your authority, in PEM'
    )
  const reading = readRegularFile(file, { most: MAX_CERTIFICATES_BYTES })
  if (!('bytes' in reading)) throw wrong(`cannot be read: ${unreadReason(reading)}`)
  const text = reading.bytes.toString('utf8')
  const certificates = text.split('-----BEGIN CERTIFICATE-----').length - 1
  if (certificates === 0) throw wrong('holds no certificate')
  return `, also against the ${plural(certificates, 'certificate')} in ${file}`
}

/** The proxy for an address, without user and password. */
function proxy(baseUrl: string, env: Environment): string {
  const { httpsProxy, noProxy } = proxySettings({ baseUrl, env })
  if (httpsProxy === '') return 'none'
  const { host } = new URL(httpsProxy.includes('://') ? httpsProxy : `http://${httpsProxy}`)
  return noProxy === '' ? `through ${host}` : `through ${host}, but not for ${noProxy}`
}

/** Checks the tokens with one request for each. */
async function accountChecks(
  desired: Desired | undefined,
  options: Pick<Options, 'org'> & ServiceOptions,
  io: Io
): Promise<DoctorCheck[]> {
  const token = await check('token', async () => source(await credentialsOf(options, io), options))
  if (token.state !== 'ok') return [token, notChecked('service', 'token')]
  const { retryPolicy: _, ...once } = await connectionOf(options, io, io.interrupted, desired)
  const checks = await Promise.all(
    single(once.credentials).map((credentials, at, { length }) => {
      const name = length === 1 ? '' : `token ${at + 1} of ${length}: `
      return checkService(name, { ...once, credentials }, desired?.sites[0])
    })
  )
  const org = options.org ?? desired?.policy.org
  return [
    token,
    ...checks.flat(),
    ...(org === undefined ? [] : [await organizationCheck(org, once, desired)])
  ]
}

/** Checks whether the service lists the sites of an organization, and counts those that no file declares. */
async function organizationCheck(
  org: string,
  connection: Connection,
  desired: Desired | undefined
): Promise<DoctorCheck> {
  const reader = openReader(connection)
  try {
    return await check('organization', async () => {
      const sites = await organizationSites(reader, org)
      const listed = `the service lists ${plural(sites.length, 'site')}`
      if (desired === undefined) return listed
      const declared =
        desired.declaredIds ?? new Set(desired.sites.map(({ id }) => id.toLowerCase()))
      const missing = sites.filter(({ id }) => !declared.has(id.toLowerCase())).length
      return `${listed}, ${missing === 0 ? 'all of them declared' : `${missing} of them not declared`}`
    })
  } finally {
    await reader.close()
  }
}

function source(credentials: Credentials, { tokenFile }: ServiceOptions): string {
  const amount = single(credentials).length
  const which = amount === 1 ? '' : `${amount} of them, `
  if (tokenFile === undefined) return `${which}from WLANCTL_API_TOKEN`
  return `${which}from ${tokenFile}, which only you can read`
}

/** Credentials for each single token. */
function single(credentials: Credentials): Credentials[] {
  if (!('tokens' in credentials)) return [credentials]
  return credentials.tokens.map(token => ({ tokens: [token] }))
}

async function checkService(name: string, connection: Connection, site: Site | undefined) {
  let left: number | undefined
  const service = await check('service', async () => {
    left = (await probe(connection, site)).left
    return name + (site === undefined ? 'accepts the token' : `lists the WLANs of ${site.name}`)
  })
  if (service.state === 'ok') return [service, rateLimit(name, left)]
  return [{ ...service, said: name + service.said }]
}

function rateLimit(name: string, left: number | undefined): DoctorCheck {
  const about = 'rate limit'
  if (left === undefined) {
    return { about, ...ok(`${name}the service does not report the remaining requests`) }
  }
  if (left > 0) return { about, ...ok(`${name}${plural(left, 'request')} left`) }
  const todo = 'wait for the next hour, or give the run another token'
  return { about, ...wrong(`${name}no request is left`, todo) }
}
