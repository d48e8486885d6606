import { violationsOf, type WlanRule, when } from '../rule.ts'

/** Rules about which access points send a network, and the tunnels it goes through. */
export const scopeRules: readonly WlanRule[] = [
  {
    id: 'scope-empty',
    severity: 'error',
    view: 'M',
    fields: ['/apply_to', '/ap_ids', '/wxtag_ids'],
    message: 'no access point sends this network',
    why: 'an empty list of access points or tags applies nowhere',
    condition: '`apply_to` is aps and `ap_ids` is empty, or wxtags and `wxtag_ids` is empty',
    advice: 'name access points or tags; to park a WLAN use `enabled: false`',
    source: 'TWIN, open_guest (code); TFP docs',
    falseAlarms: 'low',
    check: wlan =>
      when(
        (wlan.is('/apply_to', 'aps') && wlan.empty('/ap_ids')) ||
          (wlan.is('/apply_to', 'wxtags') && wlan.empty('/wxtag_ids'))
      )
  },
  {
    id: 'tunnel-missing',
    severity: 'error',
    view: 'M',
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
    view: 'M',
    given: ['/ap_ids', '/wxtag_ids'],
    fields: ['/apply_to', '/ap_ids', '/wxtag_ids'],
    message: 'the declared list of access points is ignored',
    why: 'the network is sent by other access points than the list names',
    condition:
      '`ap_ids` is declared and `apply_to` is not aps, or `wxtag_ids` is declared and `apply_to` is not wxtags',
    advice: 'set `apply_to` to aps or wxtags, or remove the list',
    source: 'TFP docs, `ap_ids` and `wxtag_ids` (a check of the provider)',
    falseAlarms: 'low',
    check: wlan =>
      violationsOf(
        wlan.declares('/ap_ids') &&
          wlan.isOther('/apply_to', 'aps') && { fields: ['/ap_ids', '/apply_to'], subject: 'aps' },
        wlan.declares('/wxtag_ids') &&
          wlan.isOther('/apply_to', 'wxtags') && {
            message: 'the declared list of tags is ignored',
            fields: ['/wxtag_ids', '/apply_to'],
            subject: 'wxtags'
          }
      )
  },
  {
    id: 'tunnel-ignored',
    severity: 'warning',
    view: 'M',
    given: ['/mxtunnel_ids', '/mxtunnel_name', '/wxtunnel_id', '/disable_when_mxtunnel_down'],
    fields: ['/interface', '/mxtunnel_ids', '/mxtunnel_name', '/wxtunnel_id'],
    message: 'the declared tunnel is ignored: `interface` is another one',
    why: 'the traffic takes another way than the tunnel',
    condition:
      '`mxtunnel_ids`, `mxtunnel_name` or `wxtunnel_id` is declared and `interface` is another one; `disable_when_mxtunnel_down` is on and `interface` is neither mxtunnel nor site_mxedge',
    advice: 'set `interface` to the kind of the tunnel, or remove the tunnel',
    source: 'OAS `wlan_mxtunnel_ids`, `wlan_mxtunnel_name`, `wlan.wxtunnel_id` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      violationsOf(
        ...tunnels.map(
          ([field, kind]) =>
            wlan.declares(field) &&
            wlan.isOther('/interface', kind) && { fields: [field, '/interface'], subject: field }
        ),
        wlan.on('/disable_when_mxtunnel_down') &&
          wlan.isOther('/interface', 'mxtunnel', 'site_mxedge') && {
            message:
              '`disable_when_mxtunnel_down` has no effect: the traffic goes through no Mist tunnel',
            fields: ['/disable_when_mxtunnel_down', '/interface'],
            subject: 'down'
          }
      )
  }
]

/** The fields that name a tunnel, and the `interface` that uses them. */
const tunnels = [
  ['/mxtunnel_ids', 'mxtunnel'],
  ['/mxtunnel_name', 'site_mxedge'],
  ['/wxtunnel_id', 'wxtunnel']
] as const
