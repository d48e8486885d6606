import { describe, expect, it, onTestFinished } from 'vitest'
import type { Desired } from '../../src/core/model/desired.ts'
import type { RecordedRun } from '../../src/core/model/record.ts'
import { loadTexts } from '../../src/fleet/load.ts'
import { approvePlan } from '../../src/run/approve.ts'
import type { RunContext } from '../../src/run/context.ts'
import { executePlan } from '../../src/run/execute-plan.ts'
import { makePlan } from '../../src/run/make-plan.ts'
import { parseRecord } from '../../src/run/record/read.ts'
import { planUndo, restoredSites } from '../../src/run/record/revert.ts'
import { undoOf } from '../../src/run/record/undo.ts'
import { planRollout, type RolloutSettings } from '../../src/run/rollout.ts'
import { scheduleOf } from '../../src/run/scheduled.ts'
import { openWriter } from '../../src/service/client.ts'
import { clockUntil } from '../../src/service/http/clock.ts'
import { simulate } from '../simulator/simulate.ts'
import { idOf, memorySink } from './apply/support.ts'

const names = ['hq', 's1', 's2'] as const
type Name = (typeof names)[number]

const WINDOW =
  'windows: [{ name: nights, from: "22:00", until: "05:00", impact: [reconnect, outage] }]'
const WAVES = 'rollout: [{ canary: hq }]'

/** The network changes of the fleet reconnect clients, so that the window defers them. */
const VLAN = 'vlan_id: 11'

/** A period in which the guests have another VLAN. */
const EVENT = `vlan_id: 10, $during: [{ from: 2026-12-04T18:00, until: 2026-12-07T06:00, reason: market, vlan_id: 20 }]`

/** Before the event, at noon of its first day and within the window of its first night, and after it. */
const BEFORE = '2026-12-04T12:00:00Z'
const BEGUN = '2026-12-04T18:10:00Z'
const NOON = '2026-12-05T12:00:00Z'
const NIGHT = '2026-12-05T23:00:00Z'
const ENDED = '2026-12-07T06:10:00Z'

interface RunSettings extends RolloutSettings {
  readonly interrupted?: AbortSignal
  /** The declared fields of `guest`; default: those of the estate. */
  readonly guest?: string
}

