import type { Pointer } from '../../values/pointer.ts'
import { hasOuterBlank } from '../../values/ssid.ts'
import { hidesNone, isWpa3 } from '../conditions.ts'
import { quotedName, type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** What keeps strangers out of a network: a field, and whether it does. */
const fences: readonly (readonly [Pointer, (wlan: WlanView) => boolean])[] = [
  ['/enabled', wlan => wlan.off('/enabled')],
  ['/auth/type', wlan => wlan.isOther('/auth/type', 'open')],
  ['/auth/owe', wlan => wlan.is('/auth/owe', 'required')],
  ['/portal/enabled', wlan => wlan.on('/portal/enabled')],
  ['/auth/enable_mac_auth', wlan => wlan.on('/auth/enable_mac_auth')],
  ['/cisco_cwa/enabled', wlan => wlan.on('/cisco_cwa/enabled')]
]

/** The fields with a key that people type. */
const keyFields: readonly Pointer[] = ['/auth/psk', '/dynamic_psk/default_psk', '/portal/password']

const weakness = 'is common, digits alone, one character repeated, or contains the SSID'
const outerBlank = 'begins or ends with a blank'

const wpa3Options: readonly Pointer[] = [
  '/auth/anticlog_threshold',
  '/auth/enable_beacon_protection',
  '/auth/enable_gcmp256'
]

/** Rules about ciphers, encryption, and the strength of keys. */
export const encryptionRules: readonly WlanRule[] = [
  {
    id: 'open-goes-on-the-air',
    severity: 'error',
    view: 'T',
    fields: fences.map(([field]) => field),
    message: 'an open network without any login goes on the air',
    why: 'anyone in range can join, and traffic is not encrypted',
    condition:
      'after the change the WLAN is enabled and open, OWE is not required, and it has no portal, MAC authentication or central web authentication; before the change it was disabled, or one of these was on',
    advice: 'turn on a login or encryption, or allow the downgrade of this WLAN',
    source: 'TWIN `wireless.wlan.client_impact`, secret to open (code); AUDIT (others)',
    falseAlarms: 'low: a lobby that wants it allows the downgrade once',
    isDowngrade: true,
    check: (wlan, before) => {
      if (before === undefined || !isOnAirWithoutLogin(wlan)) return []
      const gone = fences.filter(([, isFenced]) => isFenced(before)).map(([field]) => field)
      return gone.length === 0 ? [] : [{ fields: [...new Set([...gone, '/auth/type'])] }]
    }
  },
  {
    id: 'wep-keys-unfit',
    severity: 'error',
    view: 'D',
    fields: ['/auth/type', '/auth/keys', '/auth/key_idx'],
    message: 'the WEP keys are not usable',
    why: 'WEP takes up to four keys of the same length, each of 10 or 26 hexadecimal digits',
    condition:
      '`auth.type` is wep, and there is no key, or more than four, or one that is not 10 or 26 hexadecimal digits, or the lengths differ, or `key_idx` names an empty place',
    advice: 'use WPA2 or WPA3; where a device knows only WEP, correct the keys',
    source: 'OAS `wlan_auth_keys` (documented)',
    falseAlarms: 'none; see also `broken-cipher`',
    fromSecret: true,
    check: (wlan, before) => (wlan.is('/auth/type', 'wep') ? wepKeyProblems(wlan, before) : [])
  },
  {
    id: 'broken-cipher',
    severity: 'warning',
    fields: ['/auth/type', '/auth/pairwise', '/auth/wep_as_secondary_auth'],
    message: 'WEP and TKIP are broken, and hold all clients at the rates of 802.11g',
    why: 'traffic of such a network can be read and changed by others',
    condition:
      '`auth.type` is wep, psk-tkip or psk-wpa2-tkip; or `pairwise` has wpa1-tkip, wpa1-ccmp or wpa2-tkip on a network with keys or 802.1X; or `wep_as_secondary_auth` is on; an error where a change brings it in',
    advice:
      'use wpa2-ccmp or wpa3; move devices that cannot to a network of their own and waive it there',
    source: 'J-PSK: TKIP, WPA and WEP have known vulnerabilities (documented)',
    falseAlarms: 'medium: old scanners; waive by WLAN',
    check: (wlan, before) => {
      const now = cipherWeakness(wlan)
      if (now === undefined) return []
      const isNew = before !== undefined && cipherWeakness(before) === undefined
      return [{ ...now, level: isNew ? 'error' : 'warning' }]
    }
  },
  {
    id: 'owe-ignored',
    severity: 'warning',
    fields: ['/auth/owe', '/auth/type'],
    message: '`auth.owe` has no effect: the network is not open',
    why: 'OWE encrypts open networks only',
    condition: '`auth.owe` is declared other than disabled, and `auth.type` is not open',
    advice: 'remove `auth.owe`, or set `auth.type: open`',
    source: 'OAS `wlan_auth_owe` (documented); TFP',
    falseAlarms: 'none',
    check: wlan =>
      violationsOf(
        wlan.declares('/auth/owe') &&
          wlan.isOther('/auth/owe', 'disabled') &&
          wlan.isOther('/auth/type', 'open') && { ignored: ['/auth/owe'] }
      )
  },
  {
    id: 'pairwise-ignored',
    severity: 'warning',
    fields: ['/auth/pairwise', '/auth/type', '/auth/owe'],
    message: '`auth.pairwise` has no effect on a network without WPA or OWE',
    why: 'the ciphers are those of a network with keys, 802.1X or OWE',
    condition:
      '`auth.pairwise` is declared other than its default, and `auth.type` is wep, or open without OWE',
    advice: 'remove `auth.pairwise`, or set the `auth.type` that was intended',
    source: 'OAS `wlan_auth_pairwise` (documented); TFP AllowedWhenValueIsIn',
    falseAlarms: 'low; the default wpa2-ccmp, which an import may write, passes',
    check: wlan =>
      violationsOf(
        wlan.declares('/auth/pairwise') &&
          wlan.hasEntry('/auth/pairwise', cipher => cipher !== 'wpa2-ccmp') &&
          wlan.lacks('encryption') && { ignored: ['/auth/pairwise'] }
      )
  },
  {
    id: 'dynamic-psk-wpa3',
    severity: 'warning',
    given: ['/dynamic_psk/enabled', '/auth/multi_psk_only'],
    fields: ['/dynamic_psk/source', '/auth/multi_psk_only', '/auth/pairwise'],
    message: 'keys from the cloud do not work with WPA3',
    why: 'access points look up the key of a client for WPA2 only; with WPA3, RADIUS can look it up',
    condition:
      '`pairwise` has wpa3, and `dynamic_psk` is on with source cloud_psks; an error where `auth.multi_psk_only` is on',
    advice: 'set `auth.pairwise: [wpa2-ccmp]`, or take the keys from RADIUS',
    source: 'Juniper, Multi-Preshared Keys: local lookup is WPA2 only (documented)',
    check: wlan => {
      if (!wlan.is('/auth/type', 'psk') || !wlan.hasEntry('/auth/pairwise', isWpa3)) return []
      if (wlan.on('/dynamic_psk/enabled')) {
        const fields = ['/dynamic_psk/source', '/auth/pairwise']
        return wlan.is('/dynamic_psk/source', 'cloud_psks') ? [{ fields, subject: 'cloud' }] : []
      }
      return violationsOf(
        wlan.on('/auth/multi_psk_only') &&
          wlan.off('/dynamic_psk/enabled') && {
            level: 'error',
            message: 'several pre-shared keys do not work with WPA3',
            fields: ['/auth/multi_psk_only', '/auth/pairwise'],
            subject: 'multi'
          }
      )
    }
  },
  {
    id: 'wpa3-options-ignored',
    severity: 'info',
    fields: [...wpa3Options, '/auth/type', '/auth/pairwise'],
    message: 'an option of WPA3 is ignored: the network does not use WPA3',
    why: 'the option belongs to SAE or to protected management frames',
    condition:
      '`anticlog_threshold` is declared, or `enable_beacon_protection` or `enable_gcmp256` is on, and the network uses neither wpa3, eap192 nor OWE',
    advice: 'add wpa3 to `auth.pairwise`, or remove the option',
    source: 'OAS-log 2604.1.0 (documented); 802.11w (knowledge)',
    check: wlan =>
      violationsOf(
        (wlan.declares('/auth/anticlog_threshold') ||
          wlan.on('/auth/enable_beacon_protection') ||
          wlan.on('/auth/enable_gcmp256')) &&
          wlan.lacks('wpa3') && { ignored: wpa3Options }
      )
  },
  {
    id: 'eap192-mixed',
    severity: 'warning',
    fields: ['/auth/type', '/auth/pairwise', '/roam_mode'],
    message: '192-bit security has one cipher suite, without transition or OKC',
    why: 'clients of the 192-bit mode accept nothing else',
    condition:
      '`auth.type` is eap192, and `pairwise` is set to anything but wpa3, or `roam_mode` is OKC',
    advice: 'set `auth.pairwise: [wpa3]`, and `roam_mode` to 11r or NONE',
    source: 'WPA3 (knowledge)',
    falseAlarms: 'medium: how the service reads `pairwise` there is not documented',
    check: wlan =>
      when(
        wlan.is('/auth/type', 'eap192') &&
          (offersOtherThanWpa3(wlan) || wlan.is('/roam_mode', 'okc'))
      )
  },
  {
    id: 'weak-key',
    severity: 'warning',
    view: 'D',
    given: keyFields,
    fields: keyFields,
    message: `the key ${weakness}`,
    why: 'the handshake of a network with a key can be recorded, and the key searched offline',
    condition:
      'the known `auth.psk`, `dynamic_psk.default_psk` or `portal.password` contains the SSID, is one character repeated, digits alone, or in a short list of common keys',
    advice: 'use a random key of 16 characters or more',
    source: 'WPA2-Personal (knowledge)',
    falseAlarms: 'low; never part of a saved plan or a record',
    fromSecret: true,
    check: wlan =>
      violationsOf(
        ...keyFields.map(field =>
          aboutKey(wlan, field, weakness, key => isWeak(key, wlan.text('/ssid')))
        )
      )
  },
  {
    id: 'key-with-blank',
    severity: 'warning',
    view: 'D',
    given: keyFields,
    fields: keyFields,
    message: `the key ${outerBlank}`,
    why: 'the blank is part of the key, and clients that have the key without it stay out',
    condition:
      'the known `auth.psk`, `dynamic_psk.default_psk` or `portal.password` begins or ends with a blank',
    advice: 'remove the blank where the secret is stored',
    source: 'keys that were pasted (knowledge)',
    falseAlarms: 'low; never part of a saved plan or a record',
    fromSecret: true,
    check: wlan =>
      violationsOf(...keyFields.map(field => aboutKey(wlan, field, outerBlank, hasOuterBlank)))
  }
]

function isOnAirWithoutLogin(wlan: WlanView): boolean {
  return (
    wlan.on('/enabled') &&
    wlan.is('/auth/type', 'open') &&
    wlan.is('/auth/owe', 'disabled', 'enabled') &&
    wlan.off('/portal/enabled') &&
    wlan.off('/auth/enable_mac_auth') &&
    wlan.off('/cisco_cwa/enabled')
  )
}

const brokenPairs = new Set(['wpa1-tkip', 'wpa1-ccmp', 'wpa2-tkip'])

/** The weakest cipher of a WLAN; undefined for strong ciphers. A greater extent is weaker. */
function cipherWeakness(wlan: WlanView): Violation | undefined {
  const type = '/auth/type'
  if (wlan.is(type, 'wep')) return { fields: [type], extent: 5 }
  if (wlan.on('/auth/wep_as_secondary_auth')) {
    const field = '/auth/wep_as_secondary_auth'
    return { fields: [type, field], extent: 4 }
  }
  if (wlan.is(type, 'psk-tkip', 'psk-wpa2-tkip')) {
    return { fields: [type], extent: wlan.is(type, 'psk-tkip') ? 3 : 2 }
  }
  const hasBrokenPair =
    wlan.hasEntry('/auth/pairwise', pair => brokenPairs.has(pair)) &&
    wlan.is(type, 'psk', 'eap', 'eap192')
  return hasBrokenPair ? { fields: [type, '/auth/pairwise'], extent: 1 } : undefined
}

function offersOtherThanWpa3(wlan: WlanView): boolean {
  return wlan.isDecided('/auth/pairwise') && wlan.hasEntry('/auth/pairwise', pair => !isWpa3(pair))
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

function aboutKey(
  wlan: WlanView,
  field: Pointer,
  problem: string,
  test: (key: string) => boolean
): Violation | undefined {
  const secret = wlan.secret(field)
  if (secret === undefined || !test(secret.reveal())) return undefined
  const message = `the key${quotedName(secret)} ${problem}`
  return { message, fields: [field], subject: field, secret }
}

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
function wepKeyProblems(wlan: WlanView, before: WlanView | undefined): readonly Violation[] {
  const hasNone = hidesNone('/auth/keys', 'wep-keys', wlan, before)
  const keys = hasNone ? [] : wlan.secrets('/auth/keys')
  if (keys === undefined) return []
  const known = keys.filter(key => typeof key === 'string')
  const isNoneSet = keys.every(key => key === null)
  const active = wlan.number('/auth/key_idx')
  const isActiveMissing = active !== undefined && active > 0 && isUnset(keys, active - 1)
  return [
    ...problem(isNoneSet, 'none', 'the network has no WEP key'),
    ...problem(keys.length > 4, 'count', `expected at most 4 WEP keys, got ${keys.length}`),
    ...problem(
      known.some(key => !/^(?:[\da-f]{10}|[\da-f]{26})$/i.test(key)),
      'form',
      'expected WEP keys of 10 or 26 hexadecimal digits, got another form'
    ),
    ...problem(
      new Set(known.map(key => key.length)).size > 1,
      'length',
      'the WEP keys differ in length'
    ),
    ...problem(
      isActiveMissing && !isNoneSet,
      'active',
      '`auth.key_idx` names a WEP key that is not set'
    )
  ]
}

function isUnset(keys: readonly (string | null | undefined)[], place: number): boolean {
  return place >= keys.length || keys[place] === null
}

function problem(isThere: boolean, subject: string, message: string): readonly Violation[] {
  return isThere ? [{ subject, message }] : []
}
