import { vlanRange } from '../../schema/vlans.ts'
import type { Pointer } from '../../values/pointer.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isEmpty, isObject } from '../../values/value.ts'
import { holdsVariable } from '../formats.ts'
import { aboutEach, type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

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

const listFields = vlanLists.map(([list]) => list)

/** Rules about VLANs, tunnels, and the access points that broadcast a network. */
export const vlanRules: readonly WlanRule[] = [
  {
    id: 'vlan-enabled-without-vlan',
    severity: 'error',
    given: ['/vlan_enabled'],
    fields: ['/vlan_enabled', '/vlan_id', '/vlan_pooling', '/vlan_ids', '/dynamic_vlan/enabled'],
    message: 'the traffic is to be tagged, and no VLAN is given',
    why: 'tagging needs a VLAN: a fixed one, a pool, or the default of dynamic VLANs',
    condition:
      '`vlan_enabled` is on, `vlan_id` is empty, `vlan_pooling` is off or `vlan_ids` empty, and `dynamic_vlan` is off or without a default VLAN',
    advice: 'declare `vlan_id`',
    source: 'TFP docs, `vlan_id` (a check of the provider); OAS `wlan_vlan_ids_list`',
    check: wlan =>
      when(
        wlan.empty('/vlan_id') &&
          (wlan.off('/vlan_pooling') || wlan.empty('/vlan_ids')) &&
          (wlan.off('/dynamic_vlan/enabled') ||
            wlan.empty('/dynamic_vlan/default_vlan_ids', '/dynamic_vlan/default_vlan_id'))
      )
  },
  {
    // A warning, because a list of WLANs does not show whether the ports of the access points are in a guest VLAN.
    id: 'guest-traffic-untagged',
    severity: 'warning',
    fields: ['/auth/type', '/portal/enabled', '/vlan_enabled', '/interface'],
    message: 'guests share the network of the access points',
    why: 'untagged traffic is bridged into the network that manages the access points',
    condition:
      'the WLAN is open or has a portal, `vlan_enabled` is off, and `interface` is not a tunnel',
    advice: 'turn on `vlan_enabled` with a VLAN for guests, or use a tunnel',
    source: 'MULTI: tag a separate VLAN for each SSID; AUDIT (others)',
    falseAlarms: 'medium: small sites whose access point ports are in a VLAN for guests',
    check: wlan => {
      if (!wlan.meets('guests') || !wlan.off('/vlan_enabled') || !wlan.meets('bridged')) return []
      const forGuests = wlan.on('/portal/enabled') ? '/portal/enabled' : '/auth/type'
      return [{ fields: [forGuests, '/vlan_enabled'] }]
    }
  },
  {
    id: 'dynamic-vlan-not-tagged',
    severity: 'error',
    given: ['/dynamic_vlan/enabled'],
    fields: ['/dynamic_vlan/enabled', '/vlan_enabled'],
    message: 'dynamic VLANs need `vlan_enabled`',
    why: 'without tagging all clients share the untagged network',
    condition: '`dynamic_vlan` is on, and `vlan_enabled` is off',
    advice: 'turn on `vlan_enabled`',
    source: 'OAS `wlan_dynamic_vlan.enabled` (documented); TFP CanOnlyBeTrueWhenValueIs',
    check: wlan => when(wlan.off('/vlan_enabled'))
  },
  {
    id: 'pool-not-tagged',
    severity: 'error',
    given: ['/vlan_pooling'],
    fields: ['/vlan_pooling', '/vlan_enabled'],
    message: 'a pool of VLANs needs `vlan_enabled`',
    why: 'without tagging all clients share the untagged network',
    condition: '`vlan_pooling` is on, and `vlan_enabled` is off',
    advice: 'turn on `vlan_enabled`',
    source: 'OAS `wlan.vlan_pooling` (documented); TFP CanOnlyBeTrueWhenValueIs',
    check: wlan => when(wlan.off('/vlan_enabled'))
  },
  {
    id: 'dynamic-vlan-without-identity',
    severity: 'error',
    given: ['/dynamic_vlan/enabled'],
    fields: ['/dynamic_vlan/enabled', '/auth/type', '/auth/enable_mac_auth', '/mist_nac/enabled'],
    message: 'no RADIUS response ever names a VLAN here',
    why: 'dynamic VLANs come with the authentication of a client, and this network has none by RADIUS',
    condition:
      '`dynamic_vlan` is on, `auth.type` is neither eap nor eap192, MAC authentication and `mist_nac` are off, and no `dynamic_psk`, central web authentication or external portal asks RADIUS',
    advice: 'use 802.1X or MAC authentication, or a fixed `vlan_id`',
    source: 'TFP `dynamic_vlan.enabled` (a check of the provider); OAS: for 802.1x',
    check: wlan => when(wlan.lacks('radius') && wlan.off('/mist_nac/enabled'))
  },
  {
    id: 'airespace-names-unmapped',
    severity: 'error',
    given: ['/dynamic_vlan/enabled'],
    fields: ['/dynamic_vlan/type', '/dynamic_vlan/vlans'],
    message: 'RADIUS responses name an interface, and no name is mapped to a VLAN',
    why: 'the access point cannot find the VLAN of a name',
    condition: '`dynamic_vlan` is on, its `type` is airespace-interface-name, and `vlans` is empty',
    advice: 'declare `dynamic_vlan.vlans`, or set `dynamic_vlan.type: standard`',
    source: 'OAS `wlan_dynamic_vlan.vlans` (documented)',
    check: wlan =>
      when(
        wlan.is('/dynamic_vlan/type', 'airespace-interface-name') &&
          wlan.empty('/dynamic_vlan/vlans')
      )
  },
  {
    id: 'pool-without-vlans',
    severity: 'error',
    given: ['/vlan_pooling'],
    fields: ['/vlan_pooling', '/vlan_ids'],
    message: 'the pool of VLANs is empty',
    why: 'no client can be given a VLAN',
    condition: '`vlan_pooling` is on, and `vlan_ids` is empty',
    advice: 'declare `vlan_ids`, or turn off `vlan_pooling`',
    source: 'TFP `vlan_ids` RequiredWhenValueIs (a check of the provider)',
    check: wlan => when(wlan.empty('/vlan_ids'))
  },
  {
    id: 'vlan-out-of-range',
    severity: 'error',
    view: 'D',
    given: listFields,
    fields: listFields,
    message: 'expected VLAN IDs from 1 to 4094',
    why: 'other numbers are no VLANs',
    condition:
      'a VLAN ID of a list, a comma-separated text or a key of `dynamic_vlan.vlans` is not 1 to 4094; a range ends before it begins, or is where none is allowed; a warning where a VLAN occurs twice in `vlan_ids`',
    advice: 'correct the VLAN IDs',
    source:
      'OAS `vlan_id_with_variable`, `wlan_dynamic_vlan_default_vlan_ids`, OAS-log 2607.1.0 (documented); TFP ParseInt',
    falseAlarms: 'none',
    check: wlan => [...vlanLists.flatMap(list => outOfRange(wlan, ...list)), ...twiceInPool(wlan)]
  },
  {
    id: 'vlan-one',
    severity: 'warning',
    given: ['/vlan_enabled'],
    fields: ['/vlan_enabled', '/vlan_id', '/vlan_ids', '/dynamic_vlan/default_vlan_ids'],
    message: 'clients are in VLAN 1',
    why: 'VLAN 1 is the default of switches and usually carries their management',
    condition:
      '`vlan_enabled` is on, and `vlan_id`, the pool of `vlan_ids` or an enabled `dynamic_vlan` holds VLAN 1',
    advice: 'use another VLAN',
    source: 'AUDIT: never VLAN 1 for production (others)',
    check: wlan => {
      const isOne = (entry: string) => entry === '1' || vlanRange(entry)?.[0] === 1
      return when(
        wlan.number('/vlan_id') === 1 ||
          (wlan.on('/vlan_pooling') && wlan.hasEntry('/vlan_ids', isOne)) ||
          (wlan.on('/dynamic_vlan/enabled') &&
            wlan.hasEntry('/dynamic_vlan/default_vlan_ids', isOne))
      )
    }
  },
  {
    id: 'vlan-not-enabled',
    severity: 'warning',
    fields: ['/vlan_id', '/vlan_enabled', '/vlan_ids', '/vlan_pooling'],
    message: 'the declared VLAN is ignored: `vlan_enabled` is off',
    why: 'the traffic stays untagged',
    condition:
      '`vlan_id` is declared and `vlan_enabled` is off; `vlan_ids` is declared and `vlan_pooling` is off',
    advice: 'turn on `vlan_enabled`, or `vlan_pooling` for `vlan_ids`',
    source: 'TFP docs: used when `vlan_enabled` is true (a check of the provider)',
    check: wlan =>
      violationsOf(
        wlan.off('/vlan_enabled') &&
          wlan.declares('/vlan_id') && {
            fields: ['/vlan_id', '/vlan_enabled'],
            ignored: ['/vlan_id'],
            subject: 'id'
          },
        wlan.declares('/vlan_ids') &&
          wlan.off('/vlan_pooling') && {
            message: 'the declared pool of VLANs is ignored: `vlan_pooling` is off',
            fields: ['/vlan_ids', '/vlan_pooling'],
            ignored: ['/vlan_ids'],
            subject: 'pool'
          }
      )
  },
  {
    id: 'scope-empty',
    severity: 'error',
    fields: ['/apply_to', '/ap_ids', '/wxtag_ids'],
    message: 'no access point sends this network',
    why: 'an empty list of access points or tags applies nowhere',
    condition: '`apply_to` is aps and `ap_ids` is empty, or wxtags and `wxtag_ids` is empty',
    advice: 'name access points or tags; to park a WLAN use `enabled: false`',
    source: 'TWIN, open_guest (code); TFP docs',
    check: wlan => when(wlan.meets('scope-empty'))
  },
  {
    id: 'tunnel-missing',
    severity: 'error',
    fields: ['/interface', '/mxtunnel_ids', '/mxtunnel_id', '/mxtunnel_name', '/wxtunnel_id'],
    message: 'the traffic is to go through a tunnel, and none is named',
    why: 'clients reach nothing',
    condition:
      '`interface` is mxtunnel and `mxtunnel_ids` and `mxtunnel_id` are empty; wxtunnel and `wxtunnel_id` is empty; a warning where it is site_mxedge and `mxtunnel_name` is empty',
    advice: 'name the tunnel, or change `interface`',
    source: 'OAS `wlan_mxtunnel_ids`, `wlan_mxtunnel_name`, `wlan.wxtunnel_id` (documented)',
    falseAlarms: 'low; medium for site_mxedge, where a tunnel named default may exist',
    check: wlan =>
      violationsOf(
        wlan.is('/interface', 'mxtunnel') &&
          wlan.empty('/mxtunnel_ids', '/mxtunnel_id') && {
            fields: ['/interface', '/mxtunnel_ids', '/mxtunnel_id']
          },
        wlan.is('/interface', 'wxtunnel') &&
          wlan.empty('/wxtunnel_id') && { fields: ['/interface', '/wxtunnel_id'] },
        wlan.is('/interface', 'site_mxedge') &&
          wlan.empty('/mxtunnel_name') && {
            level: 'warning',
            fields: ['/interface', '/mxtunnel_name']
          }
      )
  },
  {
    id: 'scope-ignored',
    severity: 'warning',
    given: ['/ap_ids', '/wxtag_ids'],
    fields: ['/apply_to', '/ap_ids', '/wxtag_ids'],
    message: 'the declared list of access points is ignored',
    why: 'the network is sent by other access points than the list names',
    condition:
      '`ap_ids` is declared and `apply_to` is not aps, or `wxtag_ids` is declared and `apply_to` is not wxtags',
    advice: 'set `apply_to` to aps or wxtags, or remove the list',
    source: 'TFP docs, `ap_ids` and `wxtag_ids` (a check of the provider)',
    check: wlan =>
      violationsOf(
        wlan.declares('/ap_ids') &&
          wlan.isOther('/apply_to', 'aps') && {
            fields: ['/ap_ids', '/apply_to'],
            ignored: ['/ap_ids'],
            subject: 'aps'
          },
        wlan.declares('/wxtag_ids') &&
          wlan.isOther('/apply_to', 'wxtags') && {
            message: 'the declared list of tags is ignored',
            fields: ['/wxtag_ids', '/apply_to'],
            ignored: ['/wxtag_ids'],
            subject: 'wxtags'
          }
      )
  },
  {
    id: 'tunnel-ignored',
    severity: 'warning',
    given: ['/mxtunnel_ids', '/mxtunnel_name', '/wxtunnel_id', '/disable_when_mxtunnel_down'],
    fields: ['/interface', '/mxtunnel_ids', '/mxtunnel_name', '/wxtunnel_id'],
    message: 'the declared tunnel is ignored: `interface` is another one',
    why: 'the traffic takes another way than the tunnel',
    condition:
      '`mxtunnel_ids`, `mxtunnel_name` or `wxtunnel_id` is declared and `interface` is another one; `disable_when_mxtunnel_down` is on and `interface` is neither mxtunnel nor site_mxedge',
    advice: 'set `interface` to the kind of the tunnel, or remove the tunnel',
    source: 'OAS `wlan_mxtunnel_ids`, `wlan_mxtunnel_name`, `wlan.wxtunnel_id` (documented)',
    check: wlan =>
      violationsOf(
        ...tunnels.map(
          ([field, kind]) =>
            wlan.declares(field) &&
            wlan.isOther('/interface', kind) && {
              fields: [field, '/interface'],
              ignored: [field],
              subject: field
            }
        ),
        wlan.on('/disable_when_mxtunnel_down') &&
          wlan.isOther('/interface', 'mxtunnel', 'site_mxedge') && {
            message:
              '`disable_when_mxtunnel_down` has no effect: the traffic goes through no Mist tunnel',
            fields: ['/disable_when_mxtunnel_down', '/interface'],
            ignored: ['/disable_when_mxtunnel_down'],
            subject: 'down'
          }
      )
  }
]

function outOfRange(wlan: WlanView, list: Pointer, isRangeAllowed: boolean): readonly Violation[] {
  const value = wlan.written(list)
  if (value === undefined || isEmpty(value)) return []
  const entries = isObject(value) ? Object.keys(value) : (wlan.entries(list) ?? [])
  const unfit = entries.filter(entry => !holdsVariable(entry) && !isVlan(entry, isRangeAllowed))
  const quoted = unfit.map(text => quote(text, 20))
  return aboutEach(quoted, texts => ({
    message: `expected VLAN IDs from 1 to 4094 in \`${describedName(list)}\`, got ${listFirst(texts, 3)}`,
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

function twiceInPool(wlan: WlanView): readonly Violation[] {
  if (wlan.empty('/vlan_ids')) return []
  const entries = (wlan.entries('/vlan_ids') ?? []).filter(entry => !holdsVariable(entry))
  return violationsOf(
    new Set(entries).size < entries.length && {
      level: 'warning',
      message: 'a VLAN occurs twice in `vlan_ids`',
      fields: ['/vlan_ids'],
      subject: 'twice'
    }
  )
}

const tunnels = [
  ['/mxtunnel_ids', 'mxtunnel'],
  ['/mxtunnel_name', 'site_mxedge'],
  ['/wxtunnel_id', 'wxtunnel']
] as const