/** Three sites with a WLAN each, whose runs are recorded. `timezone`: that of `hq`. */
async function estate(given: string, policy = '', timezone = 'UTC') {
  const { simulator } = await simulate({
    sites: names.map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [
        { id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_id: 10, vlan_enabled: true, dtim: 1 }
      ]
    }))
  })
  const never = new AbortController().signal
  const writer = openWriter({
    baseUrl: simulator.url,
    tokens: [simulator.token],
    parallelism: 8,
    timeout: 20,
    userAgent: 'wlanctl/test',
    env: {},
    retryPolicy: { maxAttempts: 1, maxWait: 60, clock: clockUntil(never), random: Math.random }
  })
  onTestFinished(() => writer.close())
  const runs: RecordedRun[] = []

  const contextAt = (time: string, interrupted = never): RunContext => ({
    tool: 'wlanctl/test',
    now: () => new Date(time),
    interrupted,
    abortSignal: never,
    on: () => undefined
  })

  async function declared(time: string, guest = given): Promise<Desired> {
    const sites = names
      .map((name, n) => {
        const vars = name === 'hq' ? `, vars: { timezone: ${timezone} }` : ''
        return `  - { id: ${idOf(1, n)}, name: ${name}${vars} }\n`
      })
      .join('')
    const text = `sites:\n${sites}wlans:\n  guest: { ssid: Guest, ${guest} }\npolicy: { timezone: UTC, lint: { level: off }, ${policy} }\n`
    const { desired, findings } = await loadTexts(
      new Map([['fleet.yaml', text]]),
      undefined,
      new Date(time)
    )
    if (desired === undefined) throw new Error(JSON.stringify(findings))
    return desired
  }

  /** Records what a run does, and returns the outcomes and the updates. */
  async function recording(
    work: (record: Parameters<typeof executePlan>[2]['record']) => ReturnType<typeof executePlan>
  ) {
    const { sink, text } = memorySink()
    const before = simulator.history.length
    const file = { ...sink, close: async () => undefined }
    const { outcomes, failedWave } = await work({ file: 'record', open: async () => file })
    runs.push(...parseRecord(text(), 'record'))
    return {
      outcomes: Object.fromEntries(outcomes.map(({ address, status }) => [address, status])),
      failedWave,
      sent: simulator.history.length - before
    }
  }

  const execution = { verifyTimeout: 0, parallelism: 1, maxAttempts: 1 }

  async function run(
    time: string,
    { guest, interrupted, ...settings }: RunSettings,
    recorded?: readonly RecordedRun[]
  ) {
    const whole = await declared(time, guest)
    const context = contextAt(time, interrupted)
    const schedule =
      recorded &&
      (await scheduleOf(whole, recorded, { baseUrl: writer.baseUrl, now: new Date(time) }))
    const requests = simulator.requests.length
    const result = await makePlan(
      schedule?.desired ?? whole,
      writer,
      { parallelism: 1, ...schedule?.request },
      context
    )
    const reads = simulator.requests.length - requests
    const approved = approvePlan(result)
    const { obstacles, waiting = [] } = schedule ?? {}
    const decided = [...approved.decided, ...waiting]
    const rollout = planRollout(whole, result, approved, { ...settings, obstacles }, context)
    const { policy, calendar } = whole
    const planned = { ...result, ...approved, decided, ...rollout, policy }
    const input = { ...planned, ...(calendar && { calendar }) }
    const done = await recording(record =>
      executePlan(
        { command: 'apply', ...input },
        writer,
        { ...execution, ...(record && { record }) },
        context
      )
    )
    const withheld = result.plan.findings
      .filter(({ code }) => code === 'NOT_SCHEDULED')
      .map(({ address, message }) => `${address}: ${message.replaceAll(/[0-9a-f]{8}/g, 'RUN')}`)
    return { ...done, reads, withheld }
  }

  return {
    runs,
    apply: (time: string, settings: RunSettings = {}) => run(time, settings),
    /** A scheduled apply with all records so far. */
    scheduled: (time: string, settings: RunSettings = {}, records = runs) =>
      run(time, settings, [...records]),
    /** Reverts the last run that sent something. */
    async revert(time: string) {
      const last = runs.findLast(({ changes }) => changes.length > 0)
      const undos = undoOf(last ? [last] : [])
      const undone = new Map(undos.map(undo => [undo.address, undo]))
      const { policy } = await declared(time)
      const desired = { policy, sites: restoredSites(undos, 'record'), findings: [] }
      const context = contextAt(time)
      const result = await makePlan(
        desired,
        writer,
        { parallelism: 1, lint: false, planner: (site, live) => planUndo(site, live, undone) },
        context
      )
      const input = { ...result, ...approvePlan(result), policy }
      return recording(record =>
        executePlan(
          { command: 'revert', ...input },
          writer,
          { ...execution, ...(record && { record }) },
          context
        )
      )
    },
    edit: (name: Name, fields: Readonly<Record<string, number | boolean>>) => {
      const n = names.indexOf(name)
      simulator.edit(idOf(1, n), idOf(2, n), fields)
    },
    vlans: () => names.map((_, n) => simulator.record(idOf(1, n), idOf(2, n))?.['vlan_id']),
    dtims: () => names.map((_, n) => simulator.record(idOf(1, n), idOf(2, n))?.['dtim'])
  }
}

/** The same outcome of the guests at all sites. */
function everywhere(status: string) {
  return Object.fromEntries(names.map(name => [`${name}/guest`, status]))
}

