import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Outcome } from '../../src/core/model/outcome.ts'
import type { Change } from '../../src/core/model/plan.ts'
import type { RecordedRun } from '../../src/core/model/record.ts'
import { Secret } from '../../src/core/values/secret.ts'
import { formats } from '../../src/report/formats.ts'
import { formatNames, type Report } from '../../src/report/report.ts'
import { changeOf, env, planOf } from './plans.ts'

/** Names of networks that try to have an effect in a report. */
const names: readonly string[] = [
  '\u001b]0;title\u0007',
  '\u001b[2J\u001b[31mgone',
  'a\r\nb',
  'x\n::error::pwned',
  '::error file=x::pwned',
  '  ::add-mask::x',
  '##[error]pwned',
  '##vso[task.complete result=Failed;]',
  '\u202egnp.exe',
  'Guest\u200b',
  '\u2028::warning::x',
  '\ud800',
  '\u009b31m',
  'Gu\u00adest\ufeff'
]

const hidden = 'the-secret-itself'

/** Reports in which every external text is this one, and every secret the hidden one. */
function reports(name: string): Report[] {
  const place = { file: `${name}.yaml`, line: 1, column: 1 }
  const secret = new Secret({ $env: `WLAN_SECRET_${name}` }, hidden)
  const long = Array.from({ length: 9 }, (_, n) => `${name}${n}`)
  const change = changeOf(
    `${name}/${name}`,
    'outage',
    {
      ssid: [name, `${name}2`],
      [name]: [undefined, name],
      'auth.psk': [Secret.live(hidden), secret],
      auth_servers: [[{ host: name, secret: Secret.live(hidden) }], [{ host: name, secret }]],
      list: [long, long.toReversed()],
      object: [{ [name]: 1 }, { [name]: { psk: secret } }]
    },
    { wlan: { id: name, ssid: name }, origin: place, not_compared: [`/${name}`] }
  )
  const found: Finding = {
    level: 'error',
    code: 'WLAN_NOT_FOUND',
    message: name,
    hint: name,
    place,
    path: name,
    address: name
  }
  const { place: _, path: __, ...site } = found
  const findings: Finding[] = [
    found,
    { ...found, address: `${name}2` },
    { ...site, code: 'SITE_NOT_READ' },
    { ...site, code: 'SITE_NOT_READ', address: `${name}2` }
  ]
  const next = changeOf('other/x', undefined, { dtim: [1, 2] })
  const rollout = [
    { name, sites: [change.site.name] },
    { name: `${name}2`, sites: ['other'] }
  ]
  const plan = planOf([change, next], {
    rollout,
    deferred: [{ address: name, windows: [name], until: '2026-12-24T00:00:00Z', local: name }],
    not_compared: [{ address: name, pointers: [`/${name}`] }],
    unmanaged: [{ site: name, id: name, ssid: name }],
    findings,
    digest: name
  })
  const outcome: Outcome = {
    address: name,
    status: 'diverged',
    reason: `${name} ${'long '.repeat(30)} ${name}`,
    fields: [
      { pointer: `/${name}`, before: name, wanted: long, found: Secret.live(hidden) },
      { pointer: '/auth', before: { [name]: secret }, wanted: env('X') }
    ],
    sideEffects: [`/${name}`, ...long.map(each => `/${each}`)],
    notVerifiable: [`/${name}`],
    wave: name
  }
  const ended: Outcome = { ...outcome, address: 'other/x' }
  return [
    { kind: 'plan', plan },
    { kind: 'drift', plan },
    { kind: 'outcomes', plan, outcomes: [outcome, ended], failedWave: name },
    { kind: 'findings', findings },
    { kind: 'record', runs: [recordOf([change, next], outcome, name)] }
  ]
}

/** The record of a run with a failed wave. */
function recordOf(changes: readonly Change[], outcome: Outcome, name: string): RecordedRun {
  const at = '2026-11-20T10:00:00.000Z'
  return {
    id: '0a1b2c3d',
    command: 'apply',
    tool: name,
    baseUrl: name,
    digest: name,
    started: at,
    waves: [{ name, changes: 2, started: at, ended: at, problem: name }],
    changes: changes.map(change => ({
      change,
      outcome,
      lostSecrets: [`/${name}`],
      at,
      timeline: [{ at, step: 'answered', note: name }],
      line: 1
    }))
  }
}

/** The workflow commands in a log; only the format `github` has any. */
function commands(text: string): string[] {
  return [...text.matchAll(/^\s*::([\w-]*)/gm)].map(([, command = '']) => command)
}

describe.each(formatNames)('%s', format => {
  const textsOf = (name: string, width: number) =>
    reports(name).map(report => formats[format](report, { colour: false, width }))
  // Most formats do not depend on the width, and are rendered once.
  const widths = [40, 80, 300].filter(
    (width, at) => at === 0 || textsOf('name', width).join() !== textsOf('name', 40).join()
  )
  const texts = (name: string) => widths.flatMap(width => textsOf(name, width))

  const harmless = texts('name').map(commands)

  it.each(names)('escapes %j everywhere', name => {
    for (const [at, text] of texts(name).entries()) {
      expect(text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
      expect(text).not.toMatch(/##\w*\[/)
      expect(commands(text)).toEqual(harmless[at])
    }
  })

  it('contains no secret', () => {
    for (const text of texts('name')) {
      expect(text).not.toContain(hidden)
      expect(text).not.toContain('value-of-')
    }
  })

  it('shows harmless text unchanged', () => {
    for (const text of texts('Café 東京')) expect(text).toContain('Café 東京')
  })
})

it.each(formatNames.filter(name => name !== 'github'))('%s prints no workflow command', format => {
  for (const report of reports('name')) {
    expect(commands(formats[format](report, { colour: false, width: 80 }))).toEqual([])
  }
})

it('gives a program the same text that JSON escapes for a log', () => {
  for (const name of names) {
    const [plan] = reports(name)
    if (plan?.kind !== 'plan') throw new Error('the first report is a plan')
    const read = JSON.parse(formats.json(plan))
    expect(read).toEqual(JSON.parse(JSON.stringify(plan.plan)))
  }
})
