import type { Pointer } from '../../model/pointer.ts'
import { describedName } from '../describe.ts'
import { aboutEach, type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Rules about how guests log in. */
export const portalRules: readonly WlanRule[] = [
  {
    id: 'portal-external-without-url',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/external_portal_url'],
    message: 'guests are sent to a portal that has no address',
    why: 'no guest can log in; without https a login is sent in plain text',
    condition:
      'the portal is on, `portal.auth` is external, and `external_portal_url` is empty; a warning where it does not begin with https://',
    advice: 'declare `portal.external_portal_url` with https://',
    source: 'TFP `portal.external_portal_url` RequiredWhenValueIs (a check of the provider)',
    falseAlarms: 'low; http:// is common in old portals',
    check: wlan => {
      if (!(wlan.on('/portal/enabled') && wlan.is('/portal/auth', 'external'))) return []
      const url = wlan.text('/portal/external_portal_url')
      return violationsOf(
        wlan.empty('/portal/external_portal_url') && {},
        url !== undefined &&
          !/^https:\/\//i.test(url) && {
            level: 'warning',
            message: 'the address of the portal does not begin with https://'
          }
      )
    }
  },
  {
    id: 'portal-sso-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: [
      '/portal/auth',
      '/portal/sso_issuer',
      '/portal/sso_idp_sso_url',
      '/portal/sso_idp_cert'
    ],
    message: 'single sign-on of the portal lacks a part',
    why: 'the identity provider cannot be reached or verified without all three parts',
    condition:
      'the portal is on, `portal.auth` is sso, and `sso_issuer`, `sso_idp_sso_url` or `sso_idp_cert` is empty',
    advice: 'declare the missing fields from the metadata of the identity provider',
    source: 'OAS `wlan_portal`, each required with sso (documented); TFP',
    falseAlarms: 'low',
    check: wlan =>
      wlan.on('/portal/enabled') && wlan.is('/portal/auth', 'sso')
        ? missing(wlan, 'single sign-on', ['sso_issuer', 'sso_idp_sso_url', 'sso_idp_cert'])
        : []
  },
  {
    id: 'portal-without-method',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/auth'],
    message: 'the portal offers no way to log in',
    why: 'a guest sees a page without any login method',
    condition:
      'the portal is on, `portal.auth` is multi, and no login method is on; a warning where it is a single method that the files switch off',
    advice: 'turn on a login method such as `portal.email_enabled`',
    source: 'OAS `wlan_portal_auth` and the `*_enabled` members (documented)',
    falseAlarms:
      'low for multi; for a single method the service documents no precedence, so only a declared contradiction counts',
    check: wlan => {
      if (!wlan.on('/portal/enabled')) return []
      const single = [...methods].find(([auth]) => wlan.is('/portal/auth', auth))?.[1]
      return violationsOf(
        wlan.is('/portal/auth', 'multi') &&
          [...methods.values()].every(method => wlan.off(method)) &&
          {},
        single !== undefined &&
          wlan.off(single) &&
          wlan.declares(single) && {
            level: 'warning',
            message: 'the only login method of the portal is switched off',
            fields: ['/portal/auth', single]
          }
      )
    }
  },
  {
    id: 'portal-password-missing',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/passphrase_enabled', '/portal/password'],
    message: 'the portal asks for a password, and none is set',
    why: 'no guest can log in',
    condition:
      'the portal is on, `passphrase_enabled` is on or `portal.auth` is password, and `portal.password` is known to be empty',
    advice: 'declare `portal.password` by a secret reference',
    source: 'OAS `wlan_portal.password`: required (documented); TFP',
    falseAlarms: 'low',
    check: wlan =>
      when(
        wlan.on('/portal/enabled') &&
          (wlan.on('/portal/passphrase_enabled') || wlan.is('/portal/auth', 'password')) &&
          wlan.empty('/portal/password')
      )
  },
  {
    id: 'portal-sms-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/sms_enabled', '/portal/sms_provider'],
    message: 'the account of the text message provider lacks a part',
    why: 'no guest receives a code',
    condition:
      'the portal is on, `sms_enabled` is on or `portal.auth` is sms, and the account of `sms_provider` lacks a member; manual needs none',
    advice: 'declare the missing fields of the account',
    source:
      'OAS `wlan_portal`, each required with its provider (documented); TFP release notes 0.2.12',
    falseAlarms: 'low',
    check: wlan => {
      if (!wlan.on('/portal/enabled')) return []
      if (!(wlan.on('/portal/sms_enabled') || wlan.is('/portal/auth', 'sms'))) return []
      const provider = wlan.text('/portal/sms_provider') ?? ''
      return missing(wlan, provider, smsAccounts.get(provider) ?? [], ['/portal/sms_provider'])
    }
  },
  {
    id: 'portal-azure-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/azure_enabled'],
    message: 'the Azure login of the portal lacks a part',
    why: 'the login needs the client and the tenant of an Azure application',
    condition:
      'the portal and `azure_enabled` are on, and `azure_client_id`, `azure_client_secret` or `azure_tenant_id` is empty',
    advice: 'declare the missing fields from the Azure application',
    source: 'OAS `wlan_portal` (documented); TFP',
    falseAlarms: 'low',
    check: wlan =>
      wlan.on('/portal/enabled') && wlan.on('/portal/azure_enabled')
        ? missing(wlan, 'the Azure login', [
            'azure_client_id',
            'azure_client_secret',
            'azure_tenant_id'
          ])
        : []
  },
  {
    id: 'portal-sponsor-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/sponsor_enabled', '/portal/sponsors', '/portal/sponsor_email_domains'],
    message: 'guests need a sponsor, and there is none to choose',
    why: 'no sponsor can approve a guest',
    condition:
      'the portal and `sponsor_enabled` are on, and both `sponsors` and `sponsor_email_domains` are empty',
    advice: 'declare `portal.sponsors` or `portal.sponsor_email_domains`',
    source: 'OAS `wlan_portal_sponsors` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      when(
        wlan.on('/portal/enabled') &&
          wlan.on('/portal/sponsor_enabled') &&
          wlan.empty('/portal/sponsors', '/portal/sponsor_email_domains')
      )
  },
  {
    id: 'portal-forward-without-url',
    severity: 'error',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/forward', '/portal/forward_url'],
    message: 'guests are forwarded after login, and no address is set',
    why: 'the address of the redirect is missing',
    condition: 'the portal and `portal.forward` are on, and `portal.forward_url` is empty',
    advice: 'declare `portal.forward_url`, or turn off `portal.forward`',
    source: 'OAS `wlan_portal` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      when(
        wlan.on('/portal/enabled') &&
          wlan.on('/portal/forward') &&
          wlan.empty('/portal/forward_url')
      )
  }
]

