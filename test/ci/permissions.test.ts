import { describe, expect, test } from 'vitest'
import {
  afterRun,
  type Case,
  type End,
  type Execution,
  type Fact,
  type OpenPermission,
  type Operation,
  verdictOf
} from '../../src/ci/permissions.ts'
import type { Status } from '../../src/core/model/outcome.ts'
import { outcome } from '../../src/run/apply/outcome.ts'
import { tablesIn } from '../support/tables.ts'

/** A pull request that changes the VLAN from 10 to 20, as the tip declares it; live is as before. */
const OPERATION: Operation = { pointer: '/vlan_id', before: 10, after: 20 }
const FACT: Fact = { base: 10, merge: 20, tip: 20, live: 10, isTip: false, isBase: true }
const REFERENCE = { $env: 'WLAN_SECRET_X', $version: 2 }
const SECRET = { base: { $env: 'WLAN_SECRET_X', $version: 1 }, merge: REFERENCE, tip: REFERENCE }

interface Row {
  readonly fact?: Partial<Fact>
  readonly operation?: Partial<Operation>
  readonly verdict: string
}

const rows = tablesIn<Readonly<Record<string, Row>>>(import.meta.dirname, 'permissions.yaml')

type Facts = (at: string) => Fact

/** `send`, `unchanged` if all of it is live, or why nothing is sent. */
function verdict(operations: readonly Operation[], factOf: Facts): string {
  const found = verdictOf({ operations }, factOf)
  if ('status' in found) return found.why
  return found.isLive ? 'unchanged' : 'send'
}

const OVERWRITTEN = 'a later merge declares another value'
const STALE = expect.stringContaining('is no longer as planned')

describe('an operation of a plan', () => {
  test.each(Object.entries(rows))('%s', (_, { fact = {}, operation = {}, verdict: is }) => {
    const operations = [{ ...OPERATION, ...operation }]
    const undeclared = Object.entries(fact).map(([name, value]) => [name, value ?? undefined])
    const found = verdict(operations, () => ({ ...FACT, ...Object.fromEntries(undeclared) }))
    expect(found).toBe(is)
  })

  test.each<[then: string | undefined, now: string | undefined, is: string]>([
    ['changed', 'changed', 'send'],
    ['set', 'set', 'send'],
    ['unknown', 'changed', 'send'],
    ['unknown', 'set', 'send'],
    ['rotates', 'rotates', 'send'],
    ['rotates', 'changed', 'send'],
    ['changed', undefined, 'send'],
    [undefined, 'changed', STALE],
    ['set', 'changed', STALE],
    ['changed', 'rotates', STALE]
  ])('of a secret that was %s and is %s: %s', (then, now, is) => {
    const state = (word: string | undefined) =>
      word === undefined ? {} : { secrets: { '/auth/psk': word } as never }
    const operation = { pointer: '/auth/psk', before: null, after: REFERENCE, ...state(then) }
    const fact = { ...FACT, ...SECRET, live: null, ...state(now) }
    expect(verdict([operation], () => fact)).toEqual(is)
  })

  const OTHER: Operation = { pointer: '/ssid', before: 'Old', after: 'New' }
  const OTHER_FACT: Fact = {
    base: 'Old',
    merge: 'New',
    tip: 'New',
    live: 'Old',
    isTip: false,
    isBase: true
  }

  test.each<[string, Partial<Fact>, string]>([
    ['goes with the others', {}, 'send'],
    ['is not sent if another of its WLAN is stale', { live: 'X', isBase: false }, STALE],
    [
      'is not sent if a later merge overwrites another of its WLAN',
      { tip: 'Else' },
      `${OVERWRITTEN} of a part of it`
    ],
    ['is sent without one that is not of the merge', { base: 'New' }, 'send'],
    ['is sent though another is live', { live: 'New', isTip: true }, 'send']
  ])('%s', (_, other, is) => {
    const facts: Record<string, Fact> = { '/vlan_id': FACT, '/ssid': { ...OTHER_FACT, ...other } }
    expect(verdict([OPERATION, OTHER], at => facts[at] ?? FACT)).toEqual(is)
  })
})

