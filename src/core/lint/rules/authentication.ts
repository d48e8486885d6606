import type { Violation, WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'
import { hidesNone, isWpa3 } from '../when.ts'

/** What keeps strangers out of a network: a field, and whether it does. */
const fences: readonly (readonly [string, (wlan: WlanView) => boolean])[] = [
  ['/enabled', wlan => wlan.off('/enabled')],
  ['/auth/type', wlan => wlan.isOther('/auth/type', 'open')],
  ['/auth/owe', wlan => wlan.is('/auth/owe', 'required')],
  ['/portal/enabled', wlan => wlan.on('/portal/enabled')],
  ['/auth/enable_mac_auth', wlan => wlan.on('/auth/enable_mac_auth')],
  ['/cisco_cwa/enabled', wlan => wlan.on('/cisco_cwa/enabled')]
]

/** How clients authenticate, and ciphers. */
export const authenticationChecks: Readonly<Record<string, WlanCheck>> = {
  'psk-missing': (wlan, before) => [
    wlan.meets('shared-key') &&
      (wlan.empty('/auth/psk') || hidesNone('/auth/psk', 'psk', wlan, before)) &&
      {}
  ],
  'eap-options-ignored': wlan => {
    const selection = '/auth_server_selection'
    const asked = ['/auth/eap_reauth', '/fast_dot1x_timers'].filter(field => wlan.on(field))
    if (wlan.declares(selection) && wlan.isOther(selection, 'ordered')) asked.push(selection)
    return [
      asked.length > 0 &&
        wlan.lacks('radius') &&
        wlan.off('/mist_nac/enabled') && {
          fields: [...asked, '/auth/type'],
          ignored: asked,
          extent: asked.length
        }
    ]
  },
  'open-goes-on-the-air': (wlan, before) => {
    if (before === undefined || !isOnAirWithoutLogin(wlan)) return []
    const gone = fences.filter(([, isFenced]) => isFenced(before)).map(([field]) => field)
    return [gone.length > 0 && { fields: [...new Set([...gone, '/auth/type'])] }]
  },
  'broken-cipher': (wlan, before) => {
    const now = cipherWeakness(wlan)
    const isNew = before !== undefined && cipherWeakness(before) === undefined
    return [now && { ...now, level: isNew ? 'error' : 'warning' }]
  },
  // The documented default counts as undecided: otherwise each network with WPA2 had this finding.
  'wifi7-wpa2': wlan => [
    wlan.off('/disable_11be') &&
      wlan.origin('/disable_11be') !== 'default' &&
      wlan.is('/auth/type', 'psk', 'eap') &&
      wlan.lacksEntry('/auth/pairwise', isWpa3) &&
      {}
  ],
  'eduroam-name': wlan => {
    const ssid = wlan.text('/ssid')
    if (ssid?.toLowerCase() !== 'eduroam') return []
    return [
      ssid !== 'eduroam' && {
        message: 'devices know this network as "eduroam", in lower case',
        fields: ['/ssid'],
        subject: 'ssid'
      },
      wlan.lacks('eap') && { fields: ['/ssid', '/auth/type'], subject: 'type' }
    ]
  }
}

export function isOnAirWithoutLogin(wlan: WlanView): boolean {
  return (
    wlan.on('/enabled') &&
    wlan.is('/auth/type', 'open') &&
    wlan.is('/auth/owe', 'disabled', 'enabled') &&
    wlan.off('/portal/enabled') &&
    wlan.off('/auth/enable_mac_auth') &&
    wlan.off('/cisco_cwa/enabled')
  )
}

const brokenPairs = new Set(['wpa1-tkip', 'wpa1-ccmp', 'wpa2-tkip'])

/** The weakest cipher of a WLAN; undefined for strong ciphers. A greater extent is weaker. */
function cipherWeakness(wlan: WlanView): Violation | undefined {
  const [type, second] = ['/auth/type', '/auth/wep_as_secondary_auth']
  if (wlan.is(type, 'wep')) return { fields: [type], extent: 5 }
  if (wlan.on(second)) return { fields: [type, second], extent: 4 }
  if (wlan.is(type, 'psk-tkip')) return { fields: [type], extent: 3 }
  if (wlan.is(type, 'psk-wpa2-tkip')) return { fields: [type], extent: 2 }
  const hasBrokenPair =
    wlan.hasEntry('/auth/pairwise', pair => brokenPairs.has(pair)) &&
    wlan.is(type, 'psk', 'eap', 'eap192')
  return hasBrokenPair ? { fields: [type, '/auth/pairwise'], extent: 1 } : undefined
}
