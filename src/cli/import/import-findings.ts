import type { ImportedSecret } from '../../author/import/secrets.ts'
import type { ImportedSite } from '../../author/import/site.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { UnreadSite } from '../../core/model/live.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { secretFileText } from '../files/import-secrets.ts'

export function findingsOfImport(
  sites: readonly ImportedSite[],
  unread: readonly UnreadSite[],
  secrets: readonly ImportedSecret[]
): Finding[] {
  const hidden = secrets.filter(({ secret }) => !secret.known).length
  return [
    ...unread.map(({ site, reason, hint }) =>
      finding('SITE_NOT_READ', { address: site.name }, reason, hint)
    ),
    ...sites.flatMap(({ findings }) => findings),
    ...findingsOfSites(sites),
    ...(hidden === 0 ? [] : [finding('IMPORT_SECRET_HIDDEN', {}, hidden, secrets.length)])
  ]
}

/** The findings about all sites together: inherited WLANs, and fields that the schema lacks. */
function findingsOfSites(
  sites: readonly Pick<ImportedSite, 'name' | 'inherited' | 'unknown'>[]
): Finding[] {
  const whereOf = ([first, ...others]: typeof sites) =>
    first === undefined || others.length > 0 ? {} : { address: first.name }
  const inheriting = sites.filter(({ inherited }) => inherited.length > 0)
  const wlans = inheriting.reduce((sum, { inherited }) => sum + inherited.length, 0)
  const newer = sites.filter(({ unknown }) => unknown.length > 0)
  const unknown = newer.flatMap(site => site.unknown)
  const names = [...new Set(unknown.flat())].sort(byCodeUnit)
  return [
    ...(wlans === 0
      ? []
      : [finding('IMPORT_INHERITED', whereOf(inheriting), wlans, inheriting.length)]),
    ...(names.length === 0
      ? []
      : [finding('IMPORT_UNKNOWN', whereOf(newer), names, unknown.length)])
  ]
}

export function unfitSecrets(secrets: readonly ImportedSecret[]): Finding[] {
  const unfit = secrets.filter(each => each.secret.known && secretFileText(each) === undefined)
  const names = unfit.map(({ name }) => name)
  return names.length === 0 ? [] : [finding('IMPORT_SECRET_UNFIT', {}, names)]
}