/** The switch of each login method, by the value of `portal.auth` for this method alone. */
const methods: ReadonlyMap<string, Pointer> = new Map([
  ['amazon', '/portal/amazon_enabled'],
  ['azure', '/portal/azure_enabled'],
  ['email', '/portal/email_enabled'],
  ['facebook', '/portal/facebook_enabled'],
  ['google', '/portal/google_enabled'],
  ['microsoft', '/portal/microsoft_enabled'],
  ['password', '/portal/passphrase_enabled'],
  ['sms', '/portal/sms_enabled'],
  ['sponsor', '/portal/sponsor_enabled']
])

/** The members of `portal` that the account of each provider consists of. */
const smsAccounts: ReadonlyMap<string, readonly string[]> = new Map([
  ['broadnet', ['broadnet_user_id', 'broadnet_password', 'broadnet_sid']],
  ['clickatell', ['clickatell_api_key']],
  ['gupshup', ['gupshup_userid', 'gupshup_password']],
  ['puzzel', ['puzzel_username', 'puzzel_password', 'puzzel_service_id']],
  ['smsglobal', ['smsglobal_api_key', 'smsglobal_api_secret']],
  ['telstra', ['telstra_client_id', 'telstra_client_secret']],
  ['twilio', ['twilio_sid', 'twilio_auth_token', 'twilio_phone_number']]
])

/** The members of `portal` that are known to be empty, as one violation. */
function missing(
  wlan: WlanView,
  what: string,
  members: readonly string[],
  more: readonly Pointer[] = []
): readonly Violation[] {
  const empty = members.map(name => `/portal/${name}`).filter(field => wlan.empty(field))
  return aboutEach(empty, fields => ({
    message: `${what} lacks ${fields.map(describedName).join(', ')}`,
    fields: [...more, ...fields]
  }))
}
