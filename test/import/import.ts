import { loadTexts } from '../../src/config/load.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from '../../src/import/secrets.ts'
import { importSite } from '../../src/import/site.ts'
import { writeSiteFile } from '../../src/import/site-files.ts'
import type { RequestedImport } from '../../src/import/site-requests.ts'
import type { LiveSite } from '../../src/model/live.ts'
import type { Pointer } from '../../src/model/pointer.ts'
import { planSite } from '../../src/plan/plan.ts'
import { type SecretSource, secretSource } from '../../src/secrets/source.ts'
import { lines } from '../config/fleet.ts'

/** References to variables, as is usual. */
export const ENV: SecretForm = { kind: '$env', prefix: 'WLAN_SECRET_' }

/** A site's file, and what it refers to. */
export function imported(live: LiveSite, allFields = false) {
  const made = importSite(live, { allFields })
  const site: RequestedImport = [{ ...live.site, slug: live.site.name }, made]
  const catalog = new SecretCatalog([site], ENV)
  return { ...made, secrets: catalog.secrets, text: writeSiteFile(site, catalog).text }
}

/** The fields of live sites that their files leave unwatched, by address. */
export async function unwatched(
  texts: ReadonlyMap<string, string>,
  live: readonly LiveSite[]
): Promise<Record<string, readonly Pointer[]>> {
  const { desired } = await loadTexts(texts, environment([]))
  const plans = (desired?.sites ?? []).flatMap(site => {
    const found = live.find(({ site: { id } }) => id === site.id)
    return found === undefined ? [] : planSite(site, found).wlanPlans
  })
  return Object.fromEntries(
    plans.map(plan => [plan.address, 'unwatched' in plan ? plan.unwatched : []])
  )
}

/** The environment in which the secrets that were shown are set. */
export function environment(secrets: readonly ImportedSecret[]): SecretSource {
  const env = secrets.flatMap(({ name, secret }) => (secret.known ? [[name, secret.reveal()]] : []))
  return secretSource({ env: Object.fromEntries(env), prefix: 'WLAN_SECRET_' })
}

/** What a plan of these files says of the live sites, by address; the errors of wrong files. */
export async function planned(
  texts: ReadonlyMap<string, string>,
  secrets: readonly ImportedSecret[],
  live: readonly LiveSite[]
): Promise<Record<string, string> | readonly string[]> {
  const { desired, findings } = await loadTexts(texts, environment(secrets))
  if (desired === undefined) return lines(findings)
  const verdicts = desired.sites.flatMap(site => {
    const found = live.find(({ site: { id } }) => id === site.id)
    return found === undefined ? [] : planSite(site, found).wlanPlans
  })
  return Object.fromEntries(verdicts.map(({ address, status }) => [address, status]))
}
