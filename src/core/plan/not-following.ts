import type { Desired, DesiredSite, DesiredWlan } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import { groupBy } from '../values/collections.ts'
import { overlap, type Pointer } from '../values/pointer.ts'

interface Use {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
}

/** Warns of fields changed in a profile or list since the base, and names overriding sites. */
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
  return [...groupBy(uses, ({ wlan }) => wlan.key).values()].flatMap(same => {
    const pointers = new Set(same.flatMap(changedIn))
    return [...pointers].flatMap(pointer => {
      const changed = same.find(use => changedIn(use).includes(pointer))
      const [source] = changed ? sourcesOf(changed, pointer) : []
      if (source?.kind !== 'profile' && source?.kind !== 'WLAN') return []
      const { file, line } = source.place
      // A list of sites declares the WLANs of its own file alone.
      const mayHave = ({ wlan }: Use) => source.kind === 'profile' || wlan.place.file === file
      const overriding = same.filter(use => {
        if (!mayHave(use) || changedIn(use).some(each => overlap(each, pointer))) return false
        const [, ...hidden] = sourcesOf(use, pointer)
        return hidden.some(({ place }) => place.file === file && place.line === line)
      })
      const names = overriding.map(({ site }) => site.name)
      if (names.length === 0) return []
      return finding('CHANGE_OVERRIDDEN', {}, pointer, `${file}:${line}`, names)
    })
  })
}

function changedIn({ site, wlan }: Use): readonly Pointer[] {
  const changed = site.sinceBase?.wlans.get(wlan.key)?.changed ?? []
  return changed.filter(pointer => pointer !== '')
}
