import { isOnBand, namesBands, rateBands } from '../conditions.ts'
import { describedName } from '../describe.ts'
import { type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

const masks = ['ht', 'vht', 'he', 'eht'] as const

/** The pointers of each rate set. */
const ratesets = rateBands.map(band => {
  const rateset = `/rateset/${band}`
  return {
    rateset,
    template: `${rateset}/template`,
    legacy: `${rateset}/legacy`,
    minRssi: `${rateset}/min_rssi`,
    masks: masks.map(name => `${rateset}/${name}`)
  }
})
type Rateset = (typeof ratesets)[number]

const fields = ratesets.map(({ rateset }) => rateset)
const isBasic = (rate: string) => rate.endsWith('b')
const isDsss = (rate: string) => /^(?:1|2|5\.5|11)b?$/.test(rate)

/** Rules about data rates and signal strength. */
export const rateRules: readonly WlanRule[] = [
  {
    id: 'rates-not-custom',
    severity: 'warning',
    view: 'M',
    given: ['/rateset'],
    fields,
    message: 'the rates are ignored: the template is not custom',
    why: 'single rates count with `template: custom` only',
    condition:
      'a rate set has `legacy`, `ht`, `vht`, `he` or `eht`, and its `template` is not custom',
    advice: 'set `template: custom`, or remove the rates',
    source: 'OAS `wlan_datarates` (documented); TFP AllowedWhenValueIs',
    falseAlarms: 'low',
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
    falseAlarms: 'low',
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
    given: ['/rateset'],
    fields,
    message: 'a mask of rates is not usable',
    why: 'a mask has four hexadecimal digits for each stream, of one to four streams',
    condition:
      '`ht`, `vht`, `he` or `eht` is not hexadecimal, or its length is no multiple of four, or more than sixteen',
    advice: 'write 4, 8, 12 or 16 hexadecimal digits',
    source: 'OAS `wlan_datarates.ht` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      ratesets.flatMap(rateset =>
        wlan.empty(rateset.rateset) ? [] : rateset.masks.flatMap(field => maskProblem(wlan, field))
      )
  },
  {
    id: 'rates-of-a-band-that-is-off',
    severity: 'info',
    view: 'M',
    given: ['/rateset'],
    fields: ['/bands', ...fields],
    message: 'rates are declared for a band that is off',
    why: 'the network is not sent on that band',
    condition: '`rateset` is declared for a band that is not in `bands`',
    advice: 'remove the rates, or add the band',
    source: 'knowledge',
    falseAlarms: 'low',
    check: wlan =>
      violationsOf(
        ...rateBands.map(
          (band, place) =>
            wlan.declares(fields[place] ?? '') &&
            wlan.lacksEntry('/bands', isOnBand(band)) && {
              fields: [`/rateset/${band}`, '/bands'],
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
    falseAlarms: 'low',
    check: wlan => ratesets.flatMap(({ minRssi }) => signalProblems(wlan, minRssi))
  },
  {
    id: 'slow-rates',
    severity: 'info',
    view: 'M',
    fields: ['/bands', '/rateset/24/template'],
    message: 'rates of 802.11b are on: they take most of the air time of 2.4 GHz',
    why: 'beacons go out at the slowest rate, and one slow client slows all others down',
    condition:
      '`bands` is known and has 24, and `rateset.24.template` is compatible (the default) or legacy-only',
    advice: 'set `rateset.24.template: no-legacy`',
    source: 'MULTI: legacy bit rates should be disabled (others); OAS `wlan_datarates_template`',
    falseAlarms: 'medium: old devices',
    check: wlan =>
      when(
        wlan.is('/rateset/24/template', 'compatible', 'legacy-only') &&
          wlan.hasEntry('/bands', isOnBand('24')) &&
          namesBands(wlan)
      )
  },
  {
    id: 'multimedia-off',
    severity: 'warning',
    view: 'M',
    given: ['/disable_wmm', '/disable_11ax', '/disable_ht_vht_rates'],
    fields: ['/disable_wmm', '/disable_ht_vht_rates', '/disable_11ax', '/bands'],
    message: 'without WMM devices fall back to 54 Mbps',
    why: '802.11n and later need WMM, and 6 GHz needs 802.11ax',
    condition:
      '`disable_wmm` is on and `disable_ht_vht_rates` is off; an error where `bands` is only 6 GHz and `disable_11ax` or `disable_ht_vht_rates` is on',
    advice: 'turn off `disable_wmm`; on 6 GHz turn off `disable_11ax` and `disable_ht_vht_rates`',
    source: '802.11 (knowledge)',
    falseAlarms: 'low',
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
  }
]

function perBand(
  wlan: WlanView,
  check: (rateset: Rateset) => Violation | undefined
): readonly Violation[] {
  return ratesets.flatMap(each => {
    const violation = wlan.empty(each.rateset) ? undefined : check(each)
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

function isOnlyOnSix(wlan: WlanView): boolean {
  const isSix = isOnBand('6')
  return namesBands(wlan) && wlan.lacksEntry('/bands', band => !isSix(band))
}
