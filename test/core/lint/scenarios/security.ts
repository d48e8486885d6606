import {
  at,
  both,
  CANARY,
  declared,
  eap,
  fields as f,
  hidden,
  live,
  psk,
  resolvedSecret,
  type Scenarios,
  secret,
  server,
  unresolved
} from '../scenario.ts'

/** A live value of one repeated character may be a mask. */
const tenDigits = (digit: string) => secret(`${digit}${'0'.repeat(9)}`)

/** Scenarios of the rules about authentication, encryption, keys and hardening. */
export const securityScenarios: Scenarios = {
  'eap-without-servers': {
    breaks: [
      live(f({ 'auth.type': 'eap' })),
      live(f({ 'auth.type': 'eap192', auth_servers: [], 'radsec.enabled': true })),
      declared(
        f({
          'auth.type': 'eap',
          auth_servers: [],
          'mist_nac.enabled': false,
          'radsec.enabled': false
        })
      )
    ],
    passes: [
      live(f(eap)),
      live(f({ 'auth.type': 'eap', 'mist_nac.enabled': true })),
      live(f({ 'auth.type': 'eap', 'radsec.enabled': true, 'radsec.use_mxedge': true })),
      live(f({ 'auth.type': 'eap', enabled: false })),
      live(f({ 'auth.type': 'psk', 'auth.psk': secret() })),
      declared(f({ 'auth.type': 'eap' }))
    ]
  },
  'psk-missing': {
    breaks: [
      live(f({ 'auth.type': 'psk', 'auth.psk': secret('') })),
      live(f({ 'auth.type': 'psk-tkip' })),
      both(f({ 'auth.type': 'psk' }), f({ 'auth.type': 'open' })),
      both(f({ 'auth.type': 'psk' }), { ...f({ 'auth.type': 'open' }), portal_api_secret: null })
    ],
    passes: [
      live(f(psk)),
      live(f({ 'auth.type': 'psk', 'auth.psk': hidden })),
      live(f({ 'auth.type': 'psk', 'auth.multi_psk_only': true })),
      live(f({ 'auth.type': 'psk', 'dynamic_psk.enabled': true })),
      live({ portal_api_secret: null, auth: { type: 'psk', psk: secret('') } }),
      both(f({ 'auth.psk': unresolved }), f({ 'auth.type': 'psk' })),
      both(f({ 'auth.type': 'psk' }), { ...f({ 'auth.type': 'psk' }), portal_api_secret: null }),
      declared(f({ 'auth.type': 'psk' }))
    ]
  },
  'mac-auth-without-servers': {
    breaks: [live(f({ 'auth.enable_mac_auth': true }))],
    passes: [live(f({ 'auth.enable_mac_auth': true, auth_servers: [server] })), live({})]
  },
  'dynamic-psk-without-servers': {
    breaks: [live(f({ ...psk, 'dynamic_psk.enabled': true }))],
    passes: [
      live(f({ ...psk, 'dynamic_psk.enabled': true, 'dynamic_psk.source': 'cloud_psks' })),
      live(f({ ...psk, 'dynamic_psk.enabled': true, auth_servers: [server] })),
      live(f({ ...psk, 'dynamic_psk.enabled': false }))
    ]
  },
  'roaming-without-keys': {
    breaks: [
      live({ roam_mode: '11r' }),
      live(f({ ...psk, roam_mode: 'okc' })),
      live(f({ ...psk, legacy_overds: true })),
      live(f({ ...psk, 'dynamic_psk.enabled': true, 'dynamic_psk.force_lookup': true }))
    ],
    passes: [
      live(f({ ...psk, roam_mode: '11r', legacy_overds: true })),
      live(f({ ...eap, roam_mode: 'OKC' })),
      live(f({ 'auth.owe': 'required', roam_mode: '11r' })),
      live({ roam_mode: 'none' })
    ]
  },
  'psk-options-ignored': {
    breaks: [
      live(f({ ...eap, 'auth.multi_psk_only': true })),
      live(f({ ...psk, 'auth.private_wlan': true })),
      at('error', live(f({ ...eap, 'dynamic_psk.enabled': true }))),
      both(
        f({ 'auth.psk': resolvedSecret('hush-another') }),
        f({ ...psk, 'dynamic_psk.enabled': true })
      ),
      both(f({ 'auth.multi_psk_only': true }), f({ ...psk, 'dynamic_psk.enabled': true }))
    ],
    passes: [
      live(f({ ...psk, 'auth.multi_psk_only': true, 'auth.private_wlan': true })),
      live(f({ ...psk, 'dynamic_psk.enabled': true })),
      both(f({ 'auth.psk': resolvedSecret() }), f({ ...psk, 'dynamic_psk.enabled': true })),
      both(f({ 'auth.psk': unresolved }), f({ ...psk, 'dynamic_psk.enabled': true }))
    ]
  },
  'eap-options-ignored': {
    breaks: [
      live(f({ ...psk, 'auth.eap_reauth': true })),
      live({ fast_dot1x_timers: true }),
      both({ auth_server_selection: 'unordered' }, f(psk))
    ],
    passes: [
      live(f({ ...eap, 'auth.eap_reauth': true })),
      live(f({ ...psk, 'auth.enable_mac_auth': true, fast_dot1x_timers: true })),
      both({ auth_server_selection: 'ordered' }, f(psk))
    ]
  },
  'six-ghz-unsafe': {
    breaks: [
      live(f({ ...psk, bands: ['5', '6'] })),
      live({ bands: ['24', '6-selectable'] }),
      at('error', live(f({ ...psk, bands: ['6-dedicated'] }))),
      at('error', live({ bands: ['6'] })),
      both({ bands: ['5', '6'] }, f({ 'auth.type': 'wep', bands: ['5'] }))
    ],
    passes: [
      live(f({ ...psk, 'auth.pairwise': ['wpa3'], bands: ['5', '6'] })),
      live(f({ 'auth.owe': 'required', bands: ['6'] })),
      live(f({ ...psk, bands: ['24', '5'] })),
      live(f(psk)),
      declared(f({ 'auth.type': 'psk', bands: ['6'] }))
    ]
  },
  'owe-transition-on-6': {
    breaks: [live(f({ 'auth.owe': 'enabled', bands: ['6'] }))],
    passes: [
      live(f({ 'auth.owe': 'required', bands: ['6'] })),
      live(f({ 'auth.owe': 'enabled', bands: ['5', '6'] })),
      live(f({ ...psk, 'auth.owe': 'enabled', bands: ['6'] })),
      live(f({ 'auth.owe': 'enabled' }))
    ]
  },
  'six-ghz-alone': {
    breaks: [live({ bands: ['6'] }), declared({ bands: ['6-dedicated'] })],
    passes: [live({ bands: ['5', '6'] }), live({}), declared({ bands: ['{{band}}'] })]
  },
  'six-ghz-hidden': {
    breaks: [live({ hide_ssid: true, bands: ['5', '6'] })],
    passes: [
      live({ hide_ssid: true, bands: ['5'] }),
      live({ bands: ['6'] }),
      live({ hide_ssid: true })
    ]
  },
  'wifi7-wpa2': {
    breaks: [live(f({ ...psk, disable_11be: false })), both({ disable_11be: false }, f(eap))],
    passes: [
      live(f(psk)),
      live(f({ ...psk, disable_11be: true })),
      live(f({ ...psk, disable_11be: false, 'auth.pairwise': ['wpa2-ccmp', 'wpa3'] })),
      live({ disable_11be: false })
    ]
  },
  'open-goes-on-the-air': {
    breaks: [
      both({ enabled: true }, { enabled: false }),
      both(f({ 'auth.type': 'open' }), f(psk)),
      both(f({ 'portal.enabled': false }), f({ 'portal.enabled': true })),
      both(f({ 'auth.owe': 'enabled' }), f({ 'auth.owe': 'required' }))
    ],
    passes: [
      both(f({ enabled: true, 'portal.enabled': true }), { enabled: false }),
      both({ isolation: true }, {}),
      live({}),
      declared(f({ enabled: true, 'auth.type': 'open' })),
      both(f({ 'auth.type': 'open', enabled: false }), f(psk))
    ]
  },
  'wep-keys-unfit': {
    breaks: [
      live(f({ 'auth.type': 'wep', 'auth.keys': [] })),
      live(f({ 'auth.type': 'wep', 'auth.keys': [secret('hush')] })),
      live(f({ 'auth.type': 'wep', 'auth.keys': [tenDigits('a'), secret(`b${'0'.repeat(25)}`)] })),
      live(f({ 'auth.type': 'wep', 'auth.keys': [tenDigits('a')], 'auth.key_idx': 2 })),
      declared(f({ 'auth.type': 'wep', 'auth.keys': ['1', '2', '3', '4', '5'].map(tenDigits) })),
      live(f({ enabled: false, 'auth.type': 'wep', 'auth.keys': [] })),
      both(f({ 'auth.type': 'wep' }), { portal_api_secret: null })
    ],
    passes: [
      live(f({ 'auth.type': 'wep', 'auth.keys': [tenDigits('a'), null, tenDigits('b')] })),
      live(f({ 'auth.type': 'wep', 'auth.keys': [hidden] })),
      declared(f({ 'auth.type': 'wep', 'auth.keys': [unresolved], 'auth.key_idx': 1 })),
      live(f({ 'auth.keys': [secret('hush')] }))
    ]
  },
  'broken-cipher': {
    breaks: [
      live(f({ 'auth.type': 'wep' })),
      live(f({ ...psk, 'auth.pairwise': ['wpa2-ccmp', 'wpa2-tkip'] })),
      live(f({ ...psk, 'auth.wep_as_secondary_auth': true })),
      at('error', both(f({ 'auth.type': 'psk-tkip' }), f(psk))),
      both({ dtim: 3 }, f({ ...psk, 'auth.type': 'psk-tkip' })),
      declared(f({ 'auth.type': 'psk-wpa2-tkip' }))
    ],
    passes: [
      live(f(psk)),
      live(f({ 'auth.pairwise': ['wpa1-tkip'] })),
      live(f({ 'auth.type': 'wep', enabled: false }))
    ]
  },
  'owe-ignored': {
    breaks: [
      both(f({ 'auth.owe': 'required' }), f(psk)),
      declared(f({ 'auth.type': 'psk', 'auth.owe': 'enabled' }))
    ],
    passes: [
      both(f({ 'auth.owe': 'required' })),
      both(f({ 'auth.owe': 'disabled' }), f(psk)),
      live(f({ ...psk, 'auth.owe': 'required' }))
    ]
  },
  'pairwise-ignored': {
    breaks: [
      both(f({ 'auth.pairwise': ['wpa3'] })),
      declared(f({ 'auth.type': 'wep', 'auth.pairwise': ['wpa3'] }))
    ],
    passes: [
      both(f({ 'auth.pairwise': ['wpa2-ccmp'] })),
      both(f({ 'auth.pairwise': ['wpa3'] }), f(psk)),
      both(f({ 'auth.pairwise': ['wpa3'], 'auth.owe': 'required' })),
      live(f({ 'auth.pairwise': ['wpa3'] }))
    ]
  },
  'dynamic-psk-wpa3': {
    breaks: [
      live(
        f({
          ...psk,
          'dynamic_psk.enabled': true,
          'dynamic_psk.source': 'cloud_psks',
          'auth.pairwise': ['wpa2-ccmp', 'wpa3']
        })
      ),
      at('error', live(f({ ...psk, 'auth.multi_psk_only': true, 'auth.pairwise': ['wpa3'] })))
    ],
    passes: [
      live(f({ ...psk, 'dynamic_psk.enabled': true, 'auth.pairwise': ['wpa3'] })),
      live(f({ ...psk, 'dynamic_psk.enabled': true, 'dynamic_psk.source': 'cloud_psks' })),
      live(f({ ...psk, 'auth.multi_psk_only': true })),
      live(f({ ...psk, 'auth.pairwise': ['wpa3'] }))
    ]
  },
  'wpa3-options-ignored': {
    breaks: [
      both(f({ 'auth.anticlog_threshold': 20 }), f(psk)),
      live(f({ ...psk, 'auth.enable_gcmp256': true })),
      live(f({ 'auth.enable_beacon_protection': true }))
    ],
    passes: [
      live(f({ ...psk, 'auth.pairwise': ['wpa3'], 'auth.enable_gcmp256': true })),
      live(f({ 'auth.owe': 'required', 'auth.enable_beacon_protection': true })),
      live(f({ ...eap, 'auth.type': 'eap192', 'auth.enable_gcmp256': true })),
      live(f({ ...psk, 'auth.anticlog_threshold': 20 }))
    ]
  },
  'eap192-mixed': {
    breaks: [
      both(f({ 'auth.pairwise': ['wpa2-ccmp', 'wpa3'] }), f({ ...eap, 'auth.type': 'eap192' })),
      live(f({ ...eap, 'auth.type': 'eap192', 'auth.pairwise': ['wpa2-ccmp'] })),
      live(f({ ...eap, 'auth.type': 'eap192', roam_mode: 'OKC' }))
    ],
    passes: [
      both(f({ 'auth.pairwise': ['wpa3'] }), f({ ...eap, 'auth.type': 'eap192' })),
      both(f({ 'auth.pairwise': ['wpa2-ccmp'] }), f({ ...eap, 'auth.type': 'eap192' })),
      live(f({ ...eap, roam_mode: 'OKC' }))
    ]
  },
  'weak-key': {
    breaks: [
      live({ ssid: 'Coffee', ...f({ 'auth.type': 'psk', 'auth.psk': secret('my-COFFEE-key') }) }),
      live(f({ 'auth.psk': secret('20261122') })),
      declared(f({ 'auth.psk': resolvedSecret('zzzzzzzz') })),
      live(f({ 'portal.password': secret('Password1') })),
      declared(f({ 'dynamic_psk.default_psk': resolvedSecret('letmein123') }))
    ],
    passes: [
      live(f(psk)),
      live({ ssid: 'a', ...f({ 'auth.psk': secret('hush-a-7-b') }) }),
      declared(f({ 'auth.psk': unresolved })),
      live(f({ 'auth.psk': hidden }))
    ]
  },
  'key-with-blank': {
    breaks: [
      live(f({ 'auth.type': 'psk', 'auth.psk': secret(`${CANARY} `) })),
      declared(f({ 'auth.psk': resolvedSecret(` ${CANARY}`) })),
      declared(f({ 'portal.password': resolvedSecret(` ${CANARY}`) }))
    ],
    passes: [
      live(f(psk)),
      declared(f({ 'auth.psk': resolvedSecret('hush and more and more') })),
      declared(f({ 'auth.psk': unresolved })),
      live(f({ 'auth.psk': hidden }))
    ]
  },
  'hardening-locks-out': {
    breaks: [
      both({ no_static_ip: true }),
      both({ max_num_clients: 20 }),
      both({ max_num_clients: 20 }, { max_num_clients: 30 }),
      both(f({ 'auth.pairwise': ['wpa3'] }), f(psk)),
      both(f({ 'auth.pairwise': ['wpa3'] }), f({ 'auth.pairwise': ['wpa2-ccmp', 'wpa3'] })),
      both(f({ 'auth.owe': 'required' })),
      both(f({ 'auth.owe': 'required' }), f({ 'auth.owe': 'enabled' })),
      both(
        { disable_message_authenticator_check: false },
        { disable_message_authenticator_check: true }
      ),
      both({ auth_servers: [{ host: '10.0.0.5', require_message_authenticator: true }] }, f(eap)),
      both(f({ 'auth.enable_mac_auth': true }), f(eap)),
      both(f({ 'mist_nac.enabled': true }), f(eap)),
      both(f({ 'radsec.enabled': true }), f(eap)),
      both(f({ 'portal.enabled': true })),
      both(f({ 'airwatch.enabled': true }))
    ],
    passes: [
      both({ no_static_ip: true }, { no_static_ip: true }),
      both(f({ 'portal.enabled': true }), f(psk)),
      both({ max_num_clients: 30 }, { max_num_clients: 20 }),
      both({ max_num_clients: 0 }, { max_num_clients: 20 }),
      both(f({ 'auth.pairwise': ['wpa2-ccmp', 'wpa3'] }), f(psk)),
      both({ auth_servers: [{ host: '10.0.0.9', require_message_authenticator: true }] }, f(eap)),
      live({ no_static_ip: true }),
      declared({ no_static_ip: true })
    ]
  }
}
