import type { Pointer } from '../../model/pointer.ts'
import { violationsOf, type WlanRule } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Rules about the strength of keys and passwords. */
export const keyRules: readonly WlanRule[] = [
  {
    id: 'weak-key',
    severity: 'warning',
    view: 'D',
    given: ['/auth/psk', '/dynamic_psk/default_psk', '/portal/password'],
    fields: ['/auth/psk', '/dynamic_psk/default_psk', '/portal/password'],
    message: 'the key is easily guessed',
    why: 'the handshake of a network with a key can be recorded, and the key searched offline',
    condition:
      'the known `auth.psk`, `dynamic_psk.default_psk` or `portal.password` contains the SSID, is one character repeated, digits alone, or in a short list of common keys',
    advice: 'use a random key of 16 characters or more',
    source: 'WPA2-Personal (knowledge)',
    falseAlarms: 'low; never part of a saved plan or a record',
    fromSecret: true,
    check: wlan =>
      violationsOf(
        ...(['/auth/psk', '/dynamic_psk/default_psk', '/portal/password'] as const).map(
          field => isWeak(wlan, field) && { fields: [field], subject: field }
        )
      )
  }
]

/** Shorter SSIDs occur in strong keys by chance. */
const SHORTEST_SSID = 4

const common: ReadonlySet<string> = new Set([
  '1q2w3e4r',
  '1q2w3e4r5t',
  '1qaz2wsx',
  'abcd1234',
  'abcdefgh',
  'admin123',
  'administrator',
  'changeme',
  'guest123',
  'guestguest',
  'iloveyou',
  'internet',
  'letmein1',
  'letmein123',
  'passw0rd',
  'password',
  'password1',
  'password123',
  'qwerty123',
  'qwertyui',
  'qwertyuiop',
  'secret123',
  'superman',
  'sunshine',
  'test1234',
  'trustno1',
  'welcome1',
  'welcome123',
  'wireless',
  'wlan1234'
])

function isWeak(wlan: WlanView, field: Pointer): boolean {
  const key = wlan.secret(field)?.toLowerCase()
  if (key === undefined) return false
  const ssid = wlan.text('/ssid')?.toLowerCase() ?? ''
  const isRepeated = key === key.charAt(0).repeat(key.length)
  const isNumber = /^\d+$/.test(key)
  return (
    isRepeated ||
    isNumber ||
    common.has(key) ||
    (ssid.length >= SHORTEST_SSID && key.includes(ssid))
  )
}
