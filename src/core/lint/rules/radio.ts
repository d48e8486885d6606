import type { Pointer } from '../../values/pointer.ts'
import { aboutEach, type Violation, type WlanCheck } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'
import { isOnlyOnSix, isSentOnSix, isWpa3, rateBands } from '../when.ts'

const ratesets = rateBands.map(band => {
  const rateset = `/rateset/${band}`
  return {
    rateset,
    template: `${rateset}/template`,
    legacy: `${rateset}/legacy`,
    masks: ['ht', 'vht', 'he', 'eht'].map(name => `${rateset}/${name}`)
  }
})

/** The values that contradict those that the Bonjour gateway assumes. */
const broadcastsOfBonjour = [
  ['/limit_bcast', false],
  ['/allow_mdns', true]
] as const

/** Data rates, radios, beacons and broadcasts. */
export const radioChecks: Readonly<Record<string, WlanCheck>> = {
  'six-ghz-unsafe': wlan => {
    if (!isSentOnSix(wlan)) return []
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
    ratesets.map(({ rateset, template, legacy, masks }) => {
      if (!wlan.filled(rateset) || !wlan.isOther(template, 'custom')) return undefined
      const set = [legacy, ...masks].filter(field => wlan.filled(field))
      return set.length > 0 && { fields: [template, ...set], subject: rateset }
    }),
  'rates-mask-unfit': wlan =>
    ratesets.flatMap(({ rateset, masks }) =>
      wlan.filled(rateset) ? masks.map(field => maskProblem(wlan, field)) : []
    ),
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

function maskProblem(wlan: WlanView, field: Pointer): Violation | undefined {
  const mask = wlan.text(field)
  if (mask === undefined || /^(?:[\da-f]{4}){1,4}$/i.test(mask)) return undefined
  const message = `expected 4, 8, 12 or 16 hexadecimal digits in \`${describedName(field)}\``
  return { message, fields: [field], subject: field }
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
