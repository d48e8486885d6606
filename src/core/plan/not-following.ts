import type { Desired, DesiredSite, DesiredWlan } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import { groupBy } from '../values/collections.ts'
import { overlap, type Pointer } from '../values/pointer.ts'

interface Use {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
}

/** The value of a field that several WLANs have from one place. */
interface SharedChange {
  readonly pointer: Pointer
  /** The file and the line of the value. */
  readonly at: string
}

/**
 * A warning for each field that the files changed in a profile, or in the WLAN of a list of sites, since the base, with the
 * sites that override the field and so do not change.
 */
export function notFollowing({
  sites,
  originsOf
}: Pick<Desired, 'sites' | 'originsOf'>): Finding[] {
  if (originsOf === undefined) return []
  const uses = sites.flatMap(site =>
    site.wlans.flatMap(wlan => (wlan.managed === false || wlan.excluded ? [] : { site, wlan }))
  )
  const sourcesOf = ({ site, wlan }: Use, pointer: Pointer) =>
    originsOf(site, wlan, pointer).find(each => each.pointer === pointer)?.sources ?? []
  const placeOf = (use: Use, pointer: Pointer) => {
    const [source] = sourcesOf(use, pointer)
    const isShared = source?.kind === 'profile' || source?.kind === 'WLAN'
    return isShared ? `${source.place.file}:${source.place.line}` : undefined
  }
  return [...groupBy(uses, ({ wlan }) => wlan.key).values()].flatMap(same => {
    const shared = new Map<string, SharedChange>()
    const pointers = new Set(same.flatMap(changedIn))
    for (const pointer of pointers) {
      const changed = same.find(use => changedIn(use).includes(pointer))
      const at = changed && placeOf(changed, pointer)
      if (at !== undefined) shared.set(pointer, { pointer, at })
    }
    return [...shared.values()].flatMap(({ pointer, at }) => {
      const unchanged = same.filter(use => !changedIn(use).some(each => overlap(each, pointer)))
      const overriding = unchanged.filter(use => {
        const [, ...hidden] = sourcesOf(use, pointer)
        return hidden.some(({ place }) => `${place.file}:${place.line}` === at)
      })
      const names = overriding.map(({ site }) => site.name)
      return names.length === 0
        ? []
        : finding('CHANGE_OVERRIDDEN', {}, pointer.slice(1).replaceAll('/', '.'), at, names)
    })
  })
}

/** The fields of a WLAN that the files changed since the base; those of a new one are none. */
function changedIn({ site, wlan }: Use): readonly Pointer[] {
  const changed = site.sinceBase?.wlans.get(wlan.key)?.changed ?? []
  return changed.filter(pointer => pointer !== '')
}
