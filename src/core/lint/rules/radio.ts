import type { Pointer } from '../../values/pointer.ts'
import { aboutEach, type Violation, type WlanCheck } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'
import { rateBands } from '../when.ts'

const ratesets = rateBands.map(band => {
  const rateset = `/rateset/${band}`
  return { rateset, masks: ['ht', 'vht', 'he', 'eht'].map(name => `${rateset}/${name}`) }
})

/** Data rates, radios, beacons and broadcasts. */
export const radioChecks: Readonly<Record<string, WlanCheck>> = {
  'rates-mask-unfit': wlan =>
    ratesets.flatMap(({ rateset, masks }) =>
      wlan.filled(rateset) ? masks.map(field => maskProblem(wlan, field)) : []
    ),
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
