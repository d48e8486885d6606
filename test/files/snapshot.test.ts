import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateSnapshot } from '#forms'
import { Failure } from '../../src/core/model/failure.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../../src/core/model/live.ts'
import { assemble, planSite, planUnread } from '../../src/core/plan/plan.ts'
import { Secret } from '../../src/core/values/secret.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../src/core/values/value.ts'
import { formatPlan } from '../../src/files/saved-plan.ts'
import { formatSnapshot, type Snapshot, sitesIn, takeSnapshot } from '../../src/files/snapshot.ts'
import { wlanValue } from '../../src/service/live.ts'
import { context, desiredSite, env, liveSite, nth, SITE, wlan } from '../core/plan/support.ts'
import { SECRET_MARK } from '../support/live-wlans.ts'
import { runs } from '../support/properties.ts'
import { Scanner } from '../support/scanner.ts'
import { parseSnapshot } from '../support/snapshot.ts'
import { wlanCases } from '../support/wlans.ts'

const OTHER = { id: '5ac1dcf4-9d8b-4211-95c4-057819f0862b', name: 'annex' }
const facts = {
  tool: 'wlanctl/0.1.0',
  created: '2026-11-20T10:00:00Z',
  base_url: 'https://api.example.net',
  requests: 2
}
const secrets = [
  'correct-horse-battery',
  'radius-shared-secret',
  'te*****23-masked',
  'new-api-secret'
]

/** A live WLAN as the client parses it from a response. */
function answered(json: object, id = nth(1)): LiveWlan {
  const record = wlanValue({ id, ssid: 'Corp', ...json })
  if (!isObject(record)) throw new Error('a WLAN is an object')
  return { id, ssid: String(member(record, 'ssid')), record, readAt: 1 }
}

const corp = answered({
  auth: { type: 'psk', psk: secrets[0] },
  auth_servers: [{ host: 'a', secret: secrets[1] }],
  portal: { password: '' },
  x_new_secret: secrets[3],
  x_new: { some_password: [secrets[3]], plain: 'shown' }
})
const guest = answered({ ssid: 'Guest', auth: { psk: secrets[2], keys: null } }, nth(2))
const unread: UnreadSite = { site: OTHER, reason: '503', hint: 'wait' }

const taken = takeSnapshot([liveSite([corp, guest]), unread], facts)
const text = formatSnapshot(taken)

describe('a snapshot of unknown fields', () => {
  const names = ['preshared_key', 'api_token', 'secret_key', 'psk_list', 'foo_keys', 'login_pin']
  const canary = 'a-canary-in-an-unknown-field'

  it.each(names)('keeps no text of %s, in a list, an object or both', name => {
    const live = answered({
      [name]: canary,
      x_new: { [name]: [canary, { value: canary }] },
      auth: { type: 'psk', [name]: { of: [canary] } },
      auth_servers: [{ host: 'a', [name]: canary }]
    })
    const stored = formatSnapshot(takeSnapshot([liveSite([live])], facts))
    expect(stored).not.toContain(canary)
    expect(stored.split('{"$live":true}')).toHaveLength(6)
  })

  it.each(names)('reads no text of %s from an edited file', name => {
    const edited = { ...taken, sites: [{ ...SITE, wlans: [{ id: nth(1), [name]: [canary] }] }] }
    const [live] = edited.sites.map(() => sitesIn(edited)(SITE))
    expect(JSON.stringify(live)).not.toContain(canary)
  })
})

describe('a snapshot', () => {
  it('conforms to its schema, and is read back unchanged', () => {
    expect(validateSnapshot(JSON.parse(text))).toBe(true)
    expect(formatSnapshot(parseSnapshot(text, 's.json'))).toBe(text)
  })

  it('lists the sites that could not be read', () => {
    expect(taken.summary).toEqual({ sites: 2, sites_failed: 1, wlans: 2, requests: 2 })
    expect(taken.unread).toEqual([{ ...OTHER, reason: '503', hint: 'wait' }])
  })

  it('contains no secret in any form, and marks their fields', () => {
    const canaries = secrets.map((value, n) => ({ name: `secret ${n}`, value }))
    expect(new Scanner(canaries).scan({ text })).toEqual([])
    const [record = {}, other = {}] = taken.sites[0]?.wlans ?? []
    expect(record).toMatchObject({
      auth: { psk: { $live: true } },
      auth_servers: [{ host: 'a', secret: { $live: true } }],
      portal: { password: '' },
      x_new_secret: { $live: true },
      x_new: { some_password: [{ $live: true }], plain: 'shown' }
    })
    expect(other).toMatchObject({ auth: { psk: { $hidden: true }, keys: null } })
  })

  it('is equal for any order of the responses', () => {
    const record = Object.fromEntries(Object.entries(corp.record).reverse())
    const turned = { ...corp, record }
    const again = takeSnapshot([unread, liveSite([guest, turned])], facts)
    expect(formatSnapshot(again)).toBe(text)
  })

  it('has a digest of its records, not of its time', () => {
    const later = takeSnapshot([liveSite([corp, guest])], {
      ...facts,
      created: '2027-01-01T00:00:00Z'
    })
    expect(later.digest).toBe(taken.digest)
    const moved = takeSnapshot([liveSite([corp])], facts)
    expect(moved.digest).not.toBe(taken.digest)
  })

  it('may be empty', () => {
    const empty = takeSnapshot([], facts)
    expect(parseSnapshot(formatSnapshot(empty), 's.json')).toEqual(empty)
    const bare = takeSnapshot([liveSite([])], facts)
    expect(parseSnapshot(formatSnapshot(bare), 's.json')).toEqual(bare)
  })
})

