import type { Pointer } from '../../values/pointer.ts'
import { hasOuterBlank } from '../../values/ssid.ts'
import { quotedName, type Violations, type WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'
import { hidesNone } from '../when.ts'

const weakness = 'is common, digits alone, one character repeated, or contains the SSID'

export const keyChecks: Readonly<Record<string, WlanCheck>> = {
  'wep-keys-unfit': (wlan, before) =>
    wlan.is('/auth/type', 'wep') ? wepKeyProblems(wlan, before) : [],
  'weak-key': wlan => aboutKeys(wlan, weakness, key => isWeak(key, wlan.text('/ssid'))),
  'key-with-blank': wlan => aboutKeys(wlan, 'begins or ends with a blank', hasOuterBlank)
}

const keyFields: readonly Pointer[] = ['/auth/psk', '/dynamic_psk/default_psk', '/portal/password']

function aboutKeys(wlan: WlanView, problem: string, test: (key: string) => boolean): Violations {
  return keyFields.map(field => {
    const secret = wlan.secret(field)
    if (secret === undefined || !test(secret.reveal())) return undefined
    const message = `the key${quotedName(secret)} ${problem}`
    return { message, fields: [field], subject: field, secret }
  })
}

/** Shorter SSIDs occur in strong keys by chance. */
const MIN_SSID_LENGTH = 4

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

function isWeak(written: string, ssidAsWritten = ''): boolean {
  const [key, ssid] = [written.toLowerCase(), ssidAsWritten.toLowerCase()]
  const isRepeated = key === key.charAt(0).repeat(key.length)
  const isNumber = /^\d+$/.test(key)
  return (
    isRepeated ||
    isNumber ||
    common.has(key) ||
    (ssid.length >= MIN_SSID_LENGTH && key.includes(ssid))
  )
}

/** The problems that make the keys of a WEP network unusable; an unknown key is not a problem. */
function wepKeyProblems(wlan: WlanView, before: WlanView | undefined): Violations {
  const hasNone = hidesNone('/auth/keys', 'wep-keys', wlan, before)
  const keys = hasNone ? [] : wlan.secrets('/auth/keys')
  if (keys === undefined) return []
  const known = keys.filter(key => typeof key === 'string')
  const isNoneSet = keys.every(key => key === null)
  const active = wlan.number('/auth/key_idx') ?? 0
  const isActiveMissing = active > 0 && (keys.length < active || keys[active - 1] === null)
  const isUnfit = (key: string) => !/^(?:[\da-f]{10}|[\da-f]{26})$/i.test(key)
  const lengths = new Set(known.map(({ length }) => length))
  const problems: [isThere: boolean, message: string][] = [
    [isNoneSet, 'the network has no WEP key'],
    [keys.length > 4, `expected at most 4 WEP keys, got ${keys.length}`],
    [known.some(isUnfit), 'expected WEP keys of 10 or 26 hexadecimal digits, got another form'],
    [lengths.size > 1, 'the WEP keys differ in length'],
    [isActiveMissing && !isNoneSet, '`auth.key_idx` names a WEP key that is not set']
  ]
  return problems.map(([isThere, message], place) => isThere && { message, subject: String(place) })
}
