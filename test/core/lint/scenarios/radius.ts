import {
  at,
  both,
  CANARY,
  declared,
  eap,
  fields as f,
  hidden,
  live,
  resolvedSecret,
  type Scenarios,
  secret,
  server,
  unresolved
} from '../scenario.ts'

const coa = { ip: '10.0.0.5', port: 3799, enabled: true, secret: secret() }
const other = { ...server, host: '10.0.0.6' }
const third = { ...server, host: '10.0.0.7' }
const servers = (value: string) => ({ auth_servers: [{ ...server, secret: secret(value) }] })
const rewrite = (dns: string) =>
  f({ 'dns_server_rewrite.enabled': true, 'dns_server_rewrite.radius_groups': { staff: dns } })
const cwa = { 'cisco_cwa.enabled': true, auth_servers: [server] }
const wrap = { ...server, keywrap_enabled: true, keywrap_kek: secret(), keywrap_mack: secret() }

/** Scenarios of the rules about RADIUS, RadSec, CoA and the cloud NAC. */
export const radiusScenarios: Scenarios = {
  'radius-server-without-secret': {
    breaks: [
      both({ auth_servers: [{ host: '10.0.0.9' }] }, f(eap)),
      both({ acct_servers: [{ host: '10.0.0.9' }] }),
      live({ coa_servers: [{ ip: '10.0.0.9', enabled: true }] }),
      declared({ auth_servers: [{ host: '10.0.0.9', secret: '' }] })
    ],
    passes: [
      both({ auth_servers: [{ host: '10.0.0.5', port: 1645 }] }, f(eap)),
      both({ auth_servers: [{ host: '10.0.0.9', secret: resolvedSecret() }] }, f(eap)),
      live({ auth_servers: [{ host: '10.0.0.9', secret: hidden }] }),
      live({ portal_api_secret: null, auth_servers: [{ host: '10.0.0.9' }] }),
      declared({ auth_servers: [{ host: '10.0.0.9' }] })
    ]
  },
  'cwa-incomplete': {
    breaks: [
      live(f({ 'cisco_cwa.enabled': true, coa_servers: [coa] })),
      live(f(cwa)),
      live(f({ ...cwa, coa_servers: [{ ...coa, enabled: false }] }))
    ],
    passes: [
      live(f({ ...cwa, coa_servers: [coa] })),
      live(f({ ...cwa, 'radsec.coa_enabled': true })),
      live(f({ 'cisco_cwa.enabled': false }))
    ]
  },
  'radsec-without-server': {
    breaks: [
      live(f({ 'radsec.enabled': true })),
      at('warning', live(f({ 'radsec.enabled': true, interface: 'mxtunnel' })))
    ],
    passes: [
      live(f({ 'radsec.enabled': true, 'radsec.proxy_hosts': ['10.0.0.1'] })),
      live(f({ 'radsec.enabled': true, 'radsec.use_site_mxedge': true })),
      live(f({ 'radsec.enabled': false })),
      declared(f({ 'radsec.enabled': true }))
    ]
  },
  'nac-overrides-radius': {
    breaks: [
      both(
        { auth_servers: [{ host: '10.0.0.5', secret: resolvedSecret() }] },
        f({ 'mist_nac.enabled': true })
      ),
      both(f({ 'mist_nac.enabled': true, 'radsec.enabled': true }))
    ],
    passes: [
      live(f({ ...eap, 'mist_nac.enabled': true })),
      both(f({ 'mist_nac.enabled': true, auth_servers: [] })),
      both({ auth_servers: [{ host: '10.0.0.5', secret: resolvedSecret() }] })
    ]
  },
  'address-unfit': {
    breaks: [
      live({ coa_servers: [{ ...coa, ip: 'radius.example.com' }] }),
      live({ auth_servers_nas_ip: '10.0.0' }),
      live({ auth_servers_nas_id: 'é'.repeat(25) }),
      live(f({ 'mist_nac.enabled': true, 'mist_nac.source_ip': 'x' })),
      live(
        f({ 'dns_server_rewrite.enabled': true, 'dns_server_rewrite.radius_groups': { a: '::1' } })
      ),
      live({ auth_servers: [{ ...server, host: '10.0.0.5:1812' }] }),
      declared({ acct_servers: [{ host: 'radius 1' }] }),
      declared({ auth_servers: [{ host: '10.1.1.300' }] }),
      declared({ auth_servers: [{ host: '10.1.1' }] }),
      live(f({ 'radsec.servers': [{ host: 'https://radsec' }] }))
    ],
    passes: [
      live({ coa_servers: [{ ...coa, ip: '{{coa}}' }], auth_servers_nas_ip: '{{nas}}' }),
      live({
        auth_servers: [{ ...server, host: 'radius.example.com' }],
        auth_servers_nas_id: 'é'.repeat(24)
      }),
      live({ auth_servers: [{ ...server, host: '2001:db8::5' }] }),
      live(f({ 'mist_nac.enabled': false, 'mist_nac.source_ip': 'x' }))
    ]
  },
  'weak-radius-secret': {
    breaks: [
      live(servers('hush-of-radius')),
      live({ acct_servers: [{ ...server, secret: secret('10.0.0.5') }] }),
      live({ ssid: 'hush-of-a-long-network', ...servers('hush-of-a-long-network') }),
      declared({ coa_servers: [{ ...coa, secret: resolvedSecret('hush-12345') }] })
    ],
    passes: [
      live(servers(CANARY)),
      live({ auth_servers: [{ ...server, secret: hidden }] }),
      declared({ auth_servers: [{ ...server, secret: unresolved }] })
    ]
  },
  'message-authenticator-off': {
    breaks: [
      live(f({ ...eap, disable_message_authenticator_check: true })),
      at(
        'info',
        live(f({ ...eap, auth_servers: [{ ...server, require_message_authenticator: false }] }))
      )
    ],
    passes: [
      live(f(eap)),
      live({ disable_message_authenticator_check: true }),
      live(f({ ...eap, disable_message_authenticator_check: true, 'mist_nac.enabled': true })),
      live(f({ ...eap, disable_message_authenticator_check: true, 'radsec.enabled': true })),
      declared(f({ ...eap, disable_message_authenticator_check: true }))
    ]
  },
  'radius-in-the-clear': {
    breaks: [
      live(f({ 'auth.type': 'eap', auth_servers: [{ ...server, host: '8.8.4.4' }] })),
      live(f({ ...eap, acct_servers: [{ ...server, host: '8.8.4.4' }] }))
    ],
    passes: [
      live(f({ ...eap, auth_servers: [{ ...server, host: '172.31.0.4' }] })),
      live(f({ ...eap, auth_servers: [{ ...server, host: 'radius.example.com' }] })),
      live(f({ ...eap, auth_servers: [{ ...server, host: '8.8.4.4' }], 'radsec.enabled': true })),
      live({ auth_servers: [{ ...server, host: '8.8.4.4' }] })
    ]
  },
  'radius-loopback': {
    breaks: [
      live(f({ 'auth.type': 'eap', auth_servers: [{ ...server, host: '127.0.0.1' }] })),
      declared({ acct_servers: [{ host: '0.0.0.0' }] }),
      declared({ coa_servers: [{ ...coa, ip: '127.1.2.3' }] }),
      live(f({ 'radsec.servers': [{ host: 'localhost' }] })),
      live({ auth_servers: [{ ...server, host: '' }] })
    ],
    passes: [live(f(eap)), live({ auth_servers: [{ ...server, host: '{{radius}}' }] })]
  },
  'failover-too-slow': {
    breaks: [
      live(f({ ...eap, auth_servers_timeout: 10, auth_servers: [server, other, third] })),
      live(f({ ...eap, auth_servers_timeout: 20, auth_servers_retries: 3 }))
    ],
    passes: [
      live(f({ ...eap, auth_servers_timeout: 20 })),
      live({ auth_servers: [server], auth_servers_timeout: 30 }),
      declared(f({ ...eap, auth_servers_timeout: 30 }))
    ]
  },
  'dns-rewrite-public': {
    breaks: [live(rewrite('9.9.9.9'))],
    passes: [
      live(rewrite('10.0.0.53')),
      live(rewrite('{{dns}}')),
      live(f({ 'dns_server_rewrite.radius_groups': { staff: '9.9.9.9' } }))
    ]
  },
  'radius-port-odd': {
    breaks: [
      live({ auth_servers: [{ ...server, port: 1813 }] }),
      live({ acct_servers: [{ ...server, port: '1645' }] }),
      live({ coa_servers: [{ ...coa, port: 1812 }] }),
      declared(f({ 'radsec.servers': [{ host: 'a', port: 1812 }] }))
    ],
    passes: [
      live({
        auth_servers: [server],
        acct_servers: [{ ...server, port: 1813 }],
        coa_servers: [coa]
      }),
      live({ auth_servers: [{ ...server, port: '{{port}}' }] })
    ]
  },
  'radius-server-twice': {
    breaks: [
      live({ auth_servers: [server, server] }),
      declared({ auth_servers: [{ host: 'a' }, { host: 'a', port: 1812 }] }),
      declared({
        acct_servers: [
          { host: 'a', port: 1 },
          { host: 'A', port: '1' }
        ]
      })
    ],
    passes: [
      live({ auth_servers: [server, { ...server, port: 1645 }] }),
      live({
        auth_servers: [
          { ...server, host: '{{a}}' },
          { ...server, host: '{{a}}' }
        ]
      })
    ]
  },
  'keywrap-incomplete': {
    breaks: [
      live({ auth_servers: [{ ...server, keywrap_enabled: true }] }),
      live({ auth_servers: [wrap] }),
      live({ acct_servers: [{ ...wrap, keywrap_format: 'hex', keywrap_kek: secret('') }] })
    ],
    passes: [
      live({ auth_servers: [{ ...wrap, keywrap_format: 'hex' }] }),
      live({ auth_servers: [{ ...wrap, keywrap_format: 'hex', keywrap_kek: hidden }] }),
      live({ auth_servers: [server] })
    ]
  },
  'interim-interval-unfit': {
    breaks: [
      live({ acct_interim_interval: 59, acct_servers: [server] }),
      at('warning', live({ acct_interim_interval: 60, acct_servers: [server] })),
      at('info', live({ acct_interim_interval: 600 })),
      live(f({ 'mist_nac.enabled': true, 'mist_nac.acct_interim_interval': 5 }))
    ],
    passes: [
      live({ acct_interim_interval: 600, acct_servers: [server] }),
      live({ acct_interim_interval: 0 }),
      live(f({ 'mist_nac.enabled': false, 'mist_nac.acct_interim_interval': 5 })),
      declared({ acct_interim_interval: 900 })
    ]
  },
  'radsec-unverified': {
    breaks: [
      live(f({ 'radsec.enabled': true, 'radsec.servers': [{ host: 'a' }] })),
      live(
        f({
          'radsec.enabled': true,
          'radsec.servers': [{ host: 'a' }],
          'radsec.server_name': 'a.example.com',
          'radsec.use_mxedge': true
        })
      )
    ],
    passes: [
      live(
        f({ 'radsec.enabled': true, 'radsec.servers': [{ host: 'a' }], 'radsec.server_name': 'a' })
      ),
      live(f({ 'radsec.enabled': true, 'radsec.use_mxedge': true })),
      live(f({ 'radsec.enabled': false, 'radsec.servers': [{ host: 'a' }] }))
    ]
  }
}
