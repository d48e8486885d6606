import type { Desired, DesiredSite, DesiredWlan } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import { groupBy, groupsBy } from '../values/collections.ts'
import { overlap, type Pointer } from '../values/pointer.ts'

interface Use {
  readonly site: DesiredSite
  readonly wlan: DesiredWlan
}

/** The declarations of a value for several sites. */
const SHARED: ReadonlySet<string> = new Set(['profile', 'WLAN', 'group', 'default'])

/** Warns of fields changed in a profile, list, group or default since the base, and names overriding sites. */
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
      const changed = same.filter(use => changedIn(use).includes(pointer))
      // Sites with the same groups have the value from the same place.
      const sources = groupsBy(changed, ({ site }) => site.groups).flatMap(([use]) => {
        const [source] = sourcesOf(use, pointer)
        return source && SHARED.has(source.kind) ? source : []
      })
      const places = groupsBy(sources, ({ place }) => `${place.file}:${place.line}`)
      return places.flatMap(
        ([
          {
            kind,
            place: { file, line }
          }
        ]) => {
          // A list of sites declares the WLANs of its own file alone.
          const mayHave = ({ wlan }: Use) => kind !== 'WLAN' || wlan.place.file === file
          const overriding = same.filter(use => {
            if (!mayHave(use) || changedIn(use).some(each => overlap(each, pointer))) return false
            const [, ...hidden] = sourcesOf(use, pointer)
            return hidden.some(({ place }) => place.file === file && place.line === line)
          })
          const names = overriding.map(({ site }) => site.name)
          if (names.length === 0) return []
          return finding('CHANGE_OVERRIDDEN', {}, pointer, `${file}:${line}`, names)
        }
      )
    })
  })
}

function changedIn({ site, wlan }: Use): readonly Pointer[] {
  const changed = site.sinceBase?.wlans.get(wlan.key)?.changed ?? []
  return changed.filter(pointer => pointer !== '')
}
