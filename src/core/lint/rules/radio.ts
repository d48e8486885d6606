import { isOnBand, isOnlyOnSix, isSentOn, isStored, rateBands } from '../conditions.ts'
import { aboutEach, type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

const masks = ['ht', 'vht', 'he', 'eht'] as const

const ratesets = rateBands.map(band => {
  const rateset = `/rateset/${band}`
  return {
    rateset,
    band,
    isBand: isOnBand(band),
    template: `${rateset}/template`,
    legacy: `${rateset}/legacy`,
    minRssi: `${rateset}/min_rssi`,
    masks: masks.map(name => `${rateset}/${name}`)
  }
})
type Rateset = (typeof ratesets)[number]

const fields = ratesets.map(({ rateset }) => rateset)
const singleRates = ratesets.flatMap(({ legacy, masks }) => [legacy, ...masks])
const isBasic = (rate: string) => rate.endsWith('b')
const isDsss = (rate: string) => /^(?:1|2|5\.5|11)b?$/.test(rate)

/** The values that contradict those that the Bonjour gateway assumes. */
const broadcastsOfBonjour = [
  ['/limit_bcast', false],
  ['/allow_mdns', true]
] as const

const exceptions = ['/allow_mdns', '/allow_ssdp', '/allow_ipv6_ndp']

/** Rules about data rates, radios, beacons and broadcasts. */
export const radioRules: readonly WlanRule[] = [
  {
    id: 'rates-not-custom',
    severity: 'warning',
    given: singleRates,
    fields,
    message: 'the rates are ignored: the template is not custom',
    why: 'single rates count with `template: custom` only',
    condition:
      'a rate set has `legacy`, `ht`, `vht`, `he` or `eht`, and its `template` is not custom',
    advice: 'set `template: custom`, or remove the rates',
    source: 'OAS `wlan_datarates` (documented); TFP AllowedWhenValueIs',
    check: wlan =>
      perBand(wlan, ({ template, legacy, masks }) => {
        const set = [legacy, ...masks].filter(field => wlan.filled(field))
        return set.length > 0 && wlan.isOther(template, 'custom')
          ? { fields: [template, ...set] }
          : undefined
      })
  },
  {
    id: 'rates-without-basic',
    severity: 'warning',
    view: 'D',
    given: ['/rateset'],
    fields,
    message: 'custom rates have no mandatory rate: the service uses those of no-legacy',
    why: 'a set of rates needs at least one that ends in "b", which every client supports',
    condition: 'the `template` is custom, and no entry of `legacy` ends in b',
    advice: 'mark a rate as mandatory, such as 12b',
    source: 'OAS `wlan_datarates_legacy` (documented)',
    falseAlarms: 'none',
    check: wlan =>
      perBand(wlan, ({ template, legacy }) =>
        wlan.is(template, 'custom') && (wlan.empty(legacy) || wlan.lacksEntry(legacy, isBasic))
          ? { fields: [template, legacy] }
          : undefined
      )
  },
  {
    id: 'rates-of-another-band',
    severity: 'error',
    view: 'D',
    given: ['/rateset'],
    fields: ['/rateset/5/legacy', '/rateset/6/legacy', '/rateset/6/template'],
    message: '1, 2, 5.5 and 11 Mbps exist on 2.4 GHz only',
    why: 'these are rates of 802.11b; 6 GHz needs 802.11ax',
    condition:
      '`rateset.5` or `rateset.6` has the rate 1, 2, 5.5 or 11; or `rateset.6.template` is legacy-only',
    advice: 'remove the rate, or use another template',
    source: '802.11 (knowledge)',
    check: wlan =>
      violationsOf(
        ...['/rateset/5/legacy', '/rateset/6/legacy'].map(
          field => wlan.hasEntry(field, isDsss) && { fields: [field], subject: field }
        ),
        wlan.is('/rateset/6/template', 'legacy-only') && {
          message: '6 GHz has no legacy rates',
          fields: ['/rateset/6/template'],
          subject: 'template'
        }
      )
  },
  {
    id: 'rates-mask-unfit',
    severity: 'error',
    view: 'D',
    given: singleRates,
    fields,
    message: 'a mask of rates is not usable',
    why: 'a mask has four hexadecimal digits for each stream, of one to four streams',
    condition:
      '`ht`, `vht`, `he` or `eht` is not hexadecimal, or its length is no multiple of four, or more than sixteen',
    advice: 'write 4, 8, 12 or 16 hexadecimal digits',
    source: 'OAS `wlan_datarates.ht` (documented)',
    check: wlan =>
      ratesets.flatMap(rateset =>
        wlan.filled(rateset.rateset) ? rateset.masks.flatMap(field => maskProblem(wlan, field)) : []
      )
  },
  {
    id: 'rates-of-a-band-that-is-off',
    severity: 'info',
    given: ['/rateset'],
    fields: ['/bands', ...fields],
    message: 'rates are declared for a band that is off',
    why: 'the network is not sent on that band',
    condition:
      '`rateset` is declared for a band that is not in `bands`, and the service does not store these rates already',
    advice: 'remove the rates, or add the band',
    source: 'knowledge',
    check: (wlan, before) =>
      violationsOf(
        ...ratesets.map(
          ({ rateset, band, isBand }) =>
            wlan.lacksEntry('/bands', isBand) &&
            wlan.declares(rateset) &&
            !isStored(wlan, before, rateset) && {
              fields: [rateset, '/bands'],
              ignored: [rateset],
              subject: band
            }
        )
      )
  },
  {
    id: 'signal-unfit',
    severity: 'error',
    view: 'D',
    given: ['/rateset'],
    fields: ratesets.map(({ minRssi }) => minRssi),
    message: 'expected a minimum signal from -100 to 0 dBm',
    why: '0 lets in all clients; above -65 dBm clients at an ordinary distance are refused',
    condition: '`rateset.*.min_rssi` is above 0 or below -100; a warning above -65',
    advice: 'use a value around -75, or 0',
    source: 'OAS `wlan_datarates.min_rssi` (documented)',
    check: wlan => ratesets.flatMap(({ minRssi }) => signalProblems(wlan, minRssi))
  },
  {
    id: 'slow-rates',
    severity: 'info',
    fields: ['/bands', '/rateset/24/template'],
    message: 'rates of 802.11b are on: they take most of the air time of 2.4 GHz',
    why: 'beacons go out at the slowest rate, and one slow client slows all others down',
    condition:
      '`bands` is known and has 24, and `rateset.24.template` is compatible (the default) or legacy-only',
    advice: 'set `rateset.24.template: no-legacy`',
    source: 'MULTI: legacy bit rates should be disabled (others); OAS `wlan_datarates_template`',
    falseAlarms: 'medium: old devices',
    check: wlan =>
      when(wlan.is('/rateset/24/template', 'compatible', 'legacy-only') && isSentOn(wlan, '24'))
  },
  {
    id: 'multimedia-off',
    severity: 'warning',
    given: ['/disable_wmm', '/disable_11ax', '/disable_ht_vht_rates'],
    fields: ['/disable_wmm', '/disable_ht_vht_rates', '/disable_11ax', '/bands'],
    message: 'without WMM devices fall back to 54 Mbps',
    why: '802.11n and later need WMM, and 6 GHz needs 802.11ax',
    condition:
      '`disable_wmm` is on and `disable_ht_vht_rates` is off; an error where `bands` is only 6 GHz and `disable_11ax` or `disable_ht_vht_rates` is on',
    advice: 'turn off `disable_wmm`; on 6 GHz turn off `disable_11ax` and `disable_ht_vht_rates`',
    source: '802.11 (knowledge)',
    check: wlan =>
      violationsOf(
        wlan.on('/disable_wmm') &&
          wlan.off('/disable_ht_vht_rates') && {
            fields: ['/disable_wmm', '/disable_ht_vht_rates'],
            subject: 'wmm'
          },
        (wlan.on('/disable_11ax') || wlan.on('/disable_ht_vht_rates')) &&
          isOnlyOnSix(wlan) && {
            level: 'error',
            message: '6 GHz needs 802.11ax, which is disabled',
            fields: ['/bands', '/disable_11ax', '/disable_ht_vht_rates'],
            subject: '6'
          }
      )
  },
  {
    id: 'band-steer-alone',
    severity: 'warning',
    given: ['/band_steer', '/band_steer_force_band5'],
    fields: ['/band_steer', '/band_steer_force_band5', '/bands'],
    message: 'band steering needs both 2.4 and 5 GHz',
    why: 'clients cannot be steered to a band that is off',
    condition:
      '`band_steer` is on and `bands` lacks 24 or 5; an error where `band_steer_force_band5` is on and `bands` lacks 5',
    advice: 'add the band, or turn off band steering',
    source: 'OAS `wlan.band_steer`: works only with both bands (documented)',
    check: wlan =>
      violationsOf(
        wlan.on('/band_steer') &&
          (wlan.lacksEntry('/bands', isOnBand('24')) ||
            wlan.lacksEntry('/bands', isOnBand('5'))) && {
            fields: ['/band_steer', '/bands'],
            subject: 'steer'
          },
        wlan.on('/band_steer_force_band5') &&
          wlan.lacksEntry('/bands', isOnBand('5')) && {
            level: 'error',
            message: 'clients are forced to 5 GHz, and that band is off',
            fields: ['/band_steer_force_band5', '/bands'],
            subject: 'force'
          }
      )
  },
  {
    id: 'dtim-unfit',
    severity: 'error',
    view: 'D',
    fields: ['/dtim'],
    message: 'expected a DTIM period from 1 to 255 beacons',
    why: 'the period is one octet, and 0 is reserved; with more than 10 beacons sleeping clients miss broadcasts',
    condition: '`dtim` is not 1 to 255; a warning above 10',
    advice: 'use 1 to 10; 2 is the default',
    source: '802.11 (knowledge); HPE: range 1 to 10 (others)',
    check: wlan => {
      const beacons = wlan.number('/dtim')
      if (beacons === undefined || (beacons >= 1 && beacons <= 10)) return []
      if (beacons < 1 || beacons > 255) return [{}]
      const message = 'sleeping clients wait long for broadcasts'
      return [{ level: 'warning', message, extent: beacons }]
    }
  },
  {
    id: 'bonjour-fights-broadcast',
    severity: 'warning',
    view: 'T',
    given: ['/bonjour/enabled'],
    fields: ['/bonjour/enabled', '/limit_bcast', '/allow_mdns'],
    message: 'the Bonjour gateway works as if `limit_bcast` were on and `allow_mdns` off',
    why: 'the service may store other values than the declared ones, which then differ after every update',
    condition:
      '`bonjour` is on, `limit_bcast: false` or `allow_mdns: true` is declared, and the service does not already store this value together with `bonjour`; only with the live WLAN',
    advice: 'declare `limit_bcast: true` and `allow_mdns: false`, or neither',
    source: 'OAS `wlan_bonjour.enabled`: both are assumed (documented)',
    falseAlarms: 'medium: the service may keep both values',
    check: (wlan, before) =>
      before === undefined
        ? []
        : violationsOf(
            ...broadcastsOfBonjour.map(
              ([field, value]) =>
                wlan.declares(field) &&
                wlan.is(field, value) &&
                !(before.on('/bonjour/enabled') && before.is(field, value)) && {
                  fields: ['/bonjour/enabled', field],
                  subject: field
                }
            )
          )
  },
  {
    id: 'bonjour-empty',
    severity: 'error',
    given: ['/bonjour/enabled'],
    fields: ['/bonjour/enabled', '/bonjour/services', '/bonjour/additional_vlan_ids'],
    message: 'the Bonjour gateway has no services',
    why: 'the gateway announces the listed services of the listed VLANs, and nothing else',
    condition:
      '`bonjour` is on, and `services` is empty; a warning where `additional_vlan_ids` is empty',
    advice: 'declare `bonjour.services` and `bonjour.additional_vlan_ids`',
    source: 'TFP RequiredWhenValueIs, both (a check of the provider)',
    falseAlarms: 'medium for the VLANs: the service may take one VLAN as enough',
    check: wlan =>
      violationsOf(
        wlan.empty('/bonjour/services') && {
          fields: ['/bonjour/enabled', '/bonjour/services'],
          subject: 'services'
        },
        wlan.empty('/bonjour/additional_vlan_ids') && {
          level: 'warning',
          message: 'the Bonjour gateway has no VLANs to connect',
          fields: ['/bonjour/enabled', '/bonjour/additional_vlan_ids'],
          subject: 'vlans'
        }
      )
  },
  {
    id: 'bonjour-isolated',
    severity: 'info',
    given: ['/bonjour/enabled'],
    fields: ['/bonjour/enabled', '/isolation'],
    message: 'the Bonjour gateway announces devices that `isolation` keeps from clients',
    why: 'a client sees a printer of the same access point, and cannot reach it',
    condition: '`bonjour` and `isolation` are on',
    advice: 'turn off one of them, or keep the announced devices on another network',
    source: 'knowledge',
    falseAlarms: 'medium: devices on other networks stay reachable',
    check: wlan => when(wlan.on('/isolation'))
  },
  {
    id: 'isolation-fights-l2',
    severity: 'warning',
    view: 'T',
    given: ['/isolation', '/l2_isolation'],
    fields: ['/isolation', '/l2_isolation'],
    message: 'the service may turn on `l2_isolation` with `isolation`',
    why: 'the declared value would differ from the live one after every update',
    condition:
      '`isolation: true` and `l2_isolation: false` are declared together, and are not both live already; an error for `l2_isolation: true` and `isolation: false`; only with the live WLAN',
    advice: 'declare the same value for both, or only `isolation`',
    source: 'TFP issue 10 (code); OAS `wlan.l2_isolation`: if isolation is enabled (documented)',
    falseAlarms: 'medium for the warning: the service may keep both values',
    check: (wlan, before) => {
      if (before === undefined || isPairLive(wlan, before)) return []
      if (!wlan.declares('/isolation') || !wlan.declares('/l2_isolation')) return []
      return violationsOf(
        wlan.on('/isolation') && wlan.off('/l2_isolation') && { subject: 'isolation' },
        wlan.on('/l2_isolation') &&
          wlan.off('/isolation') && {
            level: 'error',
            message: '`l2_isolation` has no effect without `isolation`',
            subject: 'l2'
          }
      )
    }
  },
  {
    id: 'broadcast-flags-ignored',
    severity: 'info',
    fields: ['/limit_bcast', '/allow_mdns', '/allow_ssdp', '/allow_ipv6_ndp'],
    message: 'exceptions for broadcasts have no effect: `limit_bcast` is off',
    why: 'the exceptions count only while broadcasts are limited',
    condition:
      '`allow_mdns`, `allow_ssdp` or `allow_ipv6_ndp` is declared and `limit_bcast` is off; a warning where both are declared like this and not live already, or where `limit_bcast` is on and `allow_ipv6_ndp` is off: IPv6 stops',
    advice: 'turn on `limit_bcast`, or remove the exceptions; for IPv6 allow `allow_ipv6_ndp`',
    source: 'OAS: only applicable when limit_bcast is true (documented)',
    check: (wlan, before) => {
      if (wlan.off('/limit_bcast')) {
        const on = exceptions.filter(flag => wlan.declares(flag) && wlan.on(flag))
        const isStored = before?.off('/limit_bcast') && on.every(flag => before.on(flag))
        if (before !== undefined && wlan.declares('/limit_bcast') && on.length > 0 && !isStored)
          return [
            {
              level: 'warning',
              message: 'the service may couple `limit_bcast` with its exceptions',
              fields: ['/limit_bcast', ...on],
              subject: 'coupled'
            }
          ]
        const flags = exceptions.filter(flag => wlan.declares(flag))
        const fields = ['/limit_bcast', ...flags]
        return aboutEach(flags, () => ({ fields, ignored: flags }))
      }
      return violationsOf(
        wlan.meets('ndp-blocked') && {
          level: 'warning',
          message: 'IPv6 stops: neighbour discovery is among the limited broadcasts',
          fields: ['/limit_bcast', '/allow_ipv6_ndp'],
          subject: 'ipv6'
        }
      )
    }
  }
]

function perBand(
  wlan: WlanView,
  check: (rateset: Rateset) => Violation | undefined
): readonly Violation[] {
  return ratesets.flatMap(each => {
    const violation = wlan.filled(each.rateset) ? check(each) : undefined
    return violation === undefined ? [] : [{ ...violation, subject: each.rateset }]
  })
}

function maskProblem(wlan: WlanView, field: string): readonly Violation[] {
  const mask = wlan.text(field)
  if (mask === undefined || /^(?:[\da-f]{4}){1,4}$/i.test(mask)) return []
  const message = `expected 4, 8, 12 or 16 hexadecimal digits in \`${describedName(field)}\``
  return [{ message, fields: [field], subject: field }]
}

function signalProblems(wlan: WlanView, field: string): readonly Violation[] {
  const dbm = wlan.number(field)
  if (dbm === undefined || dbm === 0 || (dbm >= -100 && dbm <= -65)) return []
  const common = { fields: [field], subject: field }
  if (dbm > 0 || dbm < -100) return [common]
  const message = 'clients at an ordinary distance are refused'
  return [{ ...common, level: 'warning', message, extent: dbm }]
}

/** True if the live record already has both values: a service that stores this pair does not couple them. */
function isPairLive(wlan: WlanView, before: WlanView): boolean {
  return ['/isolation', '/l2_isolation'].every(field => wlan.on(field) === before.on(field))
}
