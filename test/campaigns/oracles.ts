import { expect } from 'vitest'
import { defaultPolicy } from '../../src/core/model/defaults.ts'
import type { DesiredSite } from '../../src/core/model/desired.ts'
import { Failure } from '../../src/core/model/failure.ts'
import { outcomeData } from '../../src/core/model/outcome.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { isPolicyRefusal } from '../../src/core/model/refusals.ts'
import { assemble, planSite } from '../../src/core/plan/plan.ts'
import { formatSnapshot, takeSnapshot } from '../../src/files/snapshot.ts'
import type { LoadedFleet } from '../../src/fleet/load.ts'
import { escapeJson } from '../../src/report/escape.ts'
import { formats } from '../../src/report/formats.ts'
import { formatNames, type Report } from '../../src/report/report.ts'
import { outcome } from '../../src/run/apply/outcome.ts'
import { RunRecorder } from '../../src/run/record/recorder.ts'
import { TransportError } from '../../src/service/http/error.ts'
import type { ApiResponse } from '../../src/service/http/response.ts'
import { readRecords } from '../../src/service/live.ts'
import type { Json } from '../../src/simulator/json.ts'
import { loaded } from '../fleet/fleet.ts'
import { bytes, unbalanced } from '../report/markdown/skeleton.ts'
import { FLEET, site, wlans } from './canaries/secrets.ts'

/** Throws if a text has control characters, or belongs to a crash. */
export function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
  expect(text).not.toMatch(/##\w*\[/)
  expect(text).not.toMatch(/^\s*::/m)
  expect(text).not.toMatch(/this is a bug|^ {4}at /m)
}

/** A log for GitHub without the workflow commands of that format, whose groups must be balanced. */
function withoutOurCommands(log: string): string {
  const folds = log.match(/^::(?:end)?group::/gm) ?? []
  expect(folds).toEqual(folds.map((_, at) => (at % 2 === 0 ? '::group::' : '::endgroup::')))
  const fold = 'group::.*|endgroup::'
  const annotation = '(?:error|warning|notice) (?:file=[^,:]*,line=\\d+,col=\\d+,)?title=[^,:]*::.*'
  return log.replace(new RegExp(`^::(?:${fold}|${annotation})$`, 'gm'), '')
}

/** Throws if a comment exceeds GitHub's limit, or has unclosed elements. */
function expectWhole(comment: string): void {
  expect(bytes(comment)).toBeLessThan(65_536)
  expect(unbalanced(comment)).toEqual([])
  expect(comment.match(/<!--/g)).toHaveLength(1)
}

/** Renders a report in every format. */
export function expectShown(report: Report): void {
  for (const name of formatNames) {
    const text = formats[name](report, { colour: false, width: 80 })
    expectHarmless(name === 'github' ? withoutOurCommands(text) : text)
    if (name === 'json') JSON.parse(text)
    if (name === 'markdown') expectWhole(text)
  }
}

/** Checks that the result of loading is a fleet, or errors with locations. */
export function expectLoaded({ desired, findings }: LoadedFleet): void {
  const isWrong = findings.some(found => found.level === 'error' && !isPolicyRefusal(found))
  expect(desired === undefined).toBe(isWrong)
  for (const { message, place } of findings) {
    expect(message).toEqual(expect.any(String))
    expect(place?.line ?? 1).toBeGreaterThan(0)
    expect(place?.column ?? 1).toBeGreaterThan(0)
  }
  expectShown({ kind: 'findings', findings })
}

/** The result of a function; undefined if it throws an expected error. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof Failure || thrown instanceof TransportError) return undefined
    throw thrown
  }
}

/** A response 200 with this JSON. */
export function answerOf(json: Json): ApiResponse {
  // The reader takes ownership of the JSON.
  return {
    json: structuredClone(json),
    bytes: 0,
    values: 0,
    sentAt: 0,
    header: () => undefined,
    addSecret: () => undefined
  }
}

/** The only site of the fleet of the campaigns, its secrets unresolved. */
export async function declaredSite(): Promise<DesiredSite> {
  const [first] = (await loaded({ 'hq.yaml': FLEET })).sites
  if (first === undefined) throw new Error('the fleet declares no site')
  return first
}

/** The plan for this list response; undefined if the response is rejected. */
export function planOn(answer: Json, declared: DesiredSite): Plan | undefined {
  const wlans = unlessRefused(() => readRecords(answerOf(answer), site))
  return (
    wlans &&
    assemble([planSite(declared, { site, wlans })], {
      tool: 'wlanctl/0.0.0',
      created: '2026-11-20T10:00:00Z',
      baseUrl: 'https://api.example.com',
      policy: defaultPolicy,
      findings: [],
      requests: 1
    })
  )
}

/** The snapshot for this list response; undefined if the response is rejected. */
export function snapshotOf(answer: Json): string | undefined {
  const wlans = unlessRefused(() => readRecords(answerOf(answer), site))
  const facts = { tool: 'wlanctl/0.0.0', created: '2026-11-20T10:00:00Z', requests: 1 }
  const taken =
    wlans && takeSnapshot([{ site, wlans }], { ...facts, base_url: 'https://api.example.com' })
  return taken && escapeJson(formatSnapshot(taken))
}

/** The record of a run that applied all changes of the campaign's fleet. */
export async function recorded(declared: DesiredSite): Promise<string> {
  let text = ''
  const append = (more: string) => {
    text += more
  }
  const facts = {
    run: '0a1b2c3d',
    tool: 'wlanctl/0.0.0',
    command: 'apply',
    base_url: 'https://api.example.com',
    digest: `sha256:${'1'.repeat(64)}`
  } as const
  const recorder = new RunRecorder(
    { append, flush: async () => undefined },
    { ...facts, now: () => new Date(0) }
  )
  const live = readRecords(answerOf(wlans), site)
  const { wlanPlans: verdicts } = planSite(declared, { site, wlans: live })
  const planned = verdicts.filter(verdict => verdict.status === 'changed')
  await recorder.begin(planned)
  const outcomes = planned.map(({ change }) => outcome(change, 'applied'))
  for (const { change } of planned) {
    const { address } = change
    await recorder.starting({ step: 'sending', address, attempt: 1 })
    recorder.record({ step: 'answered', address })
  }
  for (const each of outcomes) recorder.record({ step: 'outcome', ...outcomeData(each) })
  await recorder.end(outcomes)
  return text
}
