import type { Violation, WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** How clients authenticate, and ciphers. */
export const authenticationChecks: Readonly<Record<string, WlanCheck>> = {
  'broken-cipher': (wlan, before) => {
    const now = cipherWeakness(wlan)
    const isNew = before !== undefined && cipherWeakness(before) === undefined
    return [now && { ...now, level: isNew ? 'error' : 'warning' }]
  },
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
