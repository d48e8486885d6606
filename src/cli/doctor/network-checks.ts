import { checkTls, type Environment } from '../../api/connection.ts'
import { proxySettings } from '../../api/proxy.ts'
import { exit, Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { readRegularFile } from '../../secrets/regular-file.ts'
import { unreadReason } from '../files/files.ts'
import { check } from './check.ts'

/** Bytes of a file with certificates; those of all public authorities together are a twentieth of it. */
const MOST_BYTES = 4 * 1024 * 1024

/** What a request meets before it reaches the service at this address: TLS, and a proxy. */
export async function networkChecks(baseUrl: string, env: Environment): Promise<DoctorCheck[]> {
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

/** Node itself goes on without a file that it cannot read, and then trusts nobody new. */
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
