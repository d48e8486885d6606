import { loadTexts } from '../../src/config/load.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from '../../src/import/secrets.ts'
import { importSite } from '../../src/import/site.ts'
import { writeSiteFile } from '../../src/import/site-files.ts'
import type { RequestedImport } from '../../src/import/site-requests.ts'
import type { Desired } from '../../src/model/desired.ts'
import type { LiveSite } from '../../src/model/live.ts'
import type { WlanPlan } from '../../src/model/plan.ts'
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

/** The environment in which the secrets that were shown are set. */
export function environment(secrets: readonly ImportedSecret[]): SecretSource {
  const env = secrets.flatMap(({ name, secret }) => (secret.known ? [[name, secret.reveal()]] : []))
  return secretSource({ env: Object.fromEntries(env), prefix: 'WLAN_SECRET_' })
}

/** The fleet that is declared by these files, which must be right. */
export async function desiredOf(
  texts: ReadonlyMap<string, string>,
  secrets: readonly ImportedSecret[]
): Promise<Desired> {
  const { desired, findings } = await loadTexts(texts, environment(secrets))
  if (desired === undefined) throw new Error(lines(findings).join('\n'))
  return desired
}

/** What a plan says of each WLAN of the live sites. */
export function plansOf(desired: Desired, live: readonly LiveSite[]): WlanPlan[] {
  return desired.sites.flatMap(site => {
    const found = live.find(({ site: { id } }) => id === site.id)
    return found === undefined ? [] : [...planSite(site, found).wlanPlans]
  })
}

/** What a plan of these files says of the live sites, by address. */
export async function planned(
  texts: ReadonlyMap<string, string>,
  secrets: readonly ImportedSecret[],
  live: readonly LiveSite[]
): Promise<Record<string, string>> {
  const plans = plansOf(await desiredOf(texts, secrets), live)
  return Object.fromEntries(plans.map(({ address, status }) => [address, status]))
}
