import type { Command } from 'commander'
import { probe } from '../../api/client.ts'
import { type Connection, checkTls, type Environment, proxySettings } from '../../api/connection.ts'
import type { Credentials } from '../../api/credentials.ts'
import type { Desired, Site } from '../../model/desired.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { renderDoctorJson, renderDoctorText } from '../../report/command-results.ts'
import { readRegularFile } from '../../secrets/regular-file.ts'
import type { SecretOptions } from '../../workflow/load-desired.ts'
import { addressOf, connectionOf, credentialsOf } from '../connection.ts'
import type { Context } from '../context.ts'
import {
  check,
  fleetChecks,
  gitChecks,
  leftoverChecks,
  notChecked,
  programCheck
} from '../doctor-checks.ts'
import { unreadReason } from '../files/files.ts'
import { type Io, write } from '../io.ts'
import {
  addExample,
  addFleetArgument,
  addSecretOptions,
  addServiceOptions,
  addTextOrJson,
  type ServiceOptions
} from '../options.ts'
import { renderOptionsFor } from '../output.ts'

interface Options extends ServiceOptions, SecretOptions {
  readonly format: 'text' | 'json'
  readonly color: boolean
}

export function define(command: Command, { io, ends }: Context): void {
  addTextOrJson(addServiceOptions(addSecretOptions(addFleetArgument(command)))).action(
    ends((fleet: string, options: Options) => doctor(fleet, options, io))
  )
  addExample(command, 'wlanctl doctor examples/quickstart')
}

/** Checks everything a run needs, one after the other; a failed check does not stop the others. */
async function doctor(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { checks: files, desired } = await fleetChecks(fleet, options, io)
  const checks = [
    programCheck(io),
    ...(await serviceChecks(desired, options, io)),
    ...files,
    ...(await leftoverChecks(fleet, io)),
    ...(await gitChecks(fleet, options, io))
  ]
  const renderOptions = renderOptionsFor(io.stdout, options, io)
  const json = options.format === 'json'
  await write(io, json ? renderDoctorJson(checks) : renderDoctorText(checks, renderOptions))
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

/** Bytes of a file with certificates; those of all public authorities together are a twentieth of it. */
const MOST_BYTES = 4 * 1024 * 1024

/** What a request meets before it reaches the service at this address: TLS, and a proxy. */
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

/** Node ignores a file that it cannot read, so this reads it. */
async function ownAuthorities(file: string): Promise<string> {
  if (file === '') return ''
  const wrong = (problem: string) =>
    new Failure(
      exit.wrongInput,
      `NODE_EXTRA_CA_CERTS names ${file}, which ${problem}`,
      'name a file with the certificates of your authority, in PEM'
    )
  const reading = readRegularFile(file, { most: MOST_BYTES })
  if (!('bytes' in reading)) throw wrong(`cannot be read: ${unreadReason(reading)}`)
  const text = reading.bytes.toString('utf8')
  const certificates = text.split('-----BEGIN CERTIFICATE-----').length - 1
  if (certificates === 0) throw wrong('holds no certificate')
  return `, also against the ${plural(certificates, 'certificate')} in ${file}`
}

/** User and password of a proxy are not shown. */
function proxy(baseUrl: string, env: Environment): string {
  const { httpsProxy, noProxy } = proxySettings({ baseUrl, env })
  if (httpsProxy === '') return 'none'
  const { host } = new URL(httpsProxy.includes('://') ? httpsProxy : `http://${httpsProxy}`)
  return noProxy === '' ? `through ${host}` : `through ${host}, but not for ${noProxy}`
}

/** The tokens, and the response of the service to one request with each of them. */
async function accountChecks(
  desired: Desired | undefined,
  options: ServiceOptions,
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
  return [token, ...checks.flat()]
}

function source(credentials: Credentials, { tokenFile }: ServiceOptions): string {
  const amount = single(credentials).length
  const which = amount === 1 ? '' : `${amount} of them, `
  if (tokenFile === undefined) return `${which}from WLANCTL_API_TOKEN`
  return `${which}from ${tokenFile}, which only you can read`
}

/** Each token by itself. */
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
    return { about, state: 'ok', said: `${name}the service does not report the remaining requests` }
  }
  if (left > 0) return { about, state: 'ok', said: `${name}${plural(left, 'request')} left` }
  const todo = 'wait for the next hour, or give the run another token'
  return { about, state: 'wrong', said: `${name}no request is left`, todo }
}
