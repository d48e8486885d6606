import type { Pointer } from '../../model/pointer.ts'
import { quote } from '../../model/text.ts'
import { type Violation, violationsOf, type WlanRule } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Rules about changes that make a network safer and may lock clients out. */
export const hardeningRules: readonly WlanRule[] = [
  {
    id: 'hardening-locks-out',
    severity: 'warning',
    view: 'T',
    fields: ['/auth_servers', '/auth/pairwise', '/auth/owe', '/max_num_clients'],
    message: 'safer, and some clients may not come back: try the change on one site first',
    why: 'old clients or servers do not support the stricter setting',
    condition:
      'a server begins to require the Message-Authenticator, or its check is no longer disabled; `pairwise` goes from without wpa3 to only wpa3; `owe` from disabled to required; `no_static_ip`, `block_blacklist_clients`, `disable_when_gateway_unreachable` or `disable_when_mxtunnel_down` goes on; `max_num_clients` is lowered',
    advice: 'roll the change out in waves, with a canary first',
    source: 'OAS-log 2602.1.4 (documented); WPA3; TWIN, client-affecting attributes (code)',
    falseAlarms: 'medium: a hint to use a canary',
    check: (wlan, before) => (before === undefined ? [] : lockouts(wlan, before))
  }
]

const turnedOn: readonly Pointer[] = [
  '/no_static_ip',
  '/block_blacklist_clients',
  '/disable_when_gateway_unreachable',
  '/disable_when_mxtunnel_down'
]

function lockouts(wlan: WlanView, before: WlanView): readonly Violation[] {
  const isWpa3 = (cipher: string) => cipher === 'wpa3'
  const hasOnlyWpa3 = wlan.lacksEntry('/auth/pairwise', cipher => !isWpa3(cipher))
  return [
    ...turnedOn.flatMap(field =>
      wlan.on(field) && before.off(field) ? [{ fields: [field], subject: field }] : []
    ),
    ...violationsOf(
      wlan.off('/disable_message_authenticator_check') &&
        before.on('/disable_message_authenticator_check') && {
          message:
            'RADIUS servers without a Message-Authenticator are refused: try it on one site first',
          fields: ['/disable_message_authenticator_check'],
          subject: 'check'
        },
      hasOnlyWpa3 &&
        before.lacksEntry('/auth/pairwise', isWpa3) && {
          fields: ['/auth/pairwise'],
          subject: 'wpa3'
        },
      wlan.is('/auth/owe', 'required') &&
        before.is('/auth/owe', 'disabled') && { fields: ['/auth/owe'], subject: 'owe' },
      isLowered(wlan, before) && { fields: ['/max_num_clients'], subject: 'clients' }
    ),
    ...requiredAuthenticators(wlan, before)
  ]
}

/** 0 is no limit. */
function isLowered(wlan: WlanView, before: WlanView): boolean {
  const now = wlan.number('/max_num_clients') ?? 0
  if (now === 0) return false
  const was = before.number('/max_num_clients')
  return was !== undefined && (was === 0 || now < was)
}

function requiredAuthenticators(wlan: WlanView, before: WlanView): readonly Violation[] {
  const field = '/require_message_authenticator'
  const strict = (wlan.elements('/auth_servers') ?? []).filter(server => server.on(field))
  if (strict.length === 0) return []
  const lenient = new Set(
    (before.elements('/auth_servers') ?? [])
      .filter(server => server.off(field))
      .map(server => server.text('/host'))
  )
  return strict.flatMap(server => {
    const host = server.text('/host')
    if (host === undefined || !lenient.has(host)) return []
    const message = `the RADIUS server ${quote(host)} must send a Message-Authenticator, or it refuses all clients`
    return [{ message, fields: ['/auth_servers'], subject: host }]
  })
}
