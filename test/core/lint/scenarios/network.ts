import {
  at,
  both,
  declared,
  eap,
  fields as f,
  live,
  psk,
  type Scenarios,
  secret,
  server
} from '../scenario.ts'

const AP = '11111111-1111-4111-8111-111111111111'
const tagged = { vlan_enabled: true, vlan_id: 20 }
const dynamic = { 'dynamic_vlan.enabled': true }
const tunnel = '22222222-2222-4222-8222-222222222222'
const rates = (band: string, members: object) => ({ rateset: { [band]: members as never } })

/** Scenarios of the rules about VLANs, scope, tunnels, rates and radios. */
export const networkScenarios: Scenarios = {
  'vlan-enabled-without-vlan': {
    breaks: [
      live({ vlan_enabled: true }),
      live({ vlan_enabled: true, vlan_ids: ['10'] }),
      declared(
        f({ vlan_enabled: true, vlan_id: null, vlan_pooling: false, 'dynamic_vlan.enabled': false })
      )
    ],
    passes: [
      live(tagged),
      live({ vlan_enabled: true, vlan_id: '{{vlan}}' }),
      live({ vlan_enabled: true, vlan_pooling: true, vlan_ids: '10,20' }),
      live(f({ vlan_enabled: true, ...dynamic, 'dynamic_vlan.default_vlan_ids': [7] })),
      declared({ vlan_enabled: true })
    ]
  },
  'guest-traffic-untagged': {
    breaks: [live({}), live(f({ ...psk, 'portal.enabled': true }))],
    passes: [
      live(tagged),
      live(f(psk)),
      live({ interface: 'mxtunnel' }),
      live({ enabled: false }),
      declared(f({ 'auth.type': 'open', vlan_enabled: false }))
    ]
  },
  'dynamic-vlan-not-tagged': {
    breaks: [live(f({ ...eap, ...dynamic }))],
    passes: [live(f({ ...eap, ...dynamic, ...tagged })), live(f({ 'dynamic_vlan.enabled': false }))]
  },
  'pool-not-tagged': {
    breaks: [live({ vlan_pooling: true, vlan_ids: '10' })],
    passes: [live({ vlan_pooling: true, vlan_ids: '10', vlan_enabled: true })]
  },
  'dynamic-vlan-without-identity': {
    breaks: [live(f({ ...psk, ...tagged, ...dynamic }))],
    passes: [
      live(f({ ...eap, ...tagged, ...dynamic })),
      live(
        f({ ...psk, ...tagged, ...dynamic, 'auth.enable_mac_auth': true, auth_servers: [server] })
      ),
      live(
        f({ ...psk, ...tagged, ...dynamic, 'dynamic_psk.enabled': true, auth_servers: [server] })
      ),
      live(f({ ...psk, 'dynamic_vlan.enabled': false }))
    ]
  },
  'airespace-names-unmapped': {
    breaks: [
      live(f({ ...eap, ...tagged, ...dynamic, 'dynamic_vlan.type': 'airespace-interface-name' }))
    ],
    passes: [
      live(f({ ...eap, ...tagged, ...dynamic })),
      live(
        f({
          ...eap,
          ...tagged,
          ...dynamic,
          'dynamic_vlan.type': 'airespace-interface-name',
          'dynamic_vlan.vlans': { '20': 'staff' }
        })
      ),
      declared(f({ 'dynamic_vlan.enabled': true, 'dynamic_vlan.type': 'airespace-interface-name' }))
    ]
  },
  'pool-without-vlans': {
    breaks: [
      live({ vlan_enabled: true, vlan_pooling: true }),
      declared({ vlan_pooling: true, vlan_ids: [] })
    ],
    passes: [
      live({ vlan_enabled: true, vlan_pooling: true, vlan_ids: '{{pool}}' }),
      declared({ vlan_pooling: true })
    ]
  },
  'vlan-out-of-range': {
    breaks: [
      live({ vlan_ids: '10,5000' }),
      live({ vlan_ids: '{{more}},5000' }),
      live(f({ 'bonjour.additional_vlan_ids': '9999' })),
      live(f({ 'dynamic_vlan.default_vlan_ids': ['20-10'] })),
      live(f({ 'dynamic_vlan.vlans': { x: 'a' } })),
      live(f({ 'dynamic_psk.default_vlan_id': 0 })),
      declared({ vlan_ids: ['10-20'] }),
      at('warning', live({ vlan_ids: [10, '10'] }))
    ],
    passes: [
      live({ vlan_ids: '10, 20,{{more}}' }),
      live(
        f({
          'dynamic_vlan.default_vlan_ids': ['10-20', '999'],
          'dynamic_vlan.vlans': { '31': 'a' }
        })
      ),
      live({ vlan_ids: '{{a}},{{a}}' })
    ]
  },
  'vlan-one': {
    breaks: [
      live({ vlan_enabled: true, vlan_id: '1' }),
      live({ vlan_enabled: true, vlan_pooling: true, vlan_ids: '1,2' }),
      live(f({ ...eap, ...tagged, ...dynamic, 'dynamic_vlan.default_vlan_ids': [1] })),
      live(f({ ...eap, ...tagged, ...dynamic, 'dynamic_vlan.default_vlan_ids': ['1-9'] }))
    ],
    passes: [
      live(tagged),
      live({ vlan_id: 1 }),
      live({ ...tagged, vlan_ids: '1,2' }),
      live(f({ ...eap, ...tagged, ...dynamic, 'dynamic_vlan.default_vlan_ids': ['10-19'] }))
    ]
  },
  'vlan-not-enabled': {
    breaks: [both({ vlan_id: 20 }), declared({ vlan_ids: '10,20', vlan_pooling: false })],
    passes: [
      both(tagged),
      live({ vlan_id: 20 }),
      declared({ vlan_id: 20 }),
      both({ vlan_id: '{{x}}' })
    ]
  },
  'scope-empty': {
    breaks: [live({ apply_to: 'aps' }), live({ apply_to: 'wxtags', wxtag_ids: [] })],
    passes: [
      live({ apply_to: 'aps', ap_ids: [AP] }),
      live({ apply_to: 'site' }),
      declared({ apply_to: 'aps' })
    ]
  },
  'tunnel-missing': {
    breaks: [
      live({ interface: 'mxtunnel' }),
      live({ interface: 'wxtunnel', wxtunnel_id: '' }),
      at('warning', live({ interface: 'site_mxedge' }))
    ],
    passes: [
      live({ interface: 'mxtunnel', mxtunnel_ids: [tunnel] }),
      live({ interface: 'site_mxedge', mxtunnel_name: ['default'] }),
      live({ interface: 'all' }),
      declared({ interface: 'mxtunnel' })
    ]
  },
  'scope-ignored': {
    breaks: [
      both({ ap_ids: [AP] }, { apply_to: 'site' }),
      declared({ wxtag_ids: [AP], apply_to: 'site' })
    ],
    passes: [
      both({ ap_ids: [AP], apply_to: 'aps' }),
      both({ ap_ids: [] }, { apply_to: 'site' }),
      live({ ap_ids: [AP], apply_to: 'site' })
    ]
  },
  'tunnel-ignored': {
    breaks: [
      both({ mxtunnel_ids: [tunnel] }),
      both({ mxtunnel_name: ['default'] }, { interface: 'mxtunnel' }),
      live({ disable_when_mxtunnel_down: true })
    ],
    passes: [
      both({ mxtunnel_ids: [tunnel], interface: 'mxtunnel' }),
      live({ mxtunnel_ids: [tunnel] }),
      live({ disable_when_mxtunnel_down: true, interface: 'site_mxedge', mxtunnel_name: ['a'] })
    ]
  },
  'rates-not-custom': {
    breaks: [
      live(rates('24', { legacy: ['12b'] })),
      live(rates('5', { template: 'no-legacy', vht: '00ff00ff00ff00ff' }))
    ],
    passes: [
      live(rates('24', { template: 'custom', legacy: ['12b'] })),
      live(rates('24', { template: 'no-legacy' })),
      declared(rates('24', { legacy: ['12b'] }))
    ]
  },
  'rates-without-basic': {
    breaks: [
      live(rates('24', { template: 'custom', legacy: ['12', '24'] })),
      live(rates('5', { template: 'custom' }))
    ],
    passes: [
      live(rates('24', { template: 'custom', legacy: ['12b', '24'] })),
      live(rates('24', { template: 'no-legacy', legacy: ['12'] })),
      declared(rates('5', { template: 'custom' }))
    ]
  },
  'rates-of-another-band': {
    breaks: [
      live(rates('5', { legacy: ['11b'] })),
      declared(rates('6', { template: 'legacy-only' }))
    ],
    passes: [live(rates('24', { legacy: ['11b'] })), live(rates('5', { legacy: ['12b', '24'] }))]
  },
  'rates-mask-unfit': {
    breaks: [
      live(rates('5', { ht: '00ff0' })),
      live(rates('5', { he: 'zzzz' })),
      live(rates('5', { vht: '0'.repeat(20) }))
    ],
    passes: [live(rates('5', { ht: '00ff00FF', vht: null, he: '' }))]
  },
  'rates-of-a-band-that-is-off': {
    breaks: [both(rates('6', { template: 'no-legacy' }), { bands: ['24', '5'] })],
    passes: [
      both(rates('5', { template: 'no-legacy' }), { bands: ['24', '5-dedicated'] }),
      both(rates('6', { template: 'no-legacy' })),
      both(rates('6', { template: 'no-legacy' }), {
        ...rates('6', { template: 'no-legacy' }),
        bands: ['5']
      }),
      live({ ...rates('6', { template: 'no-legacy' }), bands: ['5'] })
    ]
  },
  'signal-unfit': {
    breaks: [
      live(rates('24', { min_rssi: 10 })),
      live(rates('5', { min_rssi: -101 })),
      at('warning', live(rates('5', { min_rssi: -60 })))
    ],
    passes: [live(rates('24', { min_rssi: -70 })), live(rates('24', { min_rssi: 0 })), live({})]
  },
  'slow-rates': {
    breaks: [
      live({ bands: ['24'] }),
      live({ bands: ['24', '5'], ...rates('24', { template: 'legacy-only' }) })
    ],
    passes: [
      live({ bands: ['24'], ...rates('24', { template: 'no-legacy' }) }),
      live({ bands: ['5'] }),
      live({}),
      declared({ bands: ['24'] })
    ]
  },
  'multimedia-off': {
    breaks: [live({ disable_wmm: true }), at('error', live({ bands: ['6'], disable_11ax: true }))],
    passes: [
      live({ disable_wmm: true, disable_ht_vht_rates: true }),
      live({ bands: ['5', '6'], disable_11ax: true }),
      declared({ disable_wmm: true })
    ]
  },
  'band-steer-alone': {
    breaks: [
      live({ band_steer: true, bands: ['5'] }),
      at('error', live({ band_steer_force_band5: true, bands: ['24'] }))
    ],
    passes: [
      live({ band_steer: true, bands: ['24', '5-selectable'] }),
      live({ band_steer: true }),
      declared({ band_steer: true })
    ]
  },
  'dtim-unfit': {
    breaks: [
      live({ dtim: 0 }),
      live({ dtim: 256 }),
      at('warning', live({ dtim: 11, enabled: false }))
    ],
    passes: [live({ dtim: 1 }), live({ dtim: 10 }), live({})]
  },
  'open-without-isolation': {
    breaks: [
      live({ ...tagged, apply_to: 'site' }),
      live({ ...tagged, apply_to: 'aps', ap_ids: [AP] }),
      declared(f({ enabled: true, 'auth.type': 'open', isolation: false, apply_to: 'site' }))
    ],
    passes: [
      live({ ...tagged, apply_to: 'site', isolation: true }),
      live({ ...tagged, apply_to: 'aps' }),
      live(f({ ...psk, apply_to: 'site' })),
      live(f({ 'auth.psk': secret() })),
      live({ enabled: false, apply_to: 'site' })
    ]
  }
}
