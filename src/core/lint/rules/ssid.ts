import { violationsOf, type WlanRule } from '../rule.ts'

const operators = [
  '/hotspot20/operators',
  '/hotspot20/nai_realms',
  '/hotspot20/rcoi',
  '/hotspot20/domain_name'
]

/** Rules about names by which devices recognize a network. */
export const ssidRules: readonly WlanRule[] = [
  {
    id: 'passpoint-needs-8021x',
    severity: 'error',
    given: ['/hotspot20/enabled'],
    fields: ['/hotspot20/enabled', '/auth/type', ...operators],
    message: 'Hotspot 2.0 needs 802.1X',
    why: 'devices join a Passpoint network with the credentials of an operator, by 802.1X',
    condition:
      '`hotspot20` is on, and `auth.type` is neither eap nor eap192; a warning where it names no operator, realm, roaming consortium or domain',
    advice: 'set `auth.type: eap`, and declare `hotspot20.nai_realms`, `operators` or `rcoi`',
    source: 'mist.com, Hotspot 2.0: only supported on 802.1X secured WLANs (documented)',
    check: wlan =>
      violationsOf(
        wlan.lacks('eap') && { fields: ['/hotspot20/enabled', '/auth/type'], subject: 'type' },
        wlan.empty(...operators) && {
          level: 'warning',
          message: 'Hotspot 2.0 names nothing that a device could recognize',
          fields: ['/hotspot20/enabled', ...operators],
          subject: 'operators'
        }
      )
  },
  {
    id: 'eduroam-name',
    severity: 'error',
    fields: ['/ssid', '/auth/type'],
    message: 'eduroam is not set up as its members expect',
    why: 'devices have a profile for "eduroam" in lower case with 802.1X, and join nothing else by it',
    condition:
      'the SSID is eduroam in other case, or it is eduroam and `auth.type` is neither eap nor eap192',
    advice: 'name the network `eduroam`, and set `auth.type: eap`',
    source: 'eduroam service definition (knowledge)',
    check: wlan => {
      const ssid = wlan.text('/ssid')
      if (ssid?.toLowerCase() !== 'eduroam') return []
      return violationsOf(
        ssid !== 'eduroam' && {
          message: 'devices know this network as "eduroam", in lower case',
          fields: ['/ssid'],
          subject: 'ssid'
        },
        wlan.lacks('eap') && { fields: ['/ssid', '/auth/type'], subject: 'type' }
      )
    }
  },
  {
    id: 'ssid-mixed-scripts',
    severity: 'warning',
    view: 'D',
    fields: ['/ssid'],
    message: 'the SSID mixes letters that look alike',
    why: 'a letter of another alphabet looks the same to people, and is another network to devices',
    condition: 'the SSID has letters of several of Latin, Greek, Cyrillic, Armenian and Cherokee',
    advice: 'type the SSID in one alphabet, or waive the rule',
    source: 'Unicode TR 39, mixed scripts (knowledge)',
    falseAlarms: 'low: names that combine alphabets on purpose',
    check: wlan => {
      const scripts = mixedScripts(wlan.text('/ssid') ?? '')
      return scripts.length === 0
        ? []
        : [{ message: `the SSID mixes letters that look alike: ${scripts.join(' and ')}` }]
    }
  }
]

/** Alphabets with look-alike letters: `Corp` can be written with a Cyrillic `о`. */
const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u]
] as const

const isAscii = (text: string) => !/[^ -~]/.test(text)

/** The look-alike alphabets in a string that mixes several; otherwise none. */
export function mixedScripts(text: string): string[] {
  if (isAscii(text)) return []
  const used = SCRIPTS.filter(([, letter]) => letter.test(text)).map(([name]) => name)
  return used.length > 1 ? used : []
}
