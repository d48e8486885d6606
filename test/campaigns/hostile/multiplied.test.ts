import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../support/properties.ts'
import { arena } from './arena.ts'
import { siteId } from './service.ts'
import { all, type Bounds } from './survive.ts'

/**
 * Fleets of a few KiB or MiB whose parts multiply: profiles times profiles, sites times WLANs times variables,
 * globs times sites. Each is loaded within the limits, or is too large.
 */

const bounds: Bounds = { cpu: 5, megabytes: 500, seconds: 120 }

type Files = Readonly<Record<string, string>>

const list = (count: number, item: (at: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, at) => item(at)).join(separator)

const zones = Intl.supportedValuesOf('timeZone')

interface Shape {
  readonly sites: number
  readonly wlans: number
  /** The number of profiles, and of the profiles below each that it extends. */
  readonly profiles: number
  readonly width: number
  /** The number of fields of each profile and WLAN that the schema does not know. */
  readonly fields: number
  readonly value: 'plain' | 'text' | 'variable' | 'unknown variable' | 'format' | 'wrong'
  readonly overrides: boolean
  readonly groups: number
  readonly policy: 'none' | 'waves' | 'percentages' | 'waivers' | 'windows' | 'rules' | 'patterns'
  readonly globs: number
}

const plain: Shape = {
  sites: 1,
  wlans: 1,
  profiles: 0,
  width: 1,
  fields: 0,
  value: 'plain',
  overrides: false,
  groups: 0,
  policy: 'none',
  globs: 1
}

const values: Readonly<Record<Shape['value'], string>> = {
  plain: '1',
  text: 'abbabbbaabababaa'.repeat(1000),
  variable: '{ $var: v }',
  'unknown variable': '{ $var: unknown }',
  format: `{ $format: "${'{long}'.repeat(100)}" }`,
  wrong: '[x]'
}

/** A glob with 99 alternatives, each of which backtracks. */
const glob = (at: number) => `"s*{${list(99, n => `*a*a*${n % 10}`, ',')}}${at}"`

const dated = (at: number) => `site: ${glob(at)}, reason: r, until: 2099-01-01`

const policies: Readonly<Record<Shape['policy'], (globs: number) => string>> = {
  none: () => '',
  waves: globs => `rollout: [{ a: [${list(globs, at => `"s1*${at}*x"`)}] }, { b: "*" }]`,
  percentages: () => `rollout: [${list(20, at => `{ w${at}: ${5 * at + 5}% }`)}]`,
  waivers: globs =>
    `rules: [{ name: r, message: m, require: { required: [dtim] } }], waivers: [${list(globs, at => `{ rule: r, ${dated(at)} }`)}]`,
  rules: globs =>
    `rules: [${list(globs, at => `{ name: r${at}, message: m, require: { additionalProperties: { anyOf: [${list(150, () => '{ not: {} }')}] } } }`)}]`,
  patterns: globs =>
    `rules: [${list(globs, at => `{ name: r${at}, message: m, require: { additionalProperties: { not: { pattern: "[ab]*a[ab]{90}[cd]" } } } }`)}]`,
  windows: globs =>
    `windows: [${list(globs, at => `{ name: n${at}, from: "02:00", until: "03:00", impact: [outage] }`)}]`
}

