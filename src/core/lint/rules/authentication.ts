import type { Pointer } from '../../values/pointer.ts'
import { hidesNone, lacksRadius, radiusFields } from '../conditions.ts'
import { violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Rules about how clients authenticate. */
export const authenticationRules: readonly WlanRule[] = [
  {
    id: 'eap-without-servers',
    severity: 'error',
    fields: ['/auth/type', ...radiusFields],
    message: '802.1X has no RADIUS server',
    why: 'no client can log in: 802.1X needs a RADIUS server, the cloud NAC, or RadSec',
    condition:
      '`auth.type` is eap or eap192, `auth_servers` is empty, `mist_nac` is off, and `radsec` is off or names no server',
    advice: 'declare `auth_servers`, or turn on `mist_nac` or `radsec`',
    source:
      'OAS `wlan_auth_servers`: at least one is needed with 802.1X; `wlan_mist_nac.enabled` (documented)',
    check: wlan => when(wlan.meets('eap') && lacksRadius(wlan))
  },
  {
    id: 'psk-missing',
    severity: 'error',
    fields: ['/auth/type', '/auth/psk', '/auth/multi_psk_only', '/dynamic_psk/enabled'],
    message: 'the network asks for a key, and none is set',
    why: 'no client can join without a pre-shared key',
    condition:
      '`auth.type` is psk, psk-tkip or psk-wpa2-tkip, `auth.psk` is known to be empty, or becomes needed and is not declared, and neither `auth.multi_psk_only` nor `dynamic_psk` is on',
    advice: 'declare `auth.psk` by a secret reference',
    source: 'OAS `wlan_auth.psk` and `wlan_dynamic_psk` (documented)',
    falseAlarms: 'low: a hidden key is unknown, not empty',
    check: (wlan, before) =>
      when(
        wlan.meets('shared-key') &&
          (wlan.empty('/auth/psk') || hidesNone('/auth/psk', 'psk', wlan, before))
      )
  },
  {
    id: 'mac-auth-without-servers',
    severity: 'error',
    given: ['/auth/enable_mac_auth'],
    fields: ['/auth/enable_mac_auth', ...radiusFields],
    message: 'MAC authentication has no RADIUS server',
    why: 'MAC authentication asks the servers of 802.1X, and there are none',
    condition: '`auth.enable_mac_auth` is on, and no server is named as in `eap-without-servers`',
    advice: 'declare `auth_servers`, turn on `mist_nac`, or turn off `auth.enable_mac_auth`',
    source: 'OAS `wlan_auth.enable_mac_auth`: uses the same auth_servers (documented)',
    check: wlan => when(lacksRadius(wlan))
  },
  {
    id: 'dynamic-psk-without-servers',
    severity: 'error',
    given: ['/dynamic_psk/enabled'],
    fields: ['/dynamic_psk/enabled', '/dynamic_psk/source', ...radiusFields],
    message: 'keys come from RADIUS, and there is no RADIUS server',
    why: 'with `dynamic_psk.source: radius` a server looks up the key of each client',
    condition:
      '`dynamic_psk` is on with source radius, and no server is named as in `eap-without-servers`',
    advice: 'declare `auth_servers`, or set `dynamic_psk.source: cloud_psks`',
    source: 'OAS `wlan_dynamic_psk`: `auth_servers` is required (documented)',
    check: wlan => when(wlan.is('/dynamic_psk/source', 'radius') && lacksRadius(wlan))
  },
  {
    id: 'roaming-without-keys',
    severity: 'warning',
    fields: [
      '/roam_mode',
      '/auth/type',
      '/auth/owe',
      '/legacy_overds',
      '/dynamic_psk/enabled',
      '/dynamic_psk/force_lookup'
    ],
    message: 'fast roaming has no effect here',
    why: '11r and OKC cache the key of an authentication: an open network has none, and OKC needs 802.1X',
    condition:
      '`roam_mode` is 11r or OKC on an open or WEP network; OKC without 802.1X; `legacy_overds`, or `force_lookup` of an enabled `dynamic_psk`, without 11r',
    advice:
      'set a `roam_mode` that fits the authentication: 11r for keys and 802.1X, OKC for 802.1X',
    source:
      'OAS `wlan.legacy_overds`, `wlan_dynamic_psk.force_lookup` (documented); 802.11 (knowledge)',
    falseAlarms: 'low on open and WEP networks, medium for OKC with a pre-shared key',
    check: wlan =>
      violationsOf(
        wlan.is('/roam_mode', '11r', 'okc') &&
          (hasNoKeys(wlan) || (wlan.is('/roam_mode', 'okc') && wlan.lacks('eap'))) && {
            fields: ['/roam_mode', '/auth/type', '/auth/owe'],
            subject: 'roam_mode'
          },
        wlan.on('/legacy_overds') &&
          wlan.isOther('/roam_mode', '11r') && {
            message: '`legacy_overds` has no effect without 11r',
            fields: ['/legacy_overds', '/roam_mode'],
            subject: 'legacy_overds'
          },
        wlan.on('/dynamic_psk/enabled') &&
          wlan.on('/dynamic_psk/force_lookup') &&
          wlan.isOther('/roam_mode', '11r') && {
            message: '`dynamic_psk.force_lookup` has no effect without 11r',
            fields: ['/dynamic_psk/force_lookup', '/roam_mode'],
            subject: 'force_lookup'
          }
      )
  },
  {
    id: 'psk-options-ignored',
    severity: 'warning',
    given: ['/auth/multi_psk_only', '/auth/private_wlan', '/dynamic_psk/enabled'],
    fields: [
      '/auth/type',
      '/auth/psk',
      '/auth/multi_psk_only',
      '/auth/private_wlan',
      '/dynamic_psk/enabled'
    ],
    message: 'an option for pre-shared keys is ignored',
    why: 'the option belongs to another kind of authentication',
    condition:
      '`multi_psk_only` is on and `auth.type` is not psk; `private_wlan` without `multi_psk_only`; `dynamic_psk` is on with a declared `auth.psk` that is not live already, or with `multi_psk_only`; `dynamic_psk` is on and `auth.type` is not psk (error)',
    advice: 'remove the option, or set the kind of authentication that it belongs to',
    source:
      'OAS `wlan_auth.private_wlan`, `wlan_auth.multi_psk_only`, `wlan_dynamic_psk` (documented)',
    check: (wlan, before) =>
      violationsOf(
        wlan.on('/auth/multi_psk_only') &&
          wlan.isOther('/auth/type', 'psk') && {
            fields: ['/auth/multi_psk_only', '/auth/type'],
            ignored: ['/auth/multi_psk_only'],
            subject: 'multi_psk_only'
          },
        wlan.on('/auth/private_wlan') &&
          wlan.off('/auth/multi_psk_only') && {
            message: '`auth.private_wlan` has no effect without `multi_psk_only`',
            fields: ['/auth/private_wlan', '/auth/multi_psk_only'],
            ignored: ['/auth/private_wlan'],
            subject: 'private_wlan'
          },
        wlan.on('/dynamic_psk/enabled') &&
          (declaresNewPsk(wlan, before) ||
            (wlan.declares('/auth/multi_psk_only') && wlan.on('/auth/multi_psk_only'))) && {
            message:
              '`dynamic_psk` is on: the declared `auth.psk` and `multi_psk_only` are ignored',
            fields: ['/dynamic_psk/enabled', '/auth/psk', '/auth/multi_psk_only'],
            ignored: ['/auth/psk', '/auth/multi_psk_only'],
            subject: 'dynamic_psk'
          },
        wlan.on('/dynamic_psk/enabled') &&
          wlan.isOther('/auth/type', 'psk') && {
            level: 'error',
            message: '`dynamic_psk` needs a network with pre-shared keys',
            fields: ['/dynamic_psk/enabled', '/auth/type'],
            subject: 'type'
          }
      )
  },
  {
    id: 'eap-options-ignored',
    severity: 'info',
    fields: ['/auth/eap_reauth', '/fast_dot1x_timers', '/auth_server_selection', '/auth/type'],
    message: 'an option for 802.1X is ignored: this network authenticates without RADIUS',
    why: 'the option has an effect only while a server authenticates clients',
    condition:
      '`auth.eap_reauth` or `fast_dot1x_timers` is on, or `auth_server_selection` is declared other than its default, and no 802.1X, MAC authentication, RADIUS keys, central web authentication, external portal or cloud NAC is on',
    advice: 'remove the option',
    source: 'TFP `auth.eap_reauth` AllowedWhenValueIsInWithDefault (a check of the provider)',
    check: wlan => {
      const asked = askedRadiusOptions(wlan)
      return asked.length > 0 && wlan.lacks('radius') && wlan.off('/mist_nac/enabled')
        ? [{ fields: [...asked, '/auth/type'], ignored: asked, extent: asked.length }]
        : []
    }
  }
]

function hasNoKeys(wlan: WlanView): boolean {
  const isOpen = wlan.is('/auth/type', 'open') && wlan.is('/auth/owe', 'disabled')
  return isOpen || wlan.is('/auth/type', 'wep')
}

/**
 * True if the change sets a pre-shared key; a key that is already live is a leftover that `import` wrote to the file.
 */
function declaresNewPsk(wlan: WlanView, before: WlanView | undefined): boolean {
  if (!wlan.declares('/auth/psk')) return false
  return (
    before === undefined ||
    wlan.secret('/auth/psk')?.reveal() !== before.secret('/auth/psk')?.reveal()
  )
}

function askedRadiusOptions(wlan: WlanView): Pointer[] {
  const selection = '/auth_server_selection'
  const asked = ['/auth/eap_reauth', '/fast_dot1x_timers'].filter(field => wlan.on(field))
  const asksForSelection = wlan.declares(selection) && wlan.isOther(selection, 'ordered')
  return asksForSelection ? [...asked, selection] : asked
}
