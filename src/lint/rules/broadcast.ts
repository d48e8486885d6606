import { violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

const exceptions = ['/allow_mdns', '/allow_ssdp', '/allow_ipv6_ndp']

/** Rules about broadcasts, Bonjour and isolation. */
export const broadcastRules: readonly WlanRule[] = [
  {
    id: 'bonjour-fights-broadcast',
    severity: 'error',
    view: 'D',
    given: ['/bonjour/enabled'],
    fields: ['/bonjour/enabled', '/limit_bcast', '/allow_mdns'],
    message: 'the Bonjour gateway turns `limit_bcast` on and `allow_mdns` off',
    why: 'the declared value differs from the live one after every update',
    condition: '`bonjour` is on, and `limit_bcast: false` or `allow_mdns: true` is declared',
    advice: 'declare `limit_bcast: true` and `allow_mdns: false`, or neither',
    source: 'OAS `wlan_bonjour.enabled` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      when(
        wlan.on('/bonjour/enabled') &&
          ((wlan.declares('/limit_bcast') && wlan.off('/limit_bcast')) ||
            (wlan.declares('/allow_mdns') && wlan.on('/allow_mdns')))
      )
  },
  {
    id: 'bonjour-empty',
    severity: 'error',
    view: 'M',
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
        wlan.on('/bonjour/enabled') &&
          wlan.empty('/bonjour/services') && {
            fields: ['/bonjour/enabled', '/bonjour/services'],
            subject: 'services'
          },
        wlan.on('/bonjour/enabled') &&
          wlan.empty('/bonjour/additional_vlan_ids') && {
            level: 'warning',
            message: 'the Bonjour gateway has no VLANs to connect',
            fields: ['/bonjour/enabled', '/bonjour/additional_vlan_ids'],
            subject: 'vlans'
          }
      )
  },
  {
    id: 'isolation-fights-l2',
    severity: 'warning',
    view: 'D',
    given: ['/isolation', '/l2_isolation'],
    fields: ['/isolation', '/l2_isolation'],
    message: 'the service may turn on `l2_isolation` with `isolation`',
    why: 'the declared value would differ from the live one after every update',
    condition:
      '`isolation: true` and `l2_isolation: false` are declared together, and are not both live already; an error where `l2_isolation: true` and `isolation: false` are declared',
    advice: 'declare the same value for both, or only `isolation`',
    source: 'TFP issue 10 (code); OAS `wlan.l2_isolation`: if isolation is enabled (documented)',
    falseAlarms: 'medium for the warning: the service may keep both values',
    check: (wlan, before) => {
      if (!wlan.declares('/isolation') || !wlan.declares('/l2_isolation')) return []
      return violationsOf(
        wlan.on('/isolation') &&
          wlan.off('/l2_isolation') &&
          isPairUnseen(before) && { subject: 'isolation' },
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
    view: 'M',
    fields: ['/limit_bcast', '/allow_mdns', '/allow_ssdp', '/allow_ipv6_ndp'],
    message: 'exceptions for broadcasts have no effect: `limit_bcast` is off',
    why: 'the exceptions count only while broadcasts are limited',
    condition:
      '`allow_mdns`, `allow_ssdp` or `allow_ipv6_ndp` is declared and `limit_bcast` is off; a warning where `limit_bcast` is on and `allow_ipv6_ndp: false` is declared: IPv6 stops',
    advice: 'turn on `limit_bcast`, or remove the exceptions; for IPv6 allow `allow_ipv6_ndp`',
    source: 'OAS: only applicable when limit_bcast is true (documented)',
    falseAlarms: 'low',
    check: wlan => {
      const flags = exceptions.filter(flag => wlan.declares(flag))
      return violationsOf(
        wlan.off('/limit_bcast') &&
          flags.length > 0 && { fields: ['/limit_bcast', ...flags], extent: flags.length },
        wlan.on('/limit_bcast') &&
          wlan.declares('/allow_ipv6_ndp') &&
          wlan.off('/allow_ipv6_ndp') && {
            level: 'warning',
            message: 'IPv6 stops: neighbour discovery is among the limited broadcasts',
            fields: ['/limit_bcast', '/allow_ipv6_ndp'],
            subject: 'ipv6'
          }
      )
    }
  },
  {
    id: 'open-without-isolation',
    severity: 'warning',
    view: 'M',
    fields: ['/auth/type', '/isolation', '/apply_to', '/ap_ids'],
    message: 'anyone who joins this open network reaches every other client',
    why: 'clients of an open network are strangers to each other',
    condition:
      'the WLAN is enabled and open, `isolation` is off, and the site or a list of access points sends it',
    advice: 'turn on `isolation`',
    source: 'TWIN `wireless.wlan.open_guest`, the same condition (code)',
    falseAlarms: 'low',
    check: wlan =>
      when(
        wlan.on('/enabled') &&
          wlan.is('/auth/type', 'open') &&
          wlan.off('/isolation') &&
          (wlan.is('/apply_to', 'site') || (wlan.is('/apply_to', 'aps') && wlan.filled('/ap_ids')))
      )
  }
]

/** A service that holds both values does not couple them. */
function isPairUnseen(before: WlanView | undefined): boolean {
  return before === undefined || before.off('/isolation') || before.on('/l2_isolation')
}
