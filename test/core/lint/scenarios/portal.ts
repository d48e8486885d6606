import {
  at,
  both,
  declared,
  fields as f,
  hidden,
  live,
  psk,
  resolvedSecret,
  type Scenarios,
  secret
} from '../scenario.ts'

const portal = (members: Parameters<typeof f>[0]) => f({ 'portal.enabled': true, ...members })
const sso = {
  'portal.auth': 'sso',
  'portal.sso_issuer': 'urn:idp',
  'portal.sso_idp_sso_url': 'https://login.example.com/sso',
  'portal.sso_idp_cert': '-----BEGIN CERTIFICATE-----'
}

/** Scenarios of the rules about portals, and what guests reach before they log in. */
export const portalScenarios: Scenarios = {
  'portal-external-without-url': {
    breaks: [
      live(portal({ 'portal.auth': 'external' })),
      at(
        'warning',
        live(
          portal({ 'portal.auth': 'external', 'portal.external_portal_url': 'http://a.example' })
        )
      )
    ],
    passes: [
      live(
        portal({ 'portal.auth': 'external', 'portal.external_portal_url': 'https://a.example' })
      ),
      live(portal({ 'portal.auth': 'external', 'portal.external_portal_url': '{{portal}}' })),
      live(f({ 'portal.enabled': false, 'portal.auth': 'external' })),
      declared(portal({ 'portal.auth': 'external' }))
    ]
  },
  'portal-sso-incomplete': {
    breaks: [
      live(portal({ 'portal.auth': 'sso' })),
      live(portal({ ...sso, 'portal.sso_issuer': '' }))
    ],
    passes: [live(portal(sso)), live(portal({ 'portal.auth': 'none' }))]
  },
  'portal-without-method': {
    breaks: [
      live(portal({ 'portal.auth': 'multi' })),
      at('warning', both(f({ 'portal.sms_enabled': false }), portal({ 'portal.auth': 'sms' })))
    ],
    passes: [
      live(portal({ 'portal.auth': 'multi', 'portal.email_enabled': true })),
      live(portal({ 'portal.auth': 'sms' })),
      declared(portal({ 'portal.auth': 'multi' }))
    ]
  },
  'portal-password-missing': {
    breaks: [
      live(portal({ 'portal.auth': 'password' })),
      live(
        portal({
          'portal.auth': 'multi',
          'portal.passphrase_enabled': true,
          'portal.password': secret('')
        })
      )
    ],
    passes: [
      live(portal({ 'portal.auth': 'password', 'portal.password': secret() })),
      live(portal({ 'portal.auth': 'password', 'portal.password': hidden })),
      declared(
        portal({ 'portal.auth': 'password', 'portal.password': resolvedSecret('{{word}}') })
      ),
      live(portal({ 'portal.auth': 'none' }))
    ]
  },
  'portal-sms-incomplete': {
    breaks: [
      live(
        portal({
          'portal.auth': 'sms',
          'portal.sms_provider': 'twilio',
          'portal.twilio_sid': 'AC1'
        })
      ),
      live(
        portal({
          'portal.auth': 'multi',
          'portal.sms_enabled': true,
          'portal.sms_provider': 'telstra'
        })
      )
    ],
    passes: [
      live(portal({ 'portal.auth': 'sms' })),
      live(
        portal({
          'portal.auth': 'sms',
          'portal.sms_provider': 'clickatell',
          'portal.clickatell_api_key': secret()
        })
      ),
      live(portal({ 'portal.auth': 'none', 'portal.sms_provider': 'twilio' }))
    ]
  },
  'portal-azure-incomplete': {
    breaks: [live(portal({ 'portal.azure_enabled': true, 'portal.azure_client_id': 'a' }))],
    passes: [
      live(
        portal({
          'portal.azure_enabled': true,
          'portal.azure_client_id': 'a',
          'portal.azure_client_secret': secret(),
          'portal.azure_tenant_id': 'c'
        })
      ),
      live(portal({}))
    ]
  },
  'portal-sponsor-incomplete': {
    breaks: [live(portal({ 'portal.sponsor_enabled': true }))],
    passes: [
      live(portal({ 'portal.sponsor_enabled': true, 'portal.sponsors': { 'a@example.com': 'A' } })),
      live(
        portal({ 'portal.sponsor_enabled': true, 'portal.sponsor_email_domains': ['example.com'] })
      ),
      live(portal({}))
    ]
  },
  'guest-without-isolation': {
    breaks: [live(f({ ...psk, 'portal.enabled': true }))],
    passes: [
      live(f({ ...psk, 'portal.enabled': true, isolation: true })),
      live(f({ 'portal.enabled': true })),
      live(f(psk))
    ]
  },
  'portal-bypass': {
    breaks: [
      live(
        f({
          'portal.enabled': true,
          'portal.auth': 'email',
          'portal.bypass_when_cloud_down': true
        })
      )
    ],
    passes: [
      live(f({ 'portal.enabled': true, 'portal.bypass_when_cloud_down': true })),
      live(f({ 'portal.enabled': true, 'portal.auth': 'email' })),
      live(f({ 'portal.auth': 'email', 'portal.bypass_when_cloud_down': true }))
    ]
  },
  'sso-sha1': {
    breaks: [
      live(f({ 'portal.enabled': true, 'portal.auth': 'sso' })),
      live(f({ 'portal.enabled': true, 'portal.auth': 'sso', 'portal.sso_idp_sign_algo': 'sha1' }))
    ],
    passes: [
      live(
        f({ 'portal.enabled': true, 'portal.auth': 'sso', 'portal.sso_idp_sign_algo': 'sha256' })
      ),
      live(f({ 'portal.enabled': true, 'portal.auth': 'email' })),
      declared(f({ 'portal.enabled': true, 'portal.auth': 'sso' }))
    ]
  },
  'portal-forward-without-url': {
    breaks: [live(portal({ 'portal.forward': true }))],
    passes: [
      live(portal({ 'portal.forward': true, 'portal.forward_url': 'https://a.example' })),
      live(f({ 'portal.enabled': false, 'portal.forward': true }))
    ]
  },
  'portal-idp-unreachable': {
    breaks: [
      live(portal(sso)),
      live(portal({ ...sso, portal_allowed_hostnames: ['other.example.com'] })),
      at(
        'info',
        live(
          portal({ 'portal.auth': 'external', 'portal.external_portal_url': 'https://10.1.2.3/x' })
        )
      )
    ],
    passes: [
      live(portal({ ...sso, portal_allowed_hostnames: ['Example.com'] })),
      live(portal({ ...sso, portal_allowed_hostnames: ['{{idp}}'] })),
      live(
        portal({
          'portal.auth': 'external',
          'portal.external_portal_url': 'https://10.1.2.3:8443/x',
          portal_allowed_subnets: ['10.1.0.0/16']
        })
      ),
      declared(portal(sso))
    ]
  },
  'garden-entry-unfit': {
    breaks: [
      live({ portal_allowed_hostnames: ['https://www.example.com'] }),
      live({ portal_denied_hostnames: ['example.com:443'] }),
      live({ portal_allowed_subnets: ['10.0.0.0/33'] }),
      at('warning', declared({ portal_allowed_subnets: ['10.0.0.1'] })),
      live(f({ 'cisco_cwa.enabled': true, 'cisco_cwa.blocked_subnets': ['x'] })),
      live(f({ 'app_qos.enabled': true, 'app_qos.others': [{ src_subnet: '10.0.0' }] }))
    ],
    passes: [
      live({
        portal_allowed_hostnames: ['www.example.com', '{{host}}'],
        portal_allowed_subnets: ['10.0.0.0/8', '{{net}}']
      }),
      live({ portal_allowed_subnets: ['2001:db8::/32'] }),
      live(f({ 'cisco_cwa.enabled': false, 'cisco_cwa.blocked_subnets': ['x'] })),
      live(
        f({
          'app_qos.enabled': true,
          'app_qos.others': [{ src_subnet: '', dst_subnet: '10.0.0.0/8' }]
        })
      )
    ]
  },
  'garden-wide-open': {
    breaks: [
      live(portal({ portal_allowed_subnets: ['0.0.0.0/0'] })),
      live(portal({ portal_allowed_subnets: ['::/0'] })),
      live(portal({ portal_allowed_subnets: ['10.1.0.0/16', '0::/0'] })),
      declared(portal({ portal_allowed_subnets: '0:0:0:0:0:0:0:0/0,2000::/3' })),
      live(portal({ portal_allowed_hostnames: ['com'] })),
      live(portal({ portal_allowed_hostnames: ['.com'] })),
      declared(portal({ portal_allowed_hostnames: ['a.b'] }))
    ],
    passes: [
      live(
        portal({
          portal_allowed_subnets: ['10.0.0.0/9', '2001:db8::/32', '::1/128', '2000::/9'],
          portal_allowed_hostnames: ['example.com']
        })
      ),
      live({ portal_allowed_subnets: ['0.0.0.0/0'] }),
      live(portal({ portal_allowed_hostnames: ['{{x}}'] }))
    ]
  },
  'garden-denied-wins': {
    breaks: [
      live(
        portal({
          portal_allowed_hostnames: ['www.Example.com'],
          portal_denied_hostnames: ['example.com']
        })
      )
    ],
    passes: [
      live(
        portal({
          portal_allowed_hostnames: ['example.com'],
          portal_denied_hostnames: ['www.example.com']
        })
      ),
      live(
        f({ portal_allowed_hostnames: ['example.com'], portal_denied_hostnames: ['example.com'] })
      )
    ]
  }
}
