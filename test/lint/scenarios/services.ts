import { at, both, declared, fields as f, live, type Scenarios, secret } from '../scenario.ts'

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
      declared(f({ 'bonjour.enabled': true, allow_mdns: true }))
    ],
    passes: [
      both(f({ ...bonjour, limit_bcast: true, allow_mdns: false })),
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
      declared({ isolation: true, l2_isolation: false }),
      both({ isolation: true, l2_isolation: false }),
      at('error', both({ isolation: false, l2_isolation: true }))
    ],
    passes: [
      both({ isolation: true, l2_isolation: false }, { isolation: true, l2_isolation: false }),
      both({ isolation: true, l2_isolation: true }),
      both({ isolation: true }),
      live({ isolation: true, l2_isolation: false })
    ]
  },
  'broadcast-flags-ignored': {
    breaks: [
      both({ allow_mdns: true }),
      at('warning', both({ limit_bcast: true, allow_ipv6_ndp: false }))
    ],
    passes: [
      both({ allow_mdns: true, limit_bcast: true }),
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
      both({ wlan_limit_up: 5000, wlan_limit_up_enabled: true }),
      live({ wlan_limit_up: 5000 }),
      declared({ wlan_limit_up: 5000 }),
      live({ client_limit_down_enabled: true, client_limit_down: '{{limit}}' })
    ]
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
