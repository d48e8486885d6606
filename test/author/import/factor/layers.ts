import fc, { type Arbitrary } from 'fast-check'
import type { LiveSite } from '../../../../src/core/model/live.ts'
import type { JsonObject } from '../../../../src/simulator/json.ts'
import { forms, hostileFields, liveSite, nth, ssids } from '../estates.ts'

/** The variant of a WLAN on one site. */
type Variant = 'as all' | 'changed' | 'less' | 'more' | 'absent' | 'twice'

/** A WLAN that many sites have, with variants. */
interface Blueprint {
  readonly ssid: string
  /** True if its SSID contains the number of the site. */
  readonly numbered: boolean
  readonly fields: JsonObject
  /** True if its secrets are equal on all sites. */
  readonly shared: boolean
  readonly vlans: 'same' | 'few' | 'each'
  readonly servers: boolean
  /** By site; all other sites are equal. */
  readonly variants: readonly Variant[]
}

const SITES = 14

const blueprint: Arbitrary<Blueprint> = fc.record({
  ssid: ssids,
  numbered: fc.boolean(),
  fields: hostileFields(6),
  shared: fc.boolean(),
  vlans: fc.constantFrom('same', 'few', 'each'),
  servers: fc.boolean(),
  variants: fc.array(
    fc.oneof(
      { weight: 10, arbitrary: fc.constant<Variant>('as all') },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Variant>('changed', 'less', 'more', 'absent', 'twice')
      }
    ),
    { minLength: SITES, maxLength: SITES }
  )
})

const names = ['Store 17', 'store 17', 'no', '010', '😀', 'a: b', '# x', 'Café', '../etc', "it's"]

/** A fleet of similar sites, with hostile names and values, equivalent ones in different forms, and with exceptions. */
export const layeredFleet: Arbitrary<readonly LiveSite[]> = fc
  .tuple(
    fc.array(blueprint, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 2, max: SITES }),
    fc.array(forms, { minLength: 1, maxLength: SITES })
  )
  .map(([blueprints, sites, shown]) =>
    Array.from({ length: sites }, (_, site) => {
      const records = blueprints.flatMap((made, place) => recordsOf(made, site, place))
      const name = names[site] ?? `Store ${100 + site}`
      const form = shown[site % shown.length] ?? (record => record)
      return liveSite(
        { id: nth(site), name },
        JSON.parse(JSON.stringify(records.map(record => form(record))))
      )
    })
  )

function recordsOf(made: Blueprint, site: number, place: number): JsonObject[] {
  const variant = made.variants[site] ?? 'as all'
  if (variant === 'absent') return []
  const record = recordOf(made, site, place)
  if (variant === 'twice') return [record, { ...record, id: nth(200_000 + 10 * site + place) }]
  const [first = 'ssid', ...others] = Object.keys(made.fields)
  if (variant === 'less') return [without(record, others[0] ?? first)]
  if (variant === 'changed') return [{ ...record, dtim: 7, vlan_id: 999 }]
  return [variant === 'more' ? { ...record, max_num_clients: 5, isolation: true } : record]
}

function recordOf(
  { ssid, numbered, fields, shared, vlans, servers }: Blueprint,
  site: number,
  place: number
): JsonObject {
  const secret = (name: string) => `hush-${name}-${place}-${shared ? 'all' : site}`
  return {
    ...fields,
    id: nth(100_000 + 10 * site + place),
    ssid: numbered ? `${ssid.slice(0, 12)} ${site}` : ssid,
    vlan_id: { same: 40, few: 40 + (site % 3), each: 100 + site }[vlans],
    auth: { type: servers ? 'eap' : 'psk', ...(servers ? {} : { psk: secret('psk') }) },
    ...(servers
      ? {
          auth_servers: [11, 12].map(last => ({
            host: `10.${site}.0.${last}`,
            port: 1812,
            secret: secret('radius')
          }))
        }
      : {})
  }
}

function without(record: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name))
}
