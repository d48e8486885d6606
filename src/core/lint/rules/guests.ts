import { type WlanRule, when } from '../rule.ts'

/** Rules about clients that are strangers to each other and to the network. */
export const guestRules: readonly WlanRule[] = [
  {
    id: 'open-without-isolation',
    severity: 'warning',
    fields: ['/auth/type', '/isolation', '/apply_to', '/ap_ids'],
    message: 'anyone who joins this open network reaches every other client',
    why: 'clients of an open network are strangers to each other',
    condition:
      'the WLAN is enabled and open, `isolation` is off, and the site or a list of access points sends it',
    advice: 'turn on `isolation`',
    source: 'TWIN `wireless.wlan.open_guest`, the same condition (code)',
    check: wlan =>
      when(
        wlan.on('/enabled') &&
          wlan.is('/auth/type', 'open') &&
          wlan.off('/isolation') &&
          (wlan.is('/apply_to', 'site') || (wlan.is('/apply_to', 'aps') && wlan.filled('/ap_ids')))
      )
  },
  {
    id: 'guest-without-isolation',
    severity: 'warning',
    given: ['/portal/enabled'],
    fields: ['/portal/enabled', '/auth/type', '/isolation'],
    message: 'a guest who joins reaches every other guest',
    why: 'guests are strangers to each other, also behind a key that all of them know',
    condition: 'the portal is on, the network is not open, and `isolation` is off',
    advice: 'turn on `isolation`',
    source: 'knowledge',
    falseAlarms: 'medium: a portal that only shows terms of use to staff',
    check: wlan => when(wlan.isOther('/auth/type', 'open') && wlan.off('/isolation'))
  },
  {
    id: 'portal-bypass',
    severity: 'info',
    given: ['/portal/enabled'],
    fields: ['/portal/bypass_when_cloud_down', '/portal/auth'],
    message: 'guests get in without a login while the cloud is unreachable',
    why: 'anyone who interrupts the connection to the cloud needs no login',
    condition: 'the portal is on with a login, and `portal.bypass_when_cloud_down` is on',
    advice: 'turn off `portal.bypass_when_cloud_down` where the login protects something',
    source: 'OAS `wlan_portal.bypass_when_cloud_down` (documented)',
    falseAlarms: 'medium: many sites prefer guests without login over none',
    check: wlan =>
      when(wlan.on('/portal/bypass_when_cloud_down') && wlan.isOther('/portal/auth', 'none'))
  },
  {
    id: 'sso-sha1',
    severity: 'warning',
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/sso_idp_sign_algo'],
    message: 'single sign-on accepts signatures with SHA-1',
    why: 'SHA-1 signatures can be forged, and identity providers retire them',
    condition:
      'the portal is on with sso, and `portal.sso_idp_sign_algo` is sha1, which is also the default',
    advice: 'set `portal.sso_idp_sign_algo: sha256` here and at the identity provider',
    source: 'OAS `wlan_portal.sso_idp_sign_algo` (documented); SHAttered (knowledge)',
    check: wlan =>
      when(wlan.is('/portal/auth', 'sso') && wlan.is('/portal/sso_idp_sign_algo', 'sha1'))
  }
]
