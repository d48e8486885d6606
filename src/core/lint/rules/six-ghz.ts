import { isOnlyOnSix, isSentOn, isWpa3 } from '../conditions.ts'
import { type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Rules about 6 GHz and Wi-Fi 7. */
export const sixGhzRules: readonly WlanRule[] = [
  {
    id: 'six-ghz-unsafe',
    severity: 'warning',
    fields: ['/bands', '/auth/type', '/auth/pairwise', '/auth/owe'],
    message: '6 GHz radios do not carry this network: it needs WPA3, or OWE where it is open',
    why: 'WPA3 or OWE is mandatory on 6 GHz',
    condition:
      '`bands` is known and has a 6 GHz band, and the security is WEP or TKIP, a key or 802.1X without wpa3 in `pairwise`, or open with `owe` disabled; an error where every band is a 6 GHz one',
    advice:
      'add wpa3 to `auth.pairwise`, or remove 6 from `bands`; an open network needs `auth.owe`, on 6 GHz alone `required`',
    source: 'J-6E: WPA3 or OWE are mandatory in 6 GHz (documented)',
    falseAlarms: 'medium for the warning: a site without 6 GHz radios loses nothing',
    check: wlan => {
      if (!isSentOn(wlan, '6')) return []
      const level = isOnlyOnSix(wlan) ? 'error' : 'warning'
      return unfitForSix(wlan).map(violation => ({ level, ...violation }))
    }
  },
  {
    id: 'owe-transition-on-6',
    severity: 'error',
    fields: ['/bands', '/auth/owe'],
    message: 'the transition mode of OWE is not allowed on 6 GHz',
    why: 'a 6 GHz network has no open counterpart, so its encryption has to be required',
    condition: 'every band is a 6 GHz one, the network is open, and `auth.owe` is enabled',
    advice: 'set `auth.owe: required`',
    source: 'WPA3 v3.4, section 11.2, in Cisco and Zyxel guides to 6 GHz (others)',
    check: wlan =>
      when(wlan.is('/auth/type', 'open') && wlan.is('/auth/owe', 'enabled') && isOnlyOnSix(wlan))
  },
  {
    id: 'six-ghz-alone',
    severity: 'info',
    fields: ['/bands'],
    message: 'the network is on 6 GHz alone',
    why: 'clients find 6 GHz networks through the beacons of 2.4 and 5 GHz, and many devices have no 6 GHz radio',
    condition: '`bands` is known, and every band is a 6 GHz one',
    advice: 'add 5 to `bands`',
    source: '802.11ax, out-of-band discovery (knowledge)',
    falseAlarms: 'medium: a network for devices of one kind',
    check: wlan => when(isOnlyOnSix(wlan))
  },
  {
    id: 'six-ghz-hidden',
    severity: 'info',
    given: ['/hide_ssid'],
    fields: ['/hide_ssid', '/bands'],
    message: 'a hidden network is hard to find on 6 GHz',
    why: 'clients find 6 GHz networks by announcements, and those of a hidden network have no name',
    condition: '`hide_ssid` is on, and `bands` is known and has a 6 GHz band',
    advice: 'turn off `hide_ssid`, or remove 6 from `bands`',
    source: 'Zyxel: not with 802.11be (others); knowledge',
    check: wlan => when(isSentOn(wlan, '6'))
  },
  {
    // The documented default counts as undecided: otherwise each network with WPA2 had this finding.
    id: 'wifi7-wpa2',
    severity: 'info',
    fields: ['/disable_11be', '/auth/pairwise'],
    message: 'Wi-Fi 7 is on, and WPA2 keeps its clients at the rates of Wi-Fi 6',
    why: 'multi-link operation and the rates of Wi-Fi 7 need WPA3',
    condition:
      '`disable_11be: false` is declared or live, and a network with a key or 802.1X has no wpa3 in `pairwise`',
    advice: 'add wpa3 to `auth.pairwise`',
    source: 'Redway, Zyxel (others)',
    falseAlarms: 'medium: sites without Wi-Fi 7 access points lose nothing',
    check: wlan =>
      when(
        wlan.off('/disable_11be') &&
          wlan.origin('/disable_11be') !== 'default' &&
          wlan.is('/auth/type', 'psk', 'eap') &&
          wlan.lacksEntry('/auth/pairwise', isWpa3)
      )
  }
]

function unfitForSix(wlan: WlanView): readonly Violation[] {
  const lacksWpa3 = wlan.is('/auth/type', 'psk', 'eap') && wlan.lacksEntry('/auth/pairwise', isWpa3)
  return violationsOf(
    wlan.is('/auth/type', 'wep', 'psk-tkip', 'psk-wpa2-tkip') && {
      fields: ['/bands', '/auth/type']
    },
    lacksWpa3 && { fields: ['/bands', '/auth/type', '/auth/pairwise'] },
    wlan.meets('unencrypted') && { fields: ['/bands', '/auth/type', '/auth/owe'] }
  )
}
