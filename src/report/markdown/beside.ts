import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { groupFindings, parted, whereaboutsOf } from '../group-findings.ts'
import { shown } from '../shown.ts'
import { few, thousands } from '../words.ts'
import { code, fieldCode } from './code.ts'
import type { Section } from './page.ts'
import { manyCell, siteCell, wlanCell } from './where.ts'

/** The pointers that one row names. */
const POINTERS = 20

/** The declared secrets that nobody could compare, of changed WLANs as of the others. */
export function notComparedSection({ changes, not_compared }: Plan): Section {
  const all = [
    ...changes.map(change => ({
      place: whereaboutsOf(change),
      pointers: change.not_compared ?? []
    })),
    ...not_compared.map(({ address, pointers }) => ({ place: parted(address), pointers }))
  ].filter(({ pointers }) => pointers.length > 0)
  const groups = groupFindings(all, ({ place, pointers }) => JSON.stringify([place.key, pointers]))
  return {
    lead: '',
    columns: ['Site', 'WLAN', 'Secrets that are not at hand, or that the service hides'],
    fold: `${thousands(plural(all.length, 'WLAN'))} with secrets that were not compared`,
    rows: groups.map(([first, ...others]) => {
      const places = [first.place, ...others.map(({ place }) => place)]
      const pointers = few(first.pointers.map(fieldCode), POINTERS)
      return { cells: [siteCell(places), wlanCell(first.place), pointers], weight: places.length }
    }),
    noun: 'WLAN',
    share: 1 / 8
  }
}

/** The live WLANs that nobody declares; those of one name in one row. */
export function unmanagedSection({ unmanaged }: Plan): Section {
  const n = thousands(plural(unmanaged.length, 'WLAN'))
  const hasOwners = unmanaged.some(({ owner }) => owner !== undefined)
  return {
    lead: unmanaged.length === 0 ? '' : `#### Unmanaged: ${n} live and declared nowhere`,
    columns: ['Site', 'SSID', 'Id', ...(hasOwners ? ['Owner'] : [])],
    rows: groupFindings(unmanaged, ({ ssid, owner }) => JSON.stringify([ssid, owner])).map(
      group => ({
        cells: [
          manyCell(
            group.map(({ site }) => site),
            'WLAN'
          ),
          code(shown(group[0].ssid)),
          group.length === 1 ? code(group[0].id) : '',
          ...(hasOwners ? [group[0].owner === undefined ? '' : code(group[0].owner)] : [])
        ],
        weight: group.length
      })
    ),
    noun: 'WLAN',
    share: 1 / 8
  }
}