describe('an invalid snapshot', () => {
  const edited = (edit: (copy: { -readonly [K in keyof Snapshot]: Snapshot[K] }) => unknown) => {
    const copy = JSON.parse(text)
    edit(copy)
    return JSON.stringify(copy)
  }

  it.each([
    ['a plan', '{"format":"wlanctl-plan/1"}', 'got "wlanctl-plan/1"'],
    ['one without an id', text.replaceAll(`"id":"${nth(1)}",`, ''), 'damaged at'],
    ['one of another service', edited(copy => (copy.base_url = 'https://x.example')), 'digest'],
    ['an edited one', text.replace('"Guest"', '"Gast"'), 'digest']
  ])('is rejected: %s', (_, saved, problem) => {
    const read = () => parseSnapshot(saved, 's.json')
    expect(read).toThrow(Failure)
    expect(read).toThrow(problem)
    expect(read).toThrow(expect.objectContaining({ exitCode: 3 }))
  })
})

describe('a site of a snapshot', () => {
  it.each([
    ['could not be read', OTHER, /503/],
    ['is not in it', { id: nth(9), name: 'new' }, /not in the snapshot/]
  ])('is unread if it %s', (_, site, reason) => {
    expect(sitesIn(taken)(site)).toMatchObject({ site, reason: expect.stringMatching(reason) })
  })

  it('is found by its id in upper or lower case', () => {
    expect(sitesIn(taken)({ ...SITE, id: SITE.id.toUpperCase() })).toHaveProperty('wlans')
  })

  it('prints no secret that was added to the file', () => {
    const sites = [{ ...SITE, wlans: [{ id: nth(1), auth: { psk: 'in-clear-123' } }] }]
    const live = sitesIn({ ...taken, sites })(SITE)
    expect(JSON.stringify(live)).not.toContain('in-clear')
  })
})

/** The same declaration without access to secrets. */
function unresolved(value: Value): Value {
  if (value instanceof Secret) return new Secret(value.reference, undefined)
  if (isList(value)) return value.map(unresolved)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unresolved(inner)]))
}

/** A record as in a response: with plaintext or masked secrets. */
function asAnswer(value: Value): unknown {
  if (value instanceof Secret) return value.known ? value.reveal() : '********'
  if (isList(value)) return value.map(asAnswer)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asAnswer(inner)]))
}

describe('a plan on a snapshot', () => {
  it('equals a plan on the live state without secrets', () => {
    let tried = 0
    const seen = { changed: 0, blocked: 0, unchanged: 0, unread: 0 }
    fc.assert(
      fc.property(wlanCases({ hidden: true }), ({ live, declared }) => {
        tried += 1
        const fields = unresolved(declared) as ValueObject
        const site = desiredSite([wlan(fields, { fields })])
        const read = liveSite([answered(asAnswer(live) as object)])
        const saved = formatSnapshot(takeSnapshot([read], facts))
        expect(saved).not.toContain(SECRET_MARK)
        const kept = sitesIn(parseSnapshot(saved, 's.json'))(SITE) as LiveSite
        const onLive = planSite(site, read)
        const onSnapshot = planSite(site, kept)
        const plans = [onLive, onSnapshot].map(planned =>
          formatPlan(assemble([planned], context()))
        )
        expect(plans[1]).toBe(plans[0])
        seen[onLive.wlanPlans[0]?.status ?? 'unchanged'] += 1
      }),
      runs(90)
    )
    expect(Math.min(seen.changed, seen.unchanged + seen.blocked)).toBeGreaterThan(tried / 30)
  })

  it.each<[what: string, psk: Value, live: string, says: object]>([
    ['a secret that is declared', env('known-here'), 'live-psk', { not_compared: ['/auth/psk'] }],
    [
      'a plaintext secret',
      new Secret({ $plaintext: true }, 'x'),
      'y',
      { not_compared: ['/auth/psk'] }
    ],
    ['no secret where there is one', '', 'live-psk', { patch: [{ op: 'replace', value: '' }] }]
  ])('reports for %s everything that is known', (_, psk, live, says) => {
    const declared = wlan({ dtim: 3, auth: { psk } })
    const saved = takeSnapshot([liveSite([answered({ auth: { psk: live } })])], facts)
    const kept = sitesIn(parseSnapshot(formatSnapshot(saved), 's.json'))(SITE) as LiveSite
    const { changes } = assemble([planSite(desiredSite([declared]), kept)], context())
    const [change] = changes
    expect(change?.not_compared).toEqual('not_compared' in says ? says.not_compared : undefined)
    const paths = change?.patch.map(({ path }) => path)
    expect(paths).toEqual('patch' in says ? ['/auth/psk', '/dtim'] : ['/dtim'])
  })

  it('names the snapshot, and a site that is not in it does not stop the others', () => {
    const site = { ...desiredSite([]), ...OTHER }
    const live = sitesIn(taken)(site)
    if ('wlans' in live) throw new Error('it was not read')
    const against = { created: facts.created, digest: taken.digest }
    const plan = assemble([planUnread(site, live)], { ...context(), requests: 0, against })
    expect(plan).toMatchObject({ against, summary: { sites_failed: 1 } })
    expect(plan.findings[0]).toMatchObject({ code: 'SITE_NOT_READ', address: 'annex' })
  })
})
