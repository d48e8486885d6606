import { isIpv4, isSubnet, isWideSubnet, subnetHolds } from '../../values/address.ts'
import type { Pointer } from '../../values/pointer.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isList, isObject, member } from '../../values/value.ts'
import { holdsVariable, hostOfUrl } from '../formats.ts'
import { aboutEach, type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

const ALLOWED = '/portal_allowed_hostnames'
const SUBNETS = '/portal_allowed_subnets'
const DENIED = '/portal_denied_hostnames'

/** Rules about how guests log in, and which hosts they reach before the login. */
export const portalRules: readonly WlanRule[] = [
  {
    id: 'portal-external-without-url',
    severity: 'error',
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
      if (!wlan.is('/portal/auth', 'external')) return []
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
    check: wlan =>
      wlan.is('/portal/auth', 'sso')
        ? missing(wlan, 'single sign-on', ['sso_issuer', 'sso_idp_sso_url', 'sso_idp_cert'])
        : []
  },
  {
    id: 'portal-without-method',
    severity: 'error',
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
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/passphrase_enabled', '/portal/password'],
    message: 'the portal asks for a password, and none is set',
    why: 'no guest can log in',
    condition:
      'the portal is on, `passphrase_enabled` is on or `portal.auth` is password, and `portal.password` is known to be empty',
    advice: 'declare `portal.password` by a secret reference',
    source: 'OAS `wlan_portal.password`: required (documented); TFP',
    check: wlan =>
      when(
        (wlan.on('/portal/passphrase_enabled') || wlan.is('/portal/auth', 'password')) &&
          wlan.empty('/portal/password')
      )
  },
  {
    id: 'portal-sms-incomplete',
    severity: 'error',
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/sms_enabled', '/portal/sms_provider'],
    message: 'the account of the text message provider lacks a part',
    why: 'no guest receives a code',
    condition:
      'the portal is on, `sms_enabled` is on or `portal.auth` is sms, and the account of `sms_provider` lacks a member; manual needs none',
    advice: 'declare the missing fields of the account',
    source:
      'OAS `wlan_portal`, each required with its provider (documented); TFP release notes 0.2.12',
    check: wlan => {
      if (!(wlan.on('/portal/sms_enabled') || wlan.is('/portal/auth', 'sms'))) return []
      const provider = wlan.text('/portal/sms_provider') ?? ''
      return missing(wlan, provider, smsAccounts.get(provider) ?? [], ['/portal/sms_provider'])
    }
  },
  {
    id: 'portal-azure-incomplete',
    severity: 'error',
    given: ['/portal/enabled'],
    fields: ['/portal/azure_enabled'],
    message: 'the Azure login of the portal lacks a part',
    why: 'the login needs the client and the tenant of an Azure application',
    condition:
      'the portal and `azure_enabled` are on, and `azure_client_id`, `azure_client_secret` or `azure_tenant_id` is empty',
    advice: 'declare the missing fields from the Azure application',
    source: 'OAS `wlan_portal` (documented); TFP',
    check: wlan =>
      wlan.on('/portal/azure_enabled')
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
    given: ['/portal/enabled'],
    fields: ['/portal/sponsor_enabled', '/portal/sponsors', '/portal/sponsor_email_domains'],
    message: 'guests need a sponsor, and there is none to choose',
    why: 'no sponsor can approve a guest',
    condition:
      'the portal and `sponsor_enabled` are on, and both `sponsors` and `sponsor_email_domains` are empty',
    advice: 'declare `portal.sponsors` or `portal.sponsor_email_domains`',
    source: 'OAS `wlan_portal_sponsors` (documented)',
    check: wlan =>
      when(
        wlan.on('/portal/sponsor_enabled') &&
          wlan.empty('/portal/sponsors', '/portal/sponsor_email_domains')
      )
  },
  {
    id: 'portal-forward-without-url',
    severity: 'error',
    given: ['/portal/enabled'],
    fields: ['/portal/forward', '/portal/forward_url'],
    message: 'guests are forwarded after login, and no address is set',
    why: 'the address of the redirect is missing',
    condition: 'the portal and `portal.forward` are on, and `portal.forward_url` is empty',
    advice: 'declare `portal.forward_url`, or turn off `portal.forward`',
    source: 'OAS `wlan_portal` (documented)',
    check: wlan => when(wlan.on('/portal/forward') && wlan.empty('/portal/forward_url'))
  },
  {
    id: 'portal-idp-unreachable',
    severity: 'warning',
    given: ['/portal/enabled'],
    fields: ['/portal/auth', '/portal/sso_idp_sso_url', ALLOWED, SUBNETS],
    message: 'before login guests cannot reach the host of the login page',
    why: 'the login page does not open unless its host is allowed',
    condition:
      'the portal is on with sso, and the host of `sso_idp_sso_url` contains none of `portal_allowed_hostnames` and is in none of `portal_allowed_subnets`; an info for external and `external_portal_url`',
    advice: 'add the host to `portal_allowed_hostnames`',
    source: 'OAS `wlan_portal_allowed_hostnames`: matched by substring (documented)',
    falseAlarms:
      'high: access points may let the host of the portal through by themselves, and identity providers load from further hosts',
    check: wlan => {
      if (wlan.is('/portal/auth', 'sso'))
        return unreachable(wlan, '/portal/sso_idp_sso_url', 'warning')
      if (!wlan.is('/portal/auth', 'external')) return []
      return unreachable(wlan, '/portal/external_portal_url', 'info')
    }
  },
  {
    id: 'garden-entry-unfit',
    severity: 'error',
    view: 'D',
    given: [
      '/portal_allowed_hostnames',
      '/portal_allowed_subnets',
      '/portal_denied_hostnames',
      '/cisco_cwa/enabled',
      '/app_qos/enabled'
    ],
    fields: [ALLOWED, SUBNETS, DENIED, '/cisco_cwa/enabled', '/app_qos/enabled'],
    message: 'an entry of a list of hosts or subnets matches nothing',
    why: 'host names are listed without scheme, port or path, and subnets in CIDR notation',
    condition:
      'an entry of a list of host names contains "/", a port or a blank; an entry of a list of subnets is no CIDR, which is a warning for an address alone; lists of `cisco_cwa` and `app_qos` only while these are on',
    advice: 'write a host as www.example.com and a subnet as 10.2.0.0/16',
    source: 'OAS: hostnames without http(s):// (documented); TFP ParseCidr',
    falseAlarms: 'low: the service may take an address for a subnet of one',
    check: wlan => [...unfitHosts(wlan), ...unfitSubnets(wlan), ...unfitQosSubnets(wlan)]
  },
  {
    id: 'garden-wide-open',
    severity: 'warning',
    view: 'D',
    given: ['/portal/enabled'],
    fields: ['/portal/enabled', SUBNETS, ALLOWED],
    message: 'guests reach far too much without logging in',
    why: 'host names are matched by substring, so "com" allows every .com; a short prefix allows most of the internet',
    condition:
      'the portal is on, and `portal_allowed_subnets` has a prefix of /8 or shorter, or an entry of `portal_allowed_hostnames` has no dot, begins or ends with one, or has fewer than four characters',
    advice: 'list full host names and small subnets',
    source: 'OAS `wlan_portal_allowed_hostnames` (documented)',
    check: wlan => {
      const subnets = matching(wlan, SUBNETS, isWideSubnet)
      return aboutEach([...subnets, ...matching(wlan, ALLOWED, isWideHost)], entries => ({
        message: `guests reach ${listOf(entries)} without logging in`,
        fields: ['/portal/enabled']
      }))
    }
  },
  {
    id: 'garden-denied-wins',
    severity: 'info',
    given: ['/portal/enabled'],
    fields: ['/portal/enabled', DENIED, ALLOWED],
    message: 'a denied host takes precedence over an allowed one',
    why: 'denied host names win over allowed ones, and both are matched by substring',
    condition:
      'the portal is on, and an entry of `portal_denied_hostnames` is contained in an entry of `portal_allowed_hostnames`',
    advice: 'remove the entry from one of the lists',
    source: 'OAS `wlan_portal_denied_hostnames`: takes precedence (documented)',
    check: wlan => {
      const allowed = matching(wlan, ALLOWED, () => true).join('\n')
      return aboutEach(
        matching(wlan, DENIED, entry => allowed.includes(entry)),
        entries => ({
          message: `${listOf(entries)} is both allowed and denied: denied wins`
        })
      )
    }
  }
]

/** The switch of each login method, by the value of `portal.auth` that stands for this method alone. */
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

/** The members of `portal` that make up the account of each SMS provider. */
const smsAccounts: ReadonlyMap<string, readonly string[]> = new Map([
  ['broadnet', ['broadnet_user_id', 'broadnet_password', 'broadnet_sid']],
  ['clickatell', ['clickatell_api_key']],
  ['gupshup', ['gupshup_userid', 'gupshup_password']],
  ['puzzel', ['puzzel_username', 'puzzel_password', 'puzzel_service_id']],
  ['smsglobal', ['smsglobal_api_key', 'smsglobal_api_secret']],
  ['telstra', ['telstra_client_id', 'telstra_client_secret']],
  ['twilio', ['twilio_sid', 'twilio_auth_token', 'twilio_phone_number']]
])

/** One violation that lists the members of `portal` that are known to be empty. */
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

/** The entries of a list that satisfy a test, in lower case; skips variables and empty entries. */
function matching(wlan: WlanView, list: Pointer, test: (entry: string) => boolean): string[] {
  return (wlan.entries(list) ?? [])
    .map(entry => entry.toLowerCase())
    .filter(entry => entry !== '' && !holdsVariable(entry) && test(entry))
}

function isWideHost(entry: string): boolean {
  return !entry.includes('.') || /^\.|\.$/.test(entry) || entry.length < 4
}

function listOf(entries: readonly string[]): string {
  const quoted = entries.map(entry => quote(entry, 64))
  return listFirst(quoted, 3)
}

function unreachable(
  wlan: WlanView,
  url: Pointer,
  level: 'warning' | 'info'
): readonly Violation[] {
  const host = hostOfUrl(wlan.text(url) ?? '')
  if (host === undefined) return []
  const isBlocked =
    lacks(wlan, ALLOWED, entry => host.includes(entry.toLowerCase())) &&
    lacks(wlan, SUBNETS, entry => subnetHolds(entry, host))
  return violationsOf(
    isBlocked && {
      level,
      message: `before login guests cannot reach ${quote(host)}, the host of the login page`,
      fields: ['/portal/auth', url, ALLOWED, SUBNETS]
    }
  )
}

function lacks(wlan: WlanView, list: Pointer, test: (entry: string) => boolean): boolean {
  return wlan.empty(list) || wlan.lacksEntry(list, test)
}

function unfitHosts(wlan: WlanView): Violation[] {
  const lists = [ALLOWED, DENIED]
  if (wlan.on('/cisco_cwa/enabled')) lists.push('/cisco_cwa/allowed_hostnames')
  return lists.flatMap(list =>
    aboutEach(
      matching(wlan, list, entry => /[\s/]|:\d+$/.test(entry)),
      entries => ({
        message: `expected host names without scheme, port and path in \`${describedName(list)}\`, got ${listOf(entries)}`,
        fields: [list],
        subject: list
      })
    )
  )
}

function unfitSubnets(wlan: WlanView): Violation[] {
  const lists = [SUBNETS]
  if (wlan.on('/cisco_cwa/enabled')) {
    lists.push('/cisco_cwa/allowed_subnets', '/cisco_cwa/blocked_subnets')
  }
  return lists.flatMap(list =>
    noSubnets(
      list,
      matching(wlan, list, entry => !isSubnet(entry))
    )
  )
}

function unfitQosSubnets(wlan: WlanView): readonly Violation[] {
  if (!wlan.on('/app_qos/enabled')) return []
  const [apps, others] = [wlan.value('/app_qos/apps'), wlan.value('/app_qos/others')]
  const classes = [
    ...(isObject(apps) ? Object.values(apps) : []),
    ...(isList(others) ? others : [])
  ]
  const subnets = classes.flatMap(entry =>
    isObject(entry) ? [member(entry, 'src_subnet'), member(entry, 'dst_subnet')] : []
  )
  const unfit = subnets.filter(
    subnet =>
      typeof subnet === 'string' && subnet !== '' && !holdsVariable(subnet) && !isSubnet(subnet)
  )
  return noSubnets('/app_qos', unfit.map(String))
}

/**
 * One violation for the entries that are not subnets. It is a warning if all of them are plain addresses,
 * because an address may stand for a subnet of one host.
 */
function noSubnets(list: Pointer, texts: readonly string[]): readonly Violation[] {
  const isAddress = texts.length > 0 && texts.every(isIpv4)
  return aboutEach(texts, entries => ({
    ...(isAddress && { level: 'warning' }),
    message: `expected subnets such as 10.2.0.0/16 in \`${describedName(list)}\`, got ${listOf(entries)}`,
    fields: [list],
    subject: list
  }))
}
