import { loadTexts } from '../../config/load.ts'
import type { DesiredSite } from '../../model/desired.ts'
import { isError } from '../../model/finding.ts'
import type { LiveSite, LiveWlan } from '../../model/live.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../../model/value.ts'
import { matchSite } from '../../plan/match.ts'
import { referencesOnly } from '../../secrets/source.ts'
import type { ImportedSecret } from '../secrets.ts'
import type { ImportedSite } from '../site.ts'
import type { ImportedFile, Pause } from '../site-files.ts'
import { equalValues } from './leaves.ts'

/**
 * The differences between the files and the plain declaration of each site; empty if there are none. Loads the
 * files as any fleet: each WLAN must match the same live WLAN and declare the same fields and values, secrets
 * by their references.
 */
export async function findDifferences(
  files: readonly ImportedFile[],
  secrets: readonly ImportedSecret[],
  sites: readonly ImportedSite[],
  prefix: string,
  pause: Pause
): Promise<string[]> {
  const texts = new Map(files.map(({ file, text }) => [file, text]))
  const { desired, findings } = await loadTexts(texts, referencesOnly(prefix))
  if (desired === undefined) {
    return findings.filter(isError).map(({ code }) => `the files would be invalid: ${code}`)
  }
  const known = new Map(secrets.map(({ name, secret }) => [name, secret]))
  const declared = new Map(desired.sites.map(site => [site.id, site]))
  const missing = sites.filter(({ site }) => !declared.has(site.id))
  const found = missing.map(({ site }) => `the site ${site.name} would be missing`)
  for (const site of sites) {
    await pause()
    found.push(...siteDifferences(site, declared.get(site.site.id), known))
  }
  return found
}

function siteDifferences(
  imported: ImportedSite,
  declared: DesiredSite | undefined,
  known: ReadonlyMap<string, Secret>
): string[] {
  if (declared === undefined) return []
  const declaredFields = new Map<string, ValueObject>()
  for (const [wlan, match] of matchSite(declared, toLiveSite(imported))) {
    if (!('live' in match)) return [`${wlan.address} would match no live WLAN`]
    declaredFields.set(match.live.id, wlan.fields)
  }
  if (declaredFields.size !== imported.wlans.length)
    return [`${declared.name} would have other WLANs`]
  return imported.wlans.flatMap(({ id, key, fields }) => {
    const found = declaredFields.get(id)
    const same = found !== undefined && equalValues(resolveSecrets(found, known), fields)
    return same ? [] : [`${declared.name}/${key} would be declared differently`]
  })
}

/** The live WLANs without their records, for matching. */
function toLiveSite({ site, wlans, inherited }: ImportedSite): LiveSite {
  const live = ({ id, ssid }: Pick<LiveWlan, 'id' | 'ssid'>) => ({
    id,
    ssid,
    record: {},
    readAt: 0
  })
  return { site, wlans: [...wlans, ...inherited].map(live) }
}

/** The value with live secrets in place of its references. */
function resolveSecrets(value: Value, known: ReadonlyMap<string, Secret>): Value {
  if (value instanceof Secret) {
    return ('$env' in value.reference && known.get(value.reference.$env)) || value
  }
  if (isList(value)) return value.map(item => resolveSecrets(item, known))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, resolveSecrets(inner, known)])
  )
}
