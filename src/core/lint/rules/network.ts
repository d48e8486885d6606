import { vlanRange } from '../../schema/vlans.ts'
import { fieldName, type Pointer } from '../../values/pointer.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isEmpty, isObject } from '../../values/value.ts'
import { holdsVariable } from '../formats.ts'
import { aboutEach, type Violation, type WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'
import { rateBands } from '../when.ts'

const rateMasks = rateBands.flatMap(band =>
  ['ht', 'vht', 'he', 'eht'].map(name => `/rateset/${band}/${name}`)
)

/** The lists of VLAN IDs, and whether they accept a range such as 10-20. */
const vlanLists: readonly (readonly [list: Pointer, isRangeAllowed: boolean])[] = [
  ['/vlan_ids', false],
  ['/bonjour/additional_vlan_ids', false],
  ['/dynamic_vlan/local_vlan_ids', true],
  ['/dynamic_vlan/default_vlan_ids', true],
  ['/dynamic_vlan/vlans', false],
  ['/dynamic_psk/default_vlan_id', false],
  ['/dynamic_psk/local_vlan_ids', true]
]

export const networkChecks: Readonly<Record<string, WlanCheck>> = {
  'ssid-mixed-scripts': wlan => {
    const scripts = mixedScripts(wlan.text('/ssid') ?? '')
    const message = `the SSID mixes letters that look alike: ${scripts.join(' and ')}`
    return [scripts.length > 0 && { message }]
  },
  'broken-cipher': (wlan, before) => {
    const now = cipherWeakness(wlan)
    const isNew = before !== undefined && cipherWeakness(before) === undefined
    return [now && { ...now, level: isNew ? 'error' : 'warning' }]
  },
  'eduroam-name': wlan => {
    const ssid = wlan.text('/ssid')
    if (ssid?.toLowerCase() !== 'eduroam') return []
    return [
      ssid !== 'eduroam' && {
        message: 'devices know this network as "eduroam", in lower case',
        fields: ['/ssid'],
        subject: 'ssid'
      },
      wlan.lacks('eap') && { fields: ['/ssid', '/auth/type'], subject: 'type' }
    ]
  },
  'rates-mask-unfit': wlan => rateMasks.map(field => maskProblem(wlan, field)),
  'broadcast-flags-ignored': (wlan, before) => [
    wlan.off('/limit_bcast') && ignoredExceptions(wlan, before),
    wlan.meets('ndp-blocked') && {
      level: 'warning',
      message: 'IPv6 stops: neighbour discovery is among the limited broadcasts',
      fields: ['/limit_bcast', '/allow_ipv6_ndp'],
      subject: 'ipv6'
    }
  ],
  'vlan-out-of-range': wlan => [
    ...vlanLists.map(list => outOfRange(wlan, ...list)),
    twiceInPool(wlan)
  ],
  'vlan-one': wlan => {
    const isOne = (entry: string) => entry === '1' || vlanRange(entry)?.[0] === 1
    const isInOne =
      wlan.number('/vlan_id') === 1 ||
      (wlan.on('/vlan_pooling') && wlan.hasEntry('/vlan_ids', isOne)) ||
      (wlan.on('/dynamic_vlan/enabled') && wlan.hasEntry('/dynamic_vlan/default_vlan_ids', isOne))
    return [isInOne && {}]
  }
}

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

const brokenPairs = new Set(['wpa1-tkip', 'wpa1-ccmp', 'wpa2-tkip'])

/** The weakest cipher of a WLAN; undefined for strong ciphers. A greater extent is weaker. */
function cipherWeakness(wlan: WlanView): Violation | undefined {
  const [type, second] = ['/auth/type', '/auth/wep_as_secondary_auth']
  if (wlan.is(type, 'wep')) return { fields: [type], extent: 5 }
  if (wlan.on(second)) return { fields: [type, second], extent: 4 }
  if (wlan.is(type, 'psk-tkip')) return { fields: [type], extent: 3 }
  if (wlan.is(type, 'psk-wpa2-tkip')) return { fields: [type], extent: 2 }
  const hasBrokenPair =
    wlan.hasEntry('/auth/pairwise', pair => brokenPairs.has(pair)) &&
    wlan.is(type, 'psk', 'eap', 'eap192')
  return hasBrokenPair ? { fields: [type, '/auth/pairwise'], extent: 1 } : undefined
}

function maskProblem(wlan: WlanView, field: Pointer): Violation | undefined {
  const mask = wlan.text(field)
  if (mask === undefined || /^(?:[\da-f]{4}){1,4}$/i.test(mask)) return undefined
  const message = `expected 4, 8, 12 or 16 hexadecimal digits in \`${fieldName(field)}\``
  return { message, fields: [field], subject: field }
}

function ignoredExceptions(wlan: WlanView, before: WlanView | undefined): Violation | undefined {
  const flags = ['/allow_mdns', '/allow_ssdp', '/allow_ipv6_ndp'].filter(each =>
    wlan.declares(each)
  )
  const on = flags.filter(flag => wlan.on(flag))
  const isStored = before?.off('/limit_bcast') && on.every(flag => before.on(flag))
  if (before !== undefined && wlan.declares('/limit_bcast') && on.length > 0 && !isStored) {
    return {
      level: 'warning',
      message: 'the service may couple `limit_bcast` with its exceptions',
      fields: ['/limit_bcast', ...on],
      subject: 'coupled'
    }
  }
  return aboutEach(flags, () => ({ fields: ['/limit_bcast', ...flags], ignored: flags }))
}

function outOfRange(wlan: WlanView, list: Pointer, isRangeAllowed: boolean): Violation | undefined {
  const value = wlan.written(list)
  if (value === undefined || isEmpty(value)) return undefined
  const entries = isObject(value) ? Object.keys(value) : (wlan.entries(list) ?? [])
  const unfit = entries.filter(entry => !holdsVariable(entry) && !isVlan(entry, isRangeAllowed))
  const quoted = unfit.map(text => quote(text, 20))
  return aboutEach(quoted, texts => ({
    message: `expected VLAN IDs from 1 to 4094 in \`${fieldName(list)}\`, got ${listFirst(texts, 3)}`,
    fields: [list],
    subject: list
  }))
}

function isVlan(entry: string, isRangeAllowed: boolean): boolean {
  const range = vlanRange(entry)
  if (range === undefined) return /^\d{1,5}$/.test(entry) && isVlanId(Number(entry))
  const [first, last] = range
  return isRangeAllowed && isVlanId(first) && isVlanId(last) && first <= last
}

function isVlanId(id: number): boolean {
  return id >= 1 && id <= 4094
}

function twiceInPool(wlan: WlanView): Violation | undefined {
  const field = '/vlan_ids'
  if (wlan.empty(field)) return undefined
  const entries = (wlan.entries(field) ?? []).filter(entry => !holdsVariable(entry))
  if (new Set(entries).size === entries.length) return undefined
  const message = 'a VLAN occurs twice in `vlan_ids`'
  return { level: 'warning', message, fields: [field], subject: 'twice' }
}
