import type { Connection } from '../../api/connection.ts'
import type { Credentials } from '../../api/credentials.ts'
import { probe } from '../../api/probe.ts'
import type { Desired, Site } from '../../model/desired.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { connectionOf, credentialsOf } from '../connection.ts'
import type { Io } from '../io.ts'
import type { ServiceOptions } from '../options.ts'
import { check, notLookedAt } from './check.ts'

/** The tokens, and what the service says to each of them: one request, made once. */
export async function accountChecks(
  desired: Desired | undefined,
  options: ServiceOptions,
  io: Io
): Promise<DoctorCheck[]> {
  const token = await check('token', async () => source(await credentialsOf(options, io), options))
  if (token.state !== 'ok') return [token, notLookedAt('service', 'token')]
  const { patience: _, ...once } = await connectionOf(options, io, io.interrupted, desired)
  const checks = await Promise.all(
    single(once.credentials).map((credentials, at, { length }) => {
      const name = length === 1 ? '' : `token ${at + 1} of ${length}: `
      return askedAs(name, { ...once, credentials }, desired?.sites[0])
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

async function askedAs(name: string, connection: Connection, site: Site | undefined) {
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
    return { about, state: 'ok', said: `${name}the service does not tell what is left` }
  }
  if (left > 0) return { about, state: 'ok', said: `${name}${plural(left, 'request')} left` }
  const todo = 'wait for the next hour, or give the run another token'
  return { about, state: 'wrong', said: `${name}no request is left`, todo }
}
