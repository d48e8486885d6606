import { type WrittenFleet, writeFleet } from '../../../src/author/import/factor/factor.ts'
import type { ImportedSecret, SecretForm } from '../../../src/author/import/secrets.ts'
import { importSite, type RequestedImport } from '../../../src/author/import/site.ts'
import type { GroupName } from '../../../src/core/audit/kinds.ts'
import { matchSite } from '../../../src/core/diff/match.ts'
import type { Desired } from '../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import type { WlanPlan } from '../../../src/core/model/plan.ts'
import { planWlan } from '../../../src/core/plan/plan.ts'
import { secretsShownAt } from '../../../src/core/schema/shown-secrets.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { type SecretSource, secretSource } from '../../../src/fleet/secrets/source.ts'
import { lines } from '../../fleet/fleet.ts'

/** The default source of secrets: variables. */
export const ENV: SecretForm = { kind: '$env', prefix: 'WLAN_SECRET_' }

/** The import of a site. */
export function imported(live: LiveSite, allFields = false): RequestedImport {
  return { ...importSite(live, allFields), slug: live.site.name }
}

/** The files of imported sites, in layers or each by itself. */
export function writtenFleet(
  sites: readonly RequestedImport[],
  inLayers: boolean,
  groupNames: readonly GroupName[] = []
): Promise<WrittenFleet> {
  return writeFleet(sites, { form: ENV, groupNames, inLayers }, async () => {})
}

export function textsOf({ files }: Pick<WrittenFleet, 'files'>): Map<string, string> {
  return new Map(files.map(({ file, text }) => [file, text]))
}

/** The environment with the visible secrets. */
export function environment(secrets: readonly ImportedSecret[]): SecretSource {
  const env = secrets.flatMap(({ name, secret }) => (secret.known ? [[name, secret.reveal()]] : []))
  return secretSource({ env: Object.fromEntries(env), prefix: 'WLAN_SECRET_' })
}

/** The fleet of these files, which must be valid. */
export async function desiredOf(
  texts: ReadonlyMap<string, string>,
  secrets: readonly ImportedSecret[]
): Promise<Desired> {
  const { desired, findings } = await loadTexts(texts, environment(secrets))
  if (desired === undefined) throw new Error(lines(findings).join('\n'))
  return desired
}

/** The planned result for each declared WLAN of the live sites, unchanged ones included. */
export function plansOf(desired: Desired, live: readonly LiveSite[]): WlanPlan[] {
  return desired.sites.flatMap(site => {
    const found = live.find(({ site: { id } }) => id === site.id)
    if (found === undefined) return []
    const secretsShown = secretsShownAt(found)
    const managed = [...matchSite(site, found)].filter(([wlan]) => !wlan.excluded)
    return managed.map(([wlan, match]): WlanPlan => {
      const { address } = wlan
      if (!('live' in match)) return { status: 'blocked', address, finding: match.finding }
      return planWlan(site, wlan, match.live, { secretsShown })
    })
  })
}

/** The planned result of these files on the live sites, by address. */
export async function planned(
  texts: ReadonlyMap<string, string>,
  secrets: readonly ImportedSecret[],
  live: readonly LiveSite[]
): Promise<Record<string, string>> {
  const plans = plansOf(await desiredOf(texts, secrets), live)
  return Object.fromEntries(plans.map(({ address, status }) => [address, status]))
}
