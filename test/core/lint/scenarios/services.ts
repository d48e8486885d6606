import {
  at,
  both,
  declared,
  eap,
  fields as f,
  live,
  psk,
  type Scenarios,
  secret
} from '../scenario.ts'

const bonjour = { 'bonjour.enabled': true, 'bonjour.services': { airplay: {} } }
const airwatch = {
  'airwatch.enabled': true,
  'airwatch.console_url': 'https://a.example',
  'airwatch.username': 'u',
  'airwatch.password': secret(),
  'airwatch.api_key': secret()
}
const hours = (mon: string) => f({ 'schedule.enabled': true, 'schedule.hours.mon': mon })
const option82 = (id: string) =>
  f({ 'inject_dhcp_option_82.enabled': true, 'inject_dhcp_option_82.circuit_id': id })

/** Scenarios of the rules about broadcasts, limits, schedules, admission and variables. */
export const serviceScenarios: Scenarios = {
  'bonjour-fights-broadcast': {
    breaks: [
      both(f({ ...bonjour, limit_bcast: false })),
      both({ allow_mdns: true }, f({ ...bonjour, limit_bcast: true }))
    ],
    passes: [
      both(f({ ...bonjour, limit_bcast: true, allow_mdns: false })),
      both({ allow_mdns: true }, f({ ...bonjour, allow_mdns: true })),
      declared(f({ 'bonjour.enabled': true, allow_mdns: true })),
      live(f({ ...bonjour, limit_bcast: false })),
      both({ limit_bcast: false })
    ]
  },
  'bonjour-empty': {
    breaks: [live(f({ 'bonjour.enabled': true })), at('warning', live(f(bonjour)))],
    passes: [
      live(f({ ...bonjour, 'bonjour.additional_vlan_ids': '10,20' })),
      live(f({ 'bonjour.enabled': false })),
      declared(f({ 'bonjour.enabled': true }))
    ]
  },
  'isolation-fights-l2': {
    breaks: [
      both({ isolation: true, l2_isolation: false }),
      at('error', both({ isolation: false, l2_isolation: true }))
    ],
    passes: [
      both({ isolation: true, l2_isolation: false }, { isolation: true, l2_isolation: false }),
      both({ isolation: true, l2_isolation: true }),
      both({ isolation: false, l2_isolation: true }, { isolation: false, l2_isolation: true }),
      declared({ isolation: true, l2_isolation: false }),
      declared({ isolation: false, l2_isolation: true }),
      both({ isolation: true }),
      live({ isolation: true, l2_isolation: false })
    ]
  },
  'broadcast-flags-ignored': {
    breaks: [
      both({ allow_mdns: true }),
      at('warning', both({ limit_bcast: true, allow_ipv6_ndp: false })),
      at('warning', both({ limit_bcast: false, allow_ssdp: true })),
      at('warning', live({ limit_bcast: true, allow_ipv6_ndp: false }))
    ],
    passes: [
      both({ allow_mdns: true, limit_bcast: true }),
      declared({ limit_bcast: true, allow_mdns: true }),
      live({ allow_mdns: true }),
      declared({ allow_ipv6_ndp: false })
    ]
  },
  'limit-not-enabled': {
    breaks: [
      both({ wlan_limit_up: 5000 }),
      both({ wlan_limit_up: 10000 }),
      both({ client_limit_down: '4000' }, { client_limit_down: 1000 }),
      at('error', live({ client_limit_down_enabled: true })),
      both(f({ 'app_limit.apps': { netflix: 60 } }))
    ],
    passes: [
      both({ wlan_limit_up: 10000 }, { wlan_limit_up: '10000' }),
      both({ client_limit_up: 700 }, { client_limit_up: 700 }),
      both(f({ 'app_limit.apps': { netflix: 60 } }), f({ 'app_limit.apps': { netflix: 60 } })),
      both({ wlan_limit_up: 5000, wlan_limit_up_enabled: true }),
      live({ wlan_limit_up: 5000 }),
      declared({ wlan_limit_up: 5000 }),
      live({ client_limit_down_enabled: true, client_limit_down: '{{limit}}' })
    ]
  },
  'limit-tiny': {
    breaks: [
      live({ client_limit_down: 20, client_limit_down_enabled: true }),
      declared({ client_limit_up: '100', client_limit_up_enabled: true }),
      at(
        'warning',
        live({
          client_limit_up: 5000,
          client_limit_up_enabled: true,
          wlan_limit_up: 4000,
          wlan_limit_up_enabled: true
        })
      )
    ],
    passes: [
      live({ client_limit_down: 256, client_limit_down_enabled: true }),
      live({ client_limit_down: 20 }),
      live({ client_limit_up: 5000, client_limit_up_enabled: true, wlan_limit_up: 4000 }),
      live({ client_limit_up: '{{limit}}', client_limit_up_enabled: true }),
      declared({ client_limit_up: 20 })
    ]
  },
  'one-client': {
    breaks: [live({ max_num_clients: 1 }), live({ max_idletime: 120, bands: ['24', '5'] })],
    passes: [
      live({ max_num_clients: 0 }),
      live({ max_num_clients: 5 }),
      live({ max_idletime: 120, bands: ['5'] }),
      live({ max_idletime: 120 }),
      live({ max_idletime: 300, bands: ['24'] })
    ]
  },
  'passpoint-needs-8021x': {
    breaks: [
      live(f({ ...psk, 'hotspot20.enabled': true, 'hotspot20.rcoi': ['5A03BA0000'] })),
      at('warning', live(f({ ...eap, 'hotspot20.enabled': true })))
    ],
    passes: [
      live(f({ ...eap, 'hotspot20.enabled': true, 'hotspot20.nai_realms': ['example.com'] })),
      live(f({ ...psk, 'hotspot20.enabled': false })),
      declared(f({ 'hotspot20.enabled': true }))
    ]
  },
  'eduroam-name': {
    breaks: [
      live(f({ ...eap, ssid: 'Eduroam' })),
      live(f({ ...psk, ssid: 'eduroam' })),
      declared(f({ ssid: 'eduroam', 'auth.type': 'open' }))
    ],
    passes: [
      live(f({ ...eap, ssid: 'eduroam' })),
      live(f({ ...psk, ssid: 'eduroam guests' })),
      declared({ ssid: 'eduroam' })
    ]
  },
  'ssid-mixed-scripts': {
    breaks: [live({ ssid: 'C\u043erp' }), declared({ ssid: 'C\u043erp', enabled: false })],
    passes: [live({ ssid: 'Corp' }), live({ ssid: '\u043a\u0430\u0444\u0435 24' })]
  },
  'bonjour-isolated': {
    breaks: [live(f({ ...bonjour, isolation: true }))],
    passes: [live(f(bonjour)), live({ isolation: true })]
  },
  'option82-unfit': {
    breaks: [live(option82('')), live(option82('{{AP_MACS}}:{{SSID}}'))],
    passes: [
      live(option82('{{AP_MAC}}:{{SSID}}')),
      live(option82('plain')),
      live(f({ 'inject_dhcp_option_82.enabled': false }))
    ]
  },
  'airwatch-incomplete': {
    breaks: [
      live(f({ 'airwatch.enabled': true })),
      live(f({ ...airwatch, 'airwatch.api_key': secret('') }))
    ],
    passes: [
      live(f(airwatch)),
      live(f({ 'airwatch.enabled': false })),
      declared(f({ 'airwatch.enabled': true }))
    ]
  },
  'schedule-unfit': {
    breaks: [
      live(hours('25:00-29:59')),
      live(hours('08:00-08:00')),
      live(hours('24:00-08:00')),
      at('warning', live(hours('22:00-06:00'))),
      at('warning', live(f({ 'schedule.enabled': true })))
    ],
    passes: [
      live(hours('08:00-20:00')),
      live(hours('00:00-24:00')),
      live(f({ 'schedule.enabled': false, 'schedule.hours.mon': '25:00-29:59' })),
      declared(f({ 'schedule.enabled': true }))
    ]
  },
  'schedule-not-enabled': {
    breaks: [both(f({ 'schedule.hours.mon': '08:00-20:00' }))],
    passes: [
      both(hours('08:00-20:00')),
      live(f({ 'schedule.hours.mon': '08:00-20:00' })),
      declared(f({ 'schedule.hours.mon': '08:00-20:00' }))
    ]
  },
  'variable-misspelt': {
    breaks: [
      live({ ssid: 'Store {{site name}}' }),
      declared({ vlan_id: '{{vlan}' }),
      declared(f({ 'portal.forward_url': 'https://{{my-host}}/' })),
      declared({ auth_servers: [{ host: '{{ }}' }] }),
      both({ isolation: '{{isolate}}' })
    ],
    passes: [
      live({ ssid: 'Store {{site_name}}' }),
      declared(f({ 'portal.smsMessageFormat': 'Code {{code-1}}' })),
      declared({ vlan_id: '{{ vlan_1 }}' }),
      declared(f({ 'auth.psk': secret('{{not a variable') }))
    ]
  }
}