describe('a scheduled apply leaves alone what a run did not send', () => {
  it('after its canary failed', async () => {
    const { apply, scheduled, vlans } = await estate(VLAN, WAVES)
    const check = async () => 'the check failed'
    expect(await apply(NOON, { check })).toMatchObject({
      outcomes: { 'hq/guest': 'applied', 's1/guest': 'skipped', 's2/guest': 'skipped' }
    })
    const reason =
      'a scheduled apply does not send /vlan_id: it is skipped in the run RUN: wave canary: the check failed'
    expect(await scheduled(NIGHT)).toMatchObject({
      outcomes: {},
      sent: 0,
      reads: 0,
      withheld: [`s1/guest: ${reason}`, `s2/guest: ${reason}`]
    })
    expect(vlans()).toEqual([11, 10, 10])
  })

  it('after a person interrupted it', async () => {
    const { apply, scheduled, vlans } = await estate(VLAN, WAVES)
    const stop = new AbortController()
    const check = async () => {
      stop.abort()
      return undefined
    }
    const { outcomes } = await apply(NOON, { check, interrupted: stop.signal })
    expect(outcomes).toMatchObject({ 'hq/guest': 'applied', 's1/guest': 'skipped' })
    expect(await scheduled(NIGHT)).toMatchObject({ sent: 0, reads: 0 })
    expect(vlans()).toEqual([11, 10, 10])
  })

  it('after a check failed while it waited', async () => {
    const guest = `${VLAN}, allow_mdns: true`
    const { apply, scheduled, edit, vlans } = await estate(guest, WINDOW)
    edit('hq', { vlan_id: 11 })
    const { outcomes } = await apply(NOON, { check: async () => 'the check failed' })
    expect(outcomes).toMatchObject({ 'hq/guest': 'applied', 's1/guest': 'deferred' })
    const { sent, withheld } = await scheduled(NIGHT)
    expect({ sent, withheld: withheld[0] }).toEqual({
      sent: 0,
      withheld:
        's1/guest: a scheduled apply does not send /allow_mdns, /vlan_id: the run RUN, in which it waited, was stopped: the check failed'
    })
    expect(vlans()).toEqual([11, 10, 10])
  })

  it('after an edit', async () => {
    const { apply, scheduled, edit, vlans, dtims } = await estate(VLAN, WINDOW)
    await apply(NOON)
    edit('s1', { vlan_id: 55 })
    edit('s2', { dtim: 3 })
    expect(await scheduled(NIGHT, { guest: `${VLAN}, dtim: 1` })).toMatchObject({
      outcomes: { 'hq/guest': 'applied', 's2/guest': 'applied' },
      withheld: [
        's1/guest: a scheduled apply does not send /vlan_id: it waited in the run RUN, and it is not the approved change: plan again'
      ]
    })
    expect([vlans(), dtims()]).toEqual([
      [11, 55, 11],
      [1, 1, 3]
    ])
  })
})

describe('a deferred change', () => {
  it('is sent once its window opens, and then only again by a person', async () => {
    const { apply, scheduled, edit, vlans } = await estate(VLAN, WINDOW)
    expect((await apply(NOON)).outcomes).toEqual(everywhere('deferred'))
    expect(await scheduled(NOON)).toMatchObject({ outcomes: everywhere('deferred'), reads: 0 })
    expect(await scheduled(NIGHT)).toMatchObject({ outcomes: everywhere('applied'), reads: 3 })
    edit('s1', { vlan_id: 10 })
    expect(await scheduled(NIGHT)).toMatchObject({ sent: 0, reads: 0, withheld: [] })
    expect(vlans()).toEqual([11, 10, 11])
  })

  it.each([
    ['has another value in the files', 'vlan_id: 12', 'not the approved change'],
    ['is no longer declared', 'dtim: 1', undefined]
  ])('is not sent if it %s', async (_, guest, reason) => {
    const { apply, scheduled, vlans } = await estate(VLAN, WINDOW)
    await apply(NOON)
    const { sent, withheld } = await scheduled(NIGHT, { guest })
    expect({ sent, vlans: vlans() }).toEqual({ sent: 0, vlans: [10, 10, 10] })
    const expected = reason === undefined ? [] : Array(3).fill(expect.stringContaining(reason))
    expect(withheld).toEqual(expected)
  })

  it('is not sent after a revert, and a revert of that leaves nothing to send', async () => {
    const { apply, scheduled, revert, vlans } = await estate(VLAN, `${WINDOW}, ${WAVES}`)
    await apply(NOON)
    await scheduled(NIGHT)
    await revert(NIGHT)
    expect(vlans()).toEqual([10, 10, 10])
    expect(await scheduled(NIGHT)).toMatchObject({
      sent: 0,
      withheld: names.map(
        name => `${name}/guest: a scheduled apply does not send /vlan_id: the run RUN reverted it`
      )
    })
    await revert(NIGHT)
    expect(await scheduled(NIGHT)).toMatchObject({ sent: 0, withheld: [] })
    expect(vlans()).toEqual([11, 11, 11])
  })

  it('is not sent after a revert of another part of its run', async () => {
    const guest = `${VLAN}, allow_mdns: true`
    const { apply, scheduled, revert, edit, vlans } = await estate(guest, WINDOW)
    edit('hq', { vlan_id: 11 })
    await apply(NOON)
    await revert(NOON)
    const { sent, withheld } = await scheduled(NIGHT)
    expect({ sent, vlans: vlans() }).toEqual({ sent: 0, vlans: [11, 10, 10] })
    expect(withheld.join()).toContain('in which it waited, was stopped: the run RUN reverted it')
  })

  it('waits for the canary in another time zone', async () => {
    const { apply, scheduled, vlans } = await estate(
      VLAN,
      `${WINDOW}, ${WAVES}`,
      'America/New_York'
    )
    await apply(NOON)
    expect(await scheduled(NIGHT)).toMatchObject({
      outcomes: everywhere('deferred'),
      sent: 0,
      reads: 3
    })
    expect((await scheduled('2026-12-06T04:00:00Z')).outcomes).toEqual(everywhere('applied'))
    expect(vlans()).toEqual([11, 11, 11])
  })

  it('goes wave by wave, and stops with the canary', async () => {
    const { apply, scheduled, edit, vlans } = await estate(VLAN, `${WINDOW}, ${WAVES}`)
    await apply(NOON)
    edit('hq', { vlan_id: 55 })
    expect(await scheduled(NIGHT)).toMatchObject({
      outcomes: { 's1/guest': 'skipped', 's2/guest': 'skipped' },
      failedWave: 'wave canary: hq/guest is not sent by the scheduled apply'
    })
    expect(await scheduled(NIGHT)).toMatchObject({ sent: 0 })
    expect(vlans()).toEqual([55, 10, 10])
  })
})