const opened = (pull: number, address = 'b/corp'): OpenPermission => ({
  ...{ pull, merge: 'm1', base: 'm0', why: 'new', base_url: 'https://wlan.test', address },
  site: { id: address, name: address.split('/')[0] ?? '' },
  wlan: { id: address, ssid: 'Corp' },
  ...{ operations: [OPERATION], effects: {} }
})

describe('after a run', () => {
  const of = (status: Status, more = {}) => ({ ...outcome({ address: 'b/corp' }, status), ...more })
  const sent = undefined
  const decided = (pull: number, end?: End, wave = 0, address = 'b/corp'): Case => ({
    permission: opened(pull, address),
    ...{ end, wave }
  })
  type State = 'begun' | 'passed' | 'failed'
  const waves = (...states: readonly State[]) =>
    new Map(states.map((state, at): [number, State] => [at, state]))
  const ran = (outcomes: readonly ReturnType<typeof of>[], more: Partial<Execution> = {}) => ({
    outcomes: new Map(outcomes.map(each => [each.address, each])),
    waves: waves('passed'),
    inWaves: false,
    ...more
  })
  const NOTHING: Execution = { outcomes: new Map(), waves: new Map(), inWaves: false }
  const ends = (all: readonly Case[], execution: Execution = NOTHING) => {
    const result = afterRun(all, execution, 'not reached')
    return [
      ...result.open.map(each => `#${each.pull} open: ${each.why}`),
      ...result.settled.map(each => `#${each.pull} ${each.status}`)
    ]
  }
  const NOT_PASSED = { waves: waves('begun') }
  const UNCHECKED = '#1 open: live, and its wave has not passed its check yet'

  test.each<[string, ReturnType<typeof of> | undefined, Partial<Execution>, string]>([
    ['what was applied is settled', of('applied'), {}, '#1 applied'],
    ['what was live already is settled', undefined, {}, '#1 unchanged'],
    ['what was applied is open until its wave passes', of('applied'), NOT_PASSED, UNCHECKED],
    ['what was live already is open until its wave passes', undefined, NOT_PASSED, UNCHECKED],
    ['what waits is open', of('deferred', { reason: 'its window' }), {}, '#1 open: its window'],
    ['what is unknown is open', of('unknown'), NOT_PASSED, '#1 open: unknown'],
    [
      'what was not reached is open',
      of('skipped', { reason: 'interrupted' }),
      NOT_PASSED,
      '#1 open: interrupted'
    ],
    [
      'what failed by a fault that may pass is open',
      of('failed', { isTransient: true }),
      NOT_PASSED,
      '#1 open: failed'
    ],
    ['what the service refused is settled', of('failed'), NOT_PASSED, '#1 failed'],
    ['what is stale is settled', of('stale'), NOT_PASSED, '#1 stale'],
    ['what diverged is settled', of('diverged'), NOT_PASSED, '#1 diverged']
  ])('%s', (_, result, more, end) => {
    expect(ends([decided(1, sent)], ran(result === undefined ? [] : [result], more))).toEqual([end])
  })

  const IN_WAVES = { inWaves: true, waves: waves('begun', 'begun') }

  test('an outcome that needs a person settles the pull requests of its wave', () => {
    const all = [decided(1, sent, 0, 'a/corp'), decided(2, sent, 0, 'a/guest')]
    const execution = ran([of('diverged', { address: 'a/corp' })], IN_WAVES)
    expect(ends(all, execution)).toEqual(['#1 diverged', '#2 skipped'])
  })

  test('an unknown outcome stops a wave, and settles none', () => {
    const all = [decided(1, sent, 0, 'a/corp'), decided(2, sent, 0, 'a/guest')]
    const execution = ran([of('unknown', { address: 'a/corp' })], IN_WAVES)
    expect(ends(all, execution)).toEqual(['#1 open: unknown', UNCHECKED.replace('#1', '#2')])
  })
})
