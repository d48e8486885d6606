import { compact, sortBy } from '../model/collections.ts'
import type { DesiredSite } from '../model/desired.ts'
import { isInherited, type LiveWlan } from '../model/live.ts'
import type { Unmanaged } from '../model/plan.ts'

/** The live WLANs of a site that no file declares: its own, and those of the organization. */
export function listUndeclared(
  { name: site, owner }: DesiredSite,
  wlans: readonly LiveWlan[]
): { readonly unmanaged: readonly Unmanaged[]; readonly inherited: readonly Unmanaged[] } {
  const listed = (areInherited: boolean) =>
    wlans
      .filter(({ record }) => isInherited(record) === areInherited)
      .map(({ id, ssid }) => ({ site, id, ssid, ...compact({ owner }) }))
  return { unmanaged: listed(false), inherited: listed(true) }
}

/** By site, SSID and id. */
export function sortUnmanaged(wlans: readonly Unmanaged[]): Unmanaged[] {
  return sortBy(
    wlans,
    ({ site }) => site,
    ({ ssid }) => ssid,
    ({ id }) => id
  )
}
