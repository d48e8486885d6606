import type { Pointer } from '../../values/pointer.ts'
import { isOnBand, isOnlyOnSix, isSentOn, isStored, isWpa3, rateBands } from '../conditions.ts'
import { aboutEach, type Violation, type Violations, type WlanCheck } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

const ratesets = rateBands.map(band => {
  const rateset = `/rateset/${band}`
  return {
    rateset,
    band,
    template: `${rateset}/template`,
    legacy: `${rateset}/legacy`,
    minRssi: `${rateset}/min_rssi`,
    masks: ['ht', 'vht', 'he', 'eht'].map(name => `${rateset}/${name}`)
  }
})
type Rateset = (typeof ratesets)[number]

const isBasic = (rate: string) => rate.endsWith('b')
const isDsss = (rate: string) => /^(?:1|2|5\.5|11)b?$/.test(rate)

/** The values that contradict those that the Bonjour gateway assumes. */
const broadcastsOfBonjour = [
  ['/limit_bcast', false],
  ['/allow_mdns', true]
] as const

/** Data rates, radios, beacons and broadcasts. */
export const radioChecks: Readonly<Record<string, WlanCheck>> = {
  'six-ghz-unsafe': wlan => {
    if (!isSentOn(wlan, '6')) return []
    const level = isOnlyOnSix(wlan) ? 'error' : 'warning'
    const lacksWpa3 =
      wlan.is('/auth/type', 'psk', 'eap') && wlan.lacksEntry('/auth/pairwise', isWpa3)
    return [
      wlan.is('/auth/type', 'wep', 'psk-tkip', 'psk-wpa2-tkip') && {
        level,
        fields: ['/bands', '/auth/type']
      },
      lacksWpa3 && { level, fields: ['/bands', '/auth/type', '/auth/pairwise'] },
      wlan.meets('unencrypted') && { level, fields: ['/bands', '/auth/type', '/auth/owe'] }
    ]
  },
  'rates-not-custom': wlan =>
    perBand(wlan, ({ template, legacy, masks }) => {
      const set = [legacy, ...masks].filter(field => wlan.filled(field))
      return set.length > 0 && wlan.isOther(template, 'custom') && [template, ...set]
    }),
  'rates-without-basic': wlan =>
    perBand(wlan, ({ template, legacy }) => {
      const lacksBasic = wlan.empty(legacy) || wlan.lacksEntry(legacy, isBasic)
      return wlan.is(template, 'custom') && lacksBasic && [template, legacy]
    }),
  'rates-of-another-band': wlan => [
    ...['/rateset/5/legacy', '/rateset/6/legacy'].map(
      field => wlan.hasEntry(field, isDsss) && { fields: [field], subject: field }
    ),
    wlan.is('/rateset/6/template', 'legacy-only') && {
      message: '6 GHz has no legacy rates',
      fields: ['/rateset/6/template'],
      subject: 'template'
    }
  ],
  'rates-mask-unfit': wlan =>
    ratesets.flatMap(({ rateset, masks }) =>
      wlan.filled(rateset) ? masks.map(field => maskProblem(wlan, field)) : []
    ),
  'rates-of-a-band-that-is-off': (wlan, before) =>
    ratesets.map(
      ({ rateset, band }) =>
        wlan.lacksEntry('/bands', isOnBand(band)) &&
        wlan.declares(rateset) &&
        !isStored(wlan, before, rateset) && {
          fields: [rateset, '/bands'],
          ignored: [rateset],
          subject: band
        }
    ),
  'signal-unfit': wlan => ratesets.map(({ minRssi }) => signalProblem(wlan, minRssi)),
  'dtim-unfit': wlan => {
    const beacons = wlan.number('/dtim')
    if (beacons === undefined || (beacons >= 1 && beacons <= 10)) return []
    if (beacons < 1 || beacons > 255) return [{}]
    const message = 'sleeping clients wait long for broadcasts'
    return [{ level: 'warning', message, extent: beacons }]
  },
  'bonjour-fights-broadcast': (wlan, before) =>
    broadcastsOfBonjour.map(
      ([field, value]) =>
        before !== undefined &&
        wlan.declares(field) &&
        wlan.is(field, value) &&
        !(before.on('/bonjour/enabled') && before.is(field, value)) && {
          fields: ['/bonjour/enabled', field],
          subject: field
        }
    ),
  'isolation-fights-l2': (wlan, before) => {
    const pair = ['/isolation', '/l2_isolation']
    // A service that stores this pair does not couple the values.
    const isLive = pair.every(field => wlan.on(field) === before?.on(field))
    if (before === undefined || isLive || !pair.every(field => wlan.declares(field))) return []
    return [
      wlan.on('/isolation') && wlan.off('/l2_isolation') && { subject: 'isolation' },
      wlan.on('/l2_isolation') &&
        wlan.off('/isolation') && {
          level: 'error',
          message: '`l2_isolation` has no effect without `isolation`',
          subject: 'l2'
        }
    ]
  },
  'broadcast-flags-ignored': (wlan, before) => [
    wlan.off('/limit_bcast') && ignoredExceptions(wlan, before),
    wlan.meets('ndp-blocked') && {
      level: 'warning',
      message: 'IPv6 stops: neighbour discovery is among the limited broadcasts',
      fields: ['/limit_bcast', '/allow_ipv6_ndp'],
      subject: 'ipv6'
    }
  ]
}

/** `fieldsOf`: the fields that break the rule together, if any. */
function perBand(
  wlan: WlanView,
  fieldsOf: (rateset: Rateset) => readonly Pointer[] | false
): Violations {
  return ratesets.map(each => {
    const fields = wlan.filled(each.rateset) && fieldsOf(each)
    return fields && { fields, subject: each.rateset }
  })
}

function maskProblem(wlan: WlanView, field: Pointer): Violation | undefined {
  const mask = wlan.text(field)
  if (mask === undefined || /^(?:[\da-f]{4}){1,4}$/i.test(mask)) return undefined
  const message = `expected 4, 8, 12 or 16 hexadecimal digits in \`${describedName(field)}\``
  return { message, fields: [field], subject: field }
}

function signalProblem(wlan: WlanView, field: Pointer): Violation | undefined {
  const dbm = wlan.number(field) ?? 0
  if (dbm === 0 || (dbm >= -100 && dbm <= -65)) return undefined
  const common = { fields: [field], subject: field }
  if (dbm > 0 || dbm < -100) return common
  const message = 'clients at an ordinary distance are refused'
  return { ...common, level: 'warning', message, extent: dbm }
}

function ignoredExceptions(wlan: WlanView, before: WlanView | undefined): Violation | undefined {
  const flags = ['/allow_mdns', '/allow_ssdp', '/allow_ipv6_ndp'].filter(each =>
    wlan.declares(each)
  )
  const on = flags.filter(flag => wlan.on(flag))
  const isStored = before?.off('/limit_bcast') && on.every(flag => before.on(flag))
  if (before !== undefined && wlan.declares('/limit_bcast') && on.length > 0 && !isStored) {
    return {
      level: 'warning',
      message: 'the service may couple `limit_bcast` with its exceptions',
      fields: ['/limit_bcast', ...on],
      subject: 'coupled'
    }
  }
  return aboutEach(flags, () => ({ fields: ['/limit_bcast', ...flags], ignored: flags }))
}