describe('a period', () => {
  it('begins and ends, without a record', async () => {
    const { scheduled, vlans } = await estate(EVENT)
    expect(await scheduled(BEFORE, {}, [])).toMatchObject({ sent: 0, reads: 0 })
    expect((await scheduled(BEGUN, {}, [])).outcomes).toEqual(everywhere('applied'))
    expect(vlans()).toEqual([20, 20, 20])
    expect(await scheduled(NOON, {}, [])).toMatchObject({ sent: 0, reads: 3 })
    expect((await scheduled(ENDED, {}, [])).outcomes).toEqual(everywhere('applied'))
    expect(vlans()).toEqual([10, 10, 10])
  })

  it('is no request once the record has its change', async () => {
    const { scheduled, vlans, edit } = await estate(EVENT)
    await scheduled(BEGUN)
    edit('s1', { vlan_id: 10 })
    expect(await scheduled(NOON)).toMatchObject({ sent: 0, reads: 0 })
    expect(vlans()).toEqual([20, 10, 20])
  })

  it('changes its own fields only, and only if live has the value before', async () => {
    const { scheduled, vlans, dtims, edit } = await estate(`${EVENT}, dtim: 2`)
    edit('s1', { vlan_id: 55 })
    expect(await scheduled(BEGUN)).toMatchObject({
      outcomes: { 'hq/guest': 'applied', 's2/guest': 'applied' },
      withheld: [
        's1/guest: a scheduled apply does not send /vlan_id: live has neither the declared value nor the one before the period'
      ]
    })
    expect([vlans(), dtims()]).toEqual([
      [20, 55, 20],
      [1, 1, 1]
    ])
  })

  it('waits for its window, and for its wave', async () => {
    const { scheduled, vlans } = await estate(EVENT, `${WINDOW}, ${WAVES}`)
    expect((await scheduled(BEGUN)).outcomes).toEqual(everywhere('deferred'))
    expect((await scheduled(NIGHT)).outcomes).toEqual(everywhere('applied'))
    expect(vlans()).toEqual([20, 20, 20])
  })

  it('does not go on after a failed canary, and ends by itself', async () => {
    const { scheduled, vlans } = await estate(EVENT, WAVES)
    const check = async () => 'the check failed'
    await scheduled(BEGUN, { check })
    expect(await scheduled(NOON)).toMatchObject({ sent: 0, reads: 0 })
    expect(vlans()).toEqual([20, 10, 10])
    expect((await scheduled(ENDED)).outcomes).toEqual({ 'hq/guest': 'applied' })
    expect(vlans()).toEqual([10, 10, 10])
  })

  it('stays away after a revert until its end', async () => {
    const { scheduled, revert, vlans } = await estate(EVENT)
    await scheduled(BEGUN)
    await revert(NOON)
    expect(await scheduled(NIGHT)).toMatchObject({ sent: 0, reads: 0 })
    expect(vlans()).toEqual([10, 10, 10])
    expect(await scheduled(ENDED)).toMatchObject({ sent: 0 })
  })

  it('that follows another one begins if the first one never did', async () => {
    const twice = `vlan_id: 10, $during: [{ from: 2026-12-04T18:00, until: 2026-12-05T18:00, reason: a, vlan_id: 20 }, { from: 2026-12-05T18:00, until: 2026-12-07T06:00, reason: b, vlan_id: 30 }]`
    const { scheduled, vlans } = await estate(twice)
    await scheduled(NIGHT)
    expect(vlans()).toEqual([30, 30, 30])
  })
})
