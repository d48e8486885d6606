import {
  at,
  both,
  declared,
  eap,
  fields as f,
  fleet,
  hidden,
  live,
  psk,
  resolvedSecret,
  type Scenarios,
  secret,
  site,
  unresolved
} from '../scenario.ts'

const AP = '11111111-1111-4111-8111-111111111111'
const OTHER_AP = '33333333-3333-4333-8333-333333333333'
const wide = { apply_to: 'site', vlan_enabled: true, vlan_id: 20 }
const corp = live(f({ ...eap, ...wide, ssid: 'Corp' }))
const onAp = (ap: string) =>
  live(f({ ...eap, ...wide, ssid: 'Corp', apply_to: 'aps', ap_ids: [ap] }))
const networks = (count: number, fields: object = {}) =>
  site(
    ...Array.from({ length: count }, (_, n) =>
      live(f({ ...psk, ...wide, ssid: `Net ${n}`, bands: ['5'], ...fields }))
    )
  )
const staffIn = (range: string) =>
  live(
    f({
      ...eap,
      ...wide,
      'dynamic_vlan.enabled': true,
      'dynamic_vlan.default_vlan_ids': [range]
    })
  )
const psked = (ssid: string) => f({ ...psk, ssid })
const named = (ssid: string) => live(f({ ...eap, ssid }))

/** Scenarios of the rules about the WLANs of a site and of a fleet. */
export const relationScenarios: Scenarios = {
  'duplicate-ssid': {
    breaks: [
      site(corp, corp),
      site(corp, onAp(AP)),
      site(onAp(AP), corp),
      site(onAp(AP), onAp(AP)),
      at('error', site(corp, live(f({ ...psk, ...wide, ssid: 'Corp' })))),
      at('error', site(corp, corp, live(f({ ...eap, ...wide, vlan_id: 30, ssid: 'Corp' }))))
    ],
    passes: [
      site(corp, live(f({ ...eap, ...wide, ssid: 'corp' }))),
      site(onAp(AP), onAp(OTHER_AP)),
      site(corp, live(f({ ...psk, ...wide, ssid: 'Corp', enabled: false }))),
      site(
        live(f({ ...eap, ...wide, ssid: 'Corp', bands: ['24'] })),
        live(f({ ...psk, ...wide, ssid: 'Corp', bands: ['5'] }))
      ),
      site(corp, live(f({ ...psk, ...wide, ssid: 'Corp', apply_to: 'wxtags', wxtag_ids: [AP] }))),
      fleet(corp, corp)
    ]
  },
  'key-shared': {
    breaks: [
      site(live(f({ ...psk, ssid: 'A' })), live(f({ ...psk, ssid: 'B' }))),
      site(
        both(f({ 'auth.psk': unresolved }), psked('A')),
        both(f({ 'auth.psk': unresolved }), psked('B'))
      ),
      fleet(live(psked('A')), live(psked('B'))),
      fleet(
        declared({ ...psked('A'), auth: { type: 'psk', psk: unresolved } }),
        declared({ ...psked('B'), auth: { type: 'psk', psk: unresolved } })
      )
    ],
    passes: [
      site(live(f({ ...psk, ssid: 'A' })), live(f({ ...psk, ssid: 'A' }))),
      fleet(live(psked('A')), live(psked('A')), live(f({ ...psked('B'), 'auth.psk': hidden }))),
      fleet(live(psked('A')), live(f({ ...psked('B'), 'auth.multi_psk_only': true }))),
      site(live(psked('A')), live(f({ ...psked('B'), 'auth.psk': secret('hush-another') }))),
      site(
        live(f({ ...psk, ssid: 'A', 'auth.psk': hidden })),
        live(f({ ...psk, ssid: 'B', 'auth.psk': hidden }))
      ),
      site(live(psked('A')), live(f({ ...psked('B'), 'auth.type': 'open' })))
    ]
  },
  'guest-shares-vlan': {
    breaks: [
      site(corp, live({ ...wide, ssid: 'Guest' })),
      site(
        live(
          f({ ...eap, ...wide, 'dynamic_vlan.enabled': true, 'dynamic_vlan.vlans': { '40': 'x' } })
        ),
        live(f({ ...psk, 'portal.enabled': true, vlan_enabled: true, vlan_id: '40' }))
      ),
      site(staffIn('35-45'), live({ ...wide, vlan_id: 40 }))
    ],
    passes: [
      site(corp, live({ ...wide, vlan_id: 40 })),
      site(staffIn('41-45'), live({ ...wide, vlan_id: 40 })),
      site(staffIn('45-35'), live({ ...wide, vlan_id: 40 })),
      site(corp, live({ ...wide, interface: 'mxtunnel' })),
      site(corp, live({ ...wide, vlan_id: '{{guest}}' })),
      site(corp, live(f({ ...psk, ...wide }))),
      fleet(corp, live(wide))
    ]
  },
  'too-many-ssids': {
    breaks: [
      networks(5),
      at('error', networks(16)),
      site(networks(4), live(f({ ...psk, ...wide, ssid: 'X', apply_to: 'aps', ap_ids: [AP] })))
    ],
    passes: [
      networks(4),
      networks(9, { enabled: false }),
      networks(9, { apply_to: 'wxtags' }),
      site(networks(4), networks(4, { bands: ['24'] }))
    ]
  },
  'same-ssid-other-security': {
    breaks: [
      fleet(corp, corp, live(f({ ...psk, ssid: 'Corp' }))),
      fleet(
        ...['A', 'A', 'B'].map(name =>
          both(
            f({ ssid: 'Tills', 'auth.type': 'psk', 'auth.psk': resolvedSecret('hush-hush', name) })
          )
        )
      )
    ],
    passes: [
      fleet(corp, corp, live(f({ ...psk, ssid: 'Other' }))),
      fleet(corp, live(f({ ...eap, ssid: 'Corp', 'auth.pairwise': ['wpa2-ccmp'] }))),
      fleet(corp, live(f({ ...psk, ssid: 'Corp', enabled: false }))),
      fleet(
        ...['A', 'B', 'C'].map(name =>
          both(
            f({ ssid: 'Tills', 'auth.type': 'psk', 'auth.psk': resolvedSecret('hush-hush', name) })
          )
        )
      )
    ]
  },
  'ssid-lookalike': {
    breaks: [
      fleet(named('Corp'), named('Corp'), named('corp')),
      site(named('Free WiFi'), named('FreeWiFi')),
      fleet(named('COP'), named('\u0421\u041e\u0420')),
      live(f({ ...eap, ssid: 'Corp ' }))
    ],
    passes: [
      fleet(named('Corp'), named('Corp')),
      fleet(named('Tills 1'), named('Tills 2')),
      fleet(named('Mail'), named('Mall')),
      fleet(named('Corp'), named('C\u043erp'))
    ]
  }
}
