import { onTestFinished } from 'vitest'
import type { Desired } from '../../src/core/model/desired.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { loadTexts } from '../../src/fleet/load.ts'
import { approvePlan, refuseForbidden } from '../../src/run/approve.ts'
import type { RunContext } from '../../src/run/context.ts'
import { type ExecuteOptions, executePlan } from '../../src/run/execute-plan.ts'
import { makePlan } from '../../src/run/make-plan.ts'
import { planRollout } from '../../src/run/rollout.ts'
import { openWriter } from '../../src/service/client.ts'
import { clockUntil } from '../../src/service/http/clock.ts'
import { simulate } from '../simulator/simulate.ts'
import { idOf } from './apply/support.ts'

const names = ['hq', 's1', 's2'] as const

/** The lines of a fleet that declare three sites, whose WLANs differ from the service. */
const SITES = `sites:
${names.map((name, n) => `  - { id: ${idOf(1, n)}, name: ${name}, vars: { timezone: UTC } }\n`).join('')}wlans:
`

/** The steps of a run, on a service with the WLANs `guest` and `iot` at three sites. */
export async function setRun() {
  const { simulator } = await simulate({
    sites: names.map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [
        { id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_id: 10, vlan_enabled: true },
        { id: idOf(3, n), ssid: 'IoT', enabled: true, allow_mdns: false }
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
  const contextAt = (time: string): RunContext => ({
    tool: 'wlanctl/test',
    now: () => new Date(time),
    interrupted: never,
    abortSignal: never,
    on: () => undefined
  })
  const consent = { allowances: { maxChanges: 'all' }, confirm: async () => undefined } as const
  const options: ExecuteOptions = { verifyTimeout: 0, parallelism: 1, maxAttempts: 1, ...consent }
  return {
    simulator,
    /** Plans a fleet of these WLANs and this policy, at noon unless told otherwise. */
    async plan(policy = '{}', { guest = '', at = '2026-11-23T12:00:00Z' } = {}) {
      const wlans = `  guest: { ssid: Guest, vlan_id: 11${guest} }\n  iot: { ssid: IoT, allow_mdns: true }\n`
      const desired = await declared(`${SITES}${wlans}policy: ${policy}\n`)
      const context = contextAt(at)
      const result = await makePlan(desired, writer, { parallelism: 1 }, context)
      const approved = (files?: readonly Plan[], expect = result.plan.digest) =>
        approvePlan(result, files, expect)
      const approvedAs = (plan: Plan) => approvePlan({ ...result, plan })
      const forbid = (allowances = {}) =>
        refuseForbidden({ ...desired, ...result, ...approved() }, allowances)
      const execute = async (more: Partial<ExecuteOptions> = {}) => {
        const { policy, managed, calendar } = desired
        const changes = approved()
        const rollout = planRollout(desired, result, changes, {}, context)
        const guards = { policy, managed, ...(calendar && { calendar }) }
        const input = { ...result, ...changes, ...rollout, ...guards }
        return executePlan({ command: 'apply', ...input }, writer, { ...options, ...more }, context)
      }
      return { ...result, approved, approvedAs, forbid, execute }
    }
  }
}

async function declared(text: string): Promise<Desired> {
  const { desired, findings } = await loadTexts(new Map([['fleet.yaml', text]]))
  if (desired === undefined) throw new Error(JSON.stringify(findings))
  return desired
}
