import type { DesiredSite, DesiredWlan, Site } from '../../src/core/model/desired.ts'
import { Secret } from '../../src/core/values/secret.ts'
import type { ValueObject } from '../../src/core/values/value.ts'

/** The declaration of a site: its WLANs by key, with their fields and optional ids. */
export function desiredSite(
  { id, name }: Site,
  wlans: Readonly<Record<string, ValueObject & { readonly id?: string }>>
): DesiredSite {
  return {
    id,
    name,
    wlans: Object.entries(wlans).map(([key, declared], n) => desiredWlan(name, key, declared, n))
  }
}

function desiredWlan(
  site: string,
  key: string,
  { id, ...fields }: ValueObject & { readonly id?: string },
  n: number
): DesiredWlan {
  const file = `${site}.yaml`
  return {
    address: `${site}/${key}`,
    key,
    ...(id === undefined ? {} : { id }),
    fields: fields as ValueObject,
    place: { file: `fleet/${file}`, line: 10 * n + 4, column: 3 },
    file
  }
}

/** A declared secret from an environment variable. */
export function env(name: string, value: string): Secret {
  return new Secret({ $env: `WLAN_SECRET_${name}` }, value)
}
