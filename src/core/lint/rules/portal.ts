import { isIpv4, isSubnet, isWideSubnet, subnetHolds } from '../../values/address.ts'
import { fieldName, type Pointer } from '../../values/pointer.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isList, isObject, member } from '../../values/value.ts'
import { holdsVariable, hostOfUrl } from '../formats.ts'
import { aboutEach, type Violation, type WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'

const ALLOWED = '/portal_allowed_hostnames'
const SUBNETS = '/portal_allowed_subnets'
const DENIED = '/portal_denied_hostnames'

export const portalChecks: Readonly<Record<string, WlanCheck>> = {
  'portal-external-without-url': wlan => {
    const field = '/portal/external_portal_url'
    if (!wlan.is('/portal/auth', 'external')) return []
    if (wlan.empty(field)) return [{}]
    const message = 'the address of the portal does not begin with https://'
    return [!/^(?:https:\/\/|$)/i.test(wlan.text(field) ?? '') && { level: 'warning', message }]
  },
  'portal-idp-unreachable': wlan => {
    if (wlan.is('/portal/auth', 'sso')) return [unreachable(wlan, '/portal/sso_idp_sso_url')]
    const found = unreachable(wlan, '/portal/external_portal_url')
    return [wlan.is('/portal/auth', 'external') && found && { ...found, level: 'info' }]
  },
  'garden-entry-unfit': wlan => {
    const ofCwa = wlan.on('/cisco_cwa/enabled')
    const hosts = [ALLOWED, DENIED, ...(ofCwa ? ['/cisco_cwa/allowed_hostnames'] : [])]
    const cwaSubnets = ['/cisco_cwa/allowed_subnets', '/cisco_cwa/blocked_subnets']
    return [
      ...hosts.map(list => unfitHosts(wlan, list)),
      ...[SUBNETS, ...(ofCwa ? cwaSubnets : [])].map(list =>
        noSubnets(
          list,
          matching(wlan, list, entry => !isSubnet(entry))
        )
      ),
      wlan.on('/app_qos/enabled') && noSubnets('/app_qos', unfitQosSubnets(wlan))
    ]
  },
  'garden-wide-open': wlan => {
    const subnets = matching(wlan, SUBNETS, isWideSubnet)
    const found = aboutEach([...subnets, ...matching(wlan, ALLOWED, isWideHost)], entries => ({
      message: `guests reach ${listOf(entries)} without logging in`,
      fields: ['/portal/enabled']
    }))
    return [found]
  },
  'garden-denied-wins': wlan => {
    const allowed = matching(wlan, ALLOWED, () => true).join('\n')
    const denied = matching(wlan, DENIED, entry => allowed.includes(entry))
    const message = `${listOf(denied)} is both allowed and denied: denied wins`
    return [aboutEach(denied, () => ({ message }))]
  }
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

function unreachable(wlan: WlanView, url: Pointer): Violation | undefined {
  const host = hostOfUrl(wlan.text(url) ?? '')
  const lacks = (list: Pointer, test: (entry: string) => boolean) =>
    wlan.empty(list) || wlan.lacksEntry(list, test)
  if (host === undefined) return undefined
  if (!lacks(ALLOWED, entry => host.includes(entry.toLowerCase()))) return undefined
  if (!lacks(SUBNETS, entry => subnetHolds(entry, host))) return undefined
  const message = `before login guests cannot reach ${quote(host)}, the host of the login page`
  return { message, fields: ['/portal/auth', url, ALLOWED, SUBNETS] }
}

function unfitHosts(wlan: WlanView, list: Pointer): Violation | undefined {
  const unfit = matching(wlan, list, entry => /[\s/]|:\d+$/.test(entry))
  return aboutEach(unfit, entries => ({
    message: `expected host names without scheme, port and path in \`${fieldName(list)}\`, got ${listOf(entries)}`,
    fields: [list],
    subject: list
  }))
}

function unfitQosSubnets(wlan: WlanView): string[] {
  const [apps, others] = [wlan.value('/app_qos/apps'), wlan.value('/app_qos/others')]
  const classes = [
    ...(isObject(apps) ? Object.values(apps) : []),
    ...(isList(others) ? others : [])
  ]
  return classes
    .flatMap(entry =>
      isObject(entry) ? [member(entry, 'src_subnet'), member(entry, 'dst_subnet')] : []
    )
    .filter(subnet => typeof subnet === 'string')
    .filter(subnet => subnet !== '' && !holdsVariable(subnet) && !isSubnet(subnet))
}

/** One violation for all; a warning if all are plain addresses, which may mean one host each. */
function noSubnets(list: Pointer, texts: readonly string[]): Violation | undefined {
  return aboutEach(texts, entries => ({
    ...(texts.every(isIpv4) && { level: 'warning' }),
    message: `expected subnets such as 10.2.0.0/16 in \`${fieldName(list)}\`, got ${listOf(entries)}`,
    fields: [list],
    subject: list
  }))
}