function filesOf(shape: Shape): Files {
  const { sites, wlans, profiles, width, fields, overrides, groups, policy } = shape
  const own = list(fields, at => `, f${at}: ${values[shape.value]}`, '')
  const below = (at: number) => list(Math.min(at, width), n => `p${at - 1 - n}`)
  const extending = profiles === 0 ? '' : `, $extends: p${profiles - 1}`
  const site = (at: number) =>
    `- { id: ${siteId(at)}, name: s${at}, groups: [${list(groups, n => `g${n}`)}], ` +
    `vars: { v: ${at}, long: ${'y'.repeat(500)}, timezone: ${zones[at % zones.length]} }` +
    `${overrides ? `, wlans: { w0: { vlan_id: 1 } }` : ''} }\n`
  const perFile = Math.max(1, Math.min(4000, Math.floor(150_000 / (40 + 2 * groups))))
  const files = Array.from({ length: Math.ceil(sites / perFile) }, (_, file) => {
    const first = file * perFile
    const ofFile = list(Math.min(perFile, sites - first), at => site(first + at), '')
    const blocks = list(wlans, at => `  w${at}: { ssid: w${at}${extending}${own} }\n`, '')
    return [`s${file}.yaml`, `sites:\n${ofFile}wlans:\n${blocks}`] as const
  })
  return {
    ...Object.fromEntries(files),
    'p.yaml': `profiles:\n  base: {}\n${list(profiles, at => `  p${at}: { $extends: [${below(at)}]${own} }\n`, '')}`,
    'g.yaml': `groups:\n  base: {}\n${list(groups, at => `  g${at}: { vars: { a${at}: 1 } }\n`, '')}`,
    'policy.yaml': `policy: { unknown_fields: warn, ${policies[policy](shape.globs)} }\n`
  }
}

async function validate(files: Files): Promise<void> {
  const { run, write } = await arena()
  for (const [name, text] of Object.entries(files)) write(`wide/${name}`, text)
  const { code, stdout } = await run('validate wide --format json', { codes: [0, 3, 4], bounds })
  if (code === 3) expect(JSON.parse(stdout).findings).not.toEqual([])
}

/** Each of these took more than the limits before a budget counted its work. */
const known: Readonly<Record<string, Partial<Shape>>> = {
  'each profile extends the two below it': { profiles: 60, width: 2 },
  'a chain of 4,900 profiles': { profiles: 4900 },
  'unknown fields of a profile': { sites: 2000, profiles: 1, fields: 2000 },
  'unknown variables': { sites: 1000, fields: 2000, value: 'unknown variable' },
  'long formats': { sites: 2000, fields: 20, value: 'format' },
  'percentages of many sites': { sites: 40_000, policy: 'percentages' },
  'globs of waves': { sites: 10_000, policy: 'waves', globs: 15_000 },
  'globs of waivers': { sites: 10_000, policy: 'waivers', globs: 100 },
  'many sites in windows': { sites: 40_000, policy: 'windows', globs: 50 },
  'rules about many values': { wlans: 20, fields: 2000, policy: 'rules', globs: 100 },
  'patterns that are slow': {
    wlans: 20,
    fields: 10,
    value: 'text',
    policy: 'patterns',
    globs: 100
  },
  'sites in many groups': { sites: 1000, groups: 500 }
}

it('parts that multiply', async () => {
  await all(known, shape => validate(filesOf({ ...plain, ...shape })), 1)
}, 600_000)

/** The length of texts that the test itself can build and write; more is far above the limits of a fleet. */
const MAX_WRITTEN = 2 ** 27

const count = (...counts: readonly number[]) => fc.constantFrom(0, 1, ...counts)

const shapes: fc.Arbitrary<Shape> = fc.record({
  sites: fc.constantFrom(1, 20, 400, 5000),
  wlans: count(10, 200, 2000),
  profiles: count(10, 60, 1000),
  width: fc.constantFrom(1, 2, 10, 100),
  fields: count(3, 30, 500),
  value: fc.constantFrom<Shape['value'][]>(
    'plain',
    'text',
    'variable',
    'unknown variable',
    'format',
    'wrong'
  ),
  overrides: fc.boolean(),
  groups: count(10, 300),
  policy: fc.constantFrom<Shape['policy'][]>(
    'none',
    'waves',
    'percentages',
    'waivers',
    'windows',
    'rules',
    'patterns'
  ),
  globs: fc.constantFrom(1, 20, 50)
})

it('generated fleets', async () => {
  const isWritable = ({ wlans, profiles, fields, value }: Shape) =>
    (wlans + profiles) * fields * values[value].length < MAX_WRITTEN
  const property = fc.asyncProperty(shapes.filter(isWritable), shape => validate(filesOf(shape)))
  // A failed run takes seconds, and so would each step to a smaller one.
  await fc.assert(property, { ...runs(20), endOnFailure: true })
}, 3_600_000)
