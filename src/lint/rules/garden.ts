import type { Pointer } from '../../model/pointer.ts'
import { listFirst, quote } from '../../model/text.ts'
import { isList, isObject, member, type Value } from '../../model/value.ts'
import { describedName } from '../describe.ts'
import { aboutEach, type Violation, violationsOf, type WlanRule } from '../rule.ts'
import { hostOfUrl, isSubnet, prefixOf, subnetHolds } from '../text-forms.ts'
import type { WlanView } from '../view.ts'
import { holdsVariable } from '../written.ts'

const ALLOWED = '/portal_allowed_hostnames'
const SUBNETS = '/portal_allowed_subnets'
const DENIED = '/portal_denied_hostnames'

/** Rules about what guests reach before they log in. */
export const gardenRules: readonly WlanRule[] = [
  {
    id: 'portal-idp-unreachable',
    severity: 'warning',
    view: 'M',
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
      if (!wlan.on('/portal/enabled')) return []
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
      'an entry of a list of host names contains "/", a port or a blank; an entry of a list of subnets is no CIDR; lists of `cisco_cwa` and `app_qos` only while these are on',
    advice: 'write a host as www.example.com and a subnet as 10.2.0.0/16',
    source: 'OAS: hostnames without http(s):// (documented); TFP ParseCidr',
    falseAlarms: 'none',
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
    falseAlarms: 'low',
    check: wlan => {
      if (!wlan.on('/portal/enabled')) return []
      const subnets = matching(wlan, SUBNETS, entry => (prefixOf(entry) ?? 32) <= 8)
      return aboutEach([...subnets, ...matching(wlan, ALLOWED, isWideHost)], entries => ({
        message: `guests reach ${listOf(entries)} without logging in`,
        fields: ['/portal/enabled']
      }))
    }
  },
  {
    id: 'garden-denied-wins',
    severity: 'info',
    view: 'M',
    given: ['/portal/enabled'],
    fields: ['/portal/enabled', DENIED, ALLOWED],
    message: 'a denied host takes precedence over an allowed one',
    why: 'denied host names win over allowed ones, and both are matched by substring',
    condition:
      'the portal is on, and an entry of `portal_denied_hostnames` is contained in an entry of `portal_allowed_hostnames`',
    advice: 'remove the entry from one of the lists',
    source: 'OAS `wlan_portal_denied_hostnames`: takes precedence (documented)',
    falseAlarms: 'low',
    check: wlan => {
      if (!wlan.on('/portal/enabled')) return []
      const allowed = matching(wlan, ALLOWED, () => true).join('\n')
      return aboutEach(
        matching(wlan, DENIED, entry => allowed.includes(entry)),
        entries => ({ message: `${listOf(entries)} is both allowed and denied: denied wins` })
      )
    }
  }
]

/** The entries of a list that satisfy a test, lower-case, without variables and empty ones. */
function matching(wlan: WlanView, list: Pointer, test: (entry: string) => boolean): string[] {
  return (wlan.entries(list) ?? [])
    .map(entry => entry.toLowerCase())
    .filter(entry => entry !== '' && !holdsVariable(entry) && test(entry))
}

function isWideHost(entry: string): boolean {
  return !entry.includes('.') || /^\.|\.$/.test(entry) || entry.length < 4
}

function listOf(entries: readonly string[]): string {
  return listFirst(
    entries.map(entry => quote(entry, 64)),
    3
  )
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

/** No entry satisfies the test; an empty list has none. */
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
  const classes = [
    ...membersOf(wlan.value('/app_qos/apps')),
    ...elementsOf(wlan.value('/app_qos/others'))
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

function membersOf(value: Value | undefined): readonly Value[] {
  return isObject(value) ? Object.values(value) : []
}

function elementsOf(value: Value | undefined): readonly Value[] {
  return isList(value) ? value : []
}

function noSubnets(list: Pointer, texts: readonly string[]): readonly Violation[] {
  return aboutEach(texts, entries => ({
    message: `expected subnets such as 10.2.0.0/16 in \`${describedName(list)}\`, got ${listOf(entries)}`,
    fields: [list],
    subject: list
  }))
}
