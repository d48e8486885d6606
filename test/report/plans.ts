import type { Danger, DangerKind } from '../../src/core/model/danger.ts'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Impact } from '../../src/core/model/impact.ts'
import type { Outcome, Status } from '../../src/core/model/outcome.ts'
import type { Change, PatchOperation, Plan, PlanSummary } from '../../src/core/model/plan.ts'
import { child, type Pointer } from '../../src/core/values/pointer.ts'
import { Secret } from '../../src/core/values/secret.ts'
import type { Value } from '../../src/core/values/value.ts'
import type { RenderOptions } from '../../src/report/report.ts'
import { CORP, HQ } from '../support/ids.ts'

export const plain: RenderOptions = { colour: false, width: 80 }

/** The value before and after an edit; undefined: absent. */
type Edit = readonly [before: Value | undefined, after: Value]

/** A change of the fields with these names, which may contain dots. */
export function changeOf(
  address: string,
  impact: Impact | undefined,
  edits: Readonly<Record<string, Edit>>,
  more: Partial<Change> = {}
): Change {
  const [site = '', key = ''] = address.split('/')
  const opens = edits['auth.type']?.[1] === 'open'
  const dangers = (more.downgrades ?? []).map(
    (pointer): Danger => ({
      kind: opens && pointer === '/auth/type' ? 'open' : 'less-secure',
      pointer
    })
  )
  return {
    address,
    site: { id: HQ, name: site },
    wlan: { id: CORP, ssid: key },
    origin: { file: `sites/${site}.yaml`, line: 12, column: 3 },
    ...(impact === undefined ? {} : { impact }),
    patch: Object.entries(edits).flatMap(([name, edit]) => operations(name, edit)),
    request: { method: 'PUT', path: `/api/v1/sites/…/wlans/${CORP}`, body: {} },
    ...(more.switches_off && { dangers: [{ kind: 'off', pointer: '/enabled' }] }),
    ...(dangers.length > 0 && { dangers }),
    ...more
  }
}

/** A change whose live WLAN has a danger. */
export function dangerous(change: Change, kind: DangerKind, pointer: Pointer): Change {
  return { ...change, dangers: [{ kind, pointer }] }
}

function operations(name: string, [before, after]: Edit): PatchOperation[] {
  const path = name.split('.').reduce((pointer, step) => child(pointer, step), '')
  if (before === undefined) return [{ op: 'add', path, value: after }]
  const replace = { op: 'replace', path, value: after } as const
  return before instanceof Secret ? [replace] : [{ op: 'test', path, value: before }, replace]
}

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

/** A plan of these changes, with matching counts. */
export function planOf(
  changes: readonly Change[],
  more: Partial<Omit<Plan, 'summary'>> & { readonly summary?: Partial<PlanSummary> } = {}
): Plan {
  const changed = changes.length
  const sites = new Map(changes.map(({ site }) => [site.name, site.id]))
  return {
    format: 'wlanctl-plan/1',
    tool: 'wlanctl/0.1.0',
    created: '2026-11-20T10:00:00Z',
    base_url: 'https://api.example.com',
    changes,
    not_compared: [],
    unmanaged: [],
    findings: [],
    digest: DIGEST,
    sites: [...sites].map(([name, id]) => ({ id, name, digest: DIGEST })),
    ...more,
    summary: {
      sites: 3,
      sites_failed: 0,
      wlans: 8,
      changed,
      unchanged: 8 - changed,
      blocked: 0,
      unmanaged: more.unmanaged?.length ?? 0,
      requests: 3,
      ...more.summary
    }
  }
}

export const env = (name: string) => new Secret({ $env: `WLAN_SECRET_${name}` }, `value-of-${name}`)
export const live = () => Secret.live('what-the-service-has')

export const guest = changeOf(
  'hq/guest',
  'outage',
  {
    'auth.psk': [live(), env('GUEST_PSK')],
    dtim: [undefined, 2],
    hide_ssid: [true, false],
    ssid: ['Visitors', 'Guest'],
    vlan_id: ['20', 40]
  },
  { wlan: { id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b02', ssid: 'Visitors' } }
)

const radius = (host: string, secret: Secret) => ({ host, port: 1812, secret })

export const staff = changeOf(
  'store-bonn/staff',
  'reconnect',
  {
    ap_ids: [
      ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
      [
        '00000000-0000-4000-8000-000000000002',
        '00000000-0000-4000-8000-000000000003',
        '00000000-0000-4000-8000-000000000004'
      ]
    ],
    'auth.pairwise': [['wpa2-ccmp'], ['wpa2-ccmp', 'wpa3']],
    auth_servers: [
      [radius('radius-1.example.com', live()), radius('radius-2.example.com', live())],
      [radius('radius-1.example.com', live()), radius('radius-3.example.com', env('RADIUS'))]
    ]
  },
  { not_compared: ['/portal/sponsor_password'] }
)

export const tills = changeOf('store-kiel/tills', undefined, { max_idletime: [1800, 3600] })

const place = { file: 'fleet/sites/hq.yaml', line: 30, column: 3 }

export const notFound: Finding = {
  level: 'error',
  code: 'WLAN_NOT_FOUND',
  message: 'no live WLAN has the SSID "Lobyb"',
  hint: 'did you mean "Lobby"?',
  place,
  address: 'hq/lobby'
}

/** The finding for a site that could not be read. */
export function unread(site: string, n: number): Finding {
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  return {
    level: 'error',
    code: 'SITE_NOT_READ',
    message: `the site could not be read: GET /api/v1/sites/${id}/wlans: 503: Service unavailable.`,
    address: site
  }
}

/** An outcome without details. */
export function ended(address: string, status: Status, more: Partial<Outcome> = {}): Outcome {
  return { address, status, ...more }
}

/** Colours as tags, for readable snapshots. */
export function tagged(text: string): string {
  const names: Record<string, string> = { 1: 'b', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' }
  const ends: Record<string, string> = { 22: '/b', 39: '/' }
  return text.replace(/\u001b\[(\d+)m/g, (_, code) => `<${names[code] ?? ends[code] ?? code}>`)
}

/** A plan of one VLAN for the guests of so many sites. */
export function guestsOf(sites: number): Plan {
  const changes = Array.from({ length: sites }, (_, nth) =>
    changeOf(`Store ${String(nth).padStart(4, '0')}/guest`, 'reconnect', { vlan_id: [40, 45] })
  )
  return planOf(changes, { summary: { sites, wlans: 5 * sites, unchanged: 4 * sites } })
}
