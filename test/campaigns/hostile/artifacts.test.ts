import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import type { Change } from '../../../src/core/model/plan.ts'
import { digestOf } from '../../../src/core/plan/digest.ts'
import { type Arena, arena } from './arena.ts'
import { siteId, wlanId } from './service.ts'
import { all, fileBounds } from './survive.ts'

/** Forged plans, records, snapshots and site lists. The program handles each in two seconds and 400 MB. */

const MIB = 1024 * 1024
const formats = ['text', 'json', 'markdown', 'html', 'github']
const shown = formats.map(format => `show FILE --format ${format}`)
const approving = 'apply fleet --yes --format json --plan FILE'

/** The exit codes of a file that is either shown or rejected. */
const shownOrRefused = [0, 3, 5]

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at))

const summary = {
  sites: 1,
  sites_failed: 0,
  wlans: 1,
  changed: 1,
  unchanged: 0,
  blocked: 0,
  unmanaged: 0,
  requests: 1
}

/** The members of a plan with a `digest` that matches its changes. */
function plan(url: string, changes: readonly object[], more: object = {}): string {
  return JSON.stringify({
    format: 'wlanctl-plan/1',
    tool: 'wlanctl/0.1.0',
    created: '2026-11-20T10:00:00Z',
    base_url: url,
    summary: { ...summary, changed: changes.length, wlans: changes.length },
    changes,
    not_compared: [],
    unmanaged: [],
    findings: [],
    digest: digestOf({ base_url: url, changes: changes as readonly Change[] }),
    ...more
  })
}

function change(patch: readonly object[], body: object): object {
  return {
    address: 's0/guest',
    site: { id: siteId(0), name: 's0' },
    wlan: { id: wlanId(0), ssid: 'Guest' },
    origin: { file: 'sites.yaml', line: 4, column: 3 },
    patch,
    request: {
      method: 'PUT',
      path: `/api/v1/sites/${siteId(0)}/wlans/${wlanId(0)}`,
      body
    }
  }
}

const small = change(
  [
    { op: 'test', path: '/vlan_id', value: 10 },
    { op: 'replace', path: '/vlan_id', value: 11 }
  ],
  { vlan_id: 11 }
)

/** One change with this many operations. */
function operations(count: number, path: (at: number) => string): object {
  const patch = Array.from({ length: count }, (_, at) => [
    { op: 'test', path: path(at), value: `before-${at}` },
    { op: 'replace', path: path(at), value: `after-${at}` }
  ])
  return change(patch.flat(), {
    x: Object.fromEntries(times(count, at => `k${at}`).map(key => [key, 1]))
  })
}

function finding(at: number, address: string): object {
  const place = { file: 'sites.yaml', line: at + 1, column: 1 }
  return {
    level: 'warning',
    code: 'UNKNOWN_FIELD',
    message: `unknown key "k${at}"`,
    place,
    address
  }
}

/** A sparse file of this size, without blocks on the disk. */
function sparse(made: Arena, bytes: number): void {
  const handle = openSync(made.write('FILE', '{'), 'r+')
  ftruncateSync(handle, bytes)
  closeSync(handle)
}

interface Case {
  readonly write: (made: Arena) => void
  readonly lines: readonly string[]
  readonly codes?: readonly number[]
}

const file =
  (text: (made: Arena) => string): Case['write'] =>
  made =>
    void made.write('FILE', text(made))

const planned = [...shown, approving]
const refused = ['show FILE', approving]

const plans: Readonly<Record<string, Case>> = {
  '1,000,000 numbers as changes': {
    write: file(({ service }) =>
      plan(service.url, []).replace('"changes":[', `"changes":[${'1,'.repeat(999_999)}1`)
    ),
    lines: refused,
    codes: [3]
  },
  '1,000,000 empty changes': {
    write: file(({ service }) =>
      plan(service.url, []).replace('"changes":[', `"changes":[${'{},'.repeat(999_999)}{}`)
    ),
    lines: refused,
    codes: [3]
  },
  '30,000 changes with a wrong member': {
    write: file(({ service }) =>
      plan(
        service.url,
        times(30_000, () => '').map(() => ({ ...small, x: 1 }))
      )
    ),
    lines: refused,
    codes: [3]
  },
  'one change of 11 MiB': {
    write: file(({ service }) => plan(service.url, [operations(60_000, at => `/x/k${at}`)])),
    lines: planned
  },
  'one change of 11 MiB, top-level fields': {
    write: file(({ service }) => plan(service.url, [operations(60_000, at => `/k${at}`)])),
    lines: planned
  },
  'one change with one value of 11 MiB': {
    write: file(({ service }) => {
      const value = 'a b '.repeat(2.7 * MIB)
      return plan(service.url, [change([{ op: 'replace', path: '/x', value }], { x: 'c' })])
    }),
    lines: planned
  },
  'one change with a value that nests': {
    write: file(({ service }) =>
      plan(service.url, [
        change([{ op: 'replace', path: '/x', value: 'NEST' }], { x: 'c' })
      ]).replace('"NEST"', `${'['.repeat(2 * MIB)}${']'.repeat(2 * MIB)}`)
    ),
    lines: planned
  },
  'a pointer of 8,000,000 characters': {
    write: file(({ service }) => {
      const path = `/x${'a'.repeat(8_000_000)}`
      return plan(service.url, [change([{ op: 'replace', path, value: 1 }], { x: 1 })])
    }),
    lines: planned
  },
  'a pointer of 8,000,000 steps': {
    write: file(({ service }) => {
      const patch = [{ op: 'replace', path: '/'.repeat(8_000_000), value: 1 }]
      return plan(service.url, [change(patch, { x: 1 })])
    }),
    lines: planned
  },
  'a pointer of 4,000,000 escapes': {
    write: file(({ service }) => {
      const path = `/x${'~1'.repeat(4_000_000)}`
      return plan(service.url, [change([{ op: 'replace', path, value: 1 }], { x: 1 })])
    }),
    lines: planned
  },
  '20,000 findings on one site': {
    write: file(({ service }) => {
      const findings = Array.from({ length: 20_000 }, (_, at) => finding(at, `s0/w${at}`))
      return plan(service.url, [small], { findings })
    }),
    lines: shown
  },
  '20,000 findings on one WLAN': {
    write: file(({ service }) => {
      const findings = Array.from({ length: 20_000 }, (_, at) => finding(at, 's0/guest'))
      return plan(service.url, [small], { findings })
    }),
    lines: shown
  },
  '100,000 unmanaged WLANs': {
    write: file(({ service }) => {
      const unmanaged = times(100_000, String).map(n => ({
        site: 's0',
        id: wlanId(Number(n)),
        ssid: `x${n}`
      }))
      return plan(service.url, [small], { unmanaged })
    }),
    lines: shown
  },
  'lists that nest': { write: file(() => '['.repeat(8 * MIB)), lines: refused, codes: [3] },
  'blanks only': { write: file(() => ' '.repeat(32 * MIB)), lines: refused, codes: [3] },
  'a key repeated a million times': {
    write: file(({ service }) =>
      plan(service.url, []).replace('{', `{${'"a":1,'.repeat(1_000_000)}`)
    ),
    lines: refused,
    codes: [3]
  },
  'a file of 600 MiB': { write: made => sparse(made, 600 * MIB), lines: refused, codes: [3] },
  'a file of 3 GiB': { write: made => sparse(made, 3072 * MIB), lines: refused, codes: [3] },
  ...Object.fromEntries(
    ['9999-99-99T99:99:99Z', '2026-02-31T25:61:61Z', '0000-00-00T00:00:00Z'].map(created => [
      `made at ${created}`,
      {
        write: file(({ service }) => plan(service.url, [small], { created })),
        lines: refused,
        codes: [0, 3, 4, 5]
      }
    ])
  )
}

/** Runs each line on the file of each case; expects one of the exit codes. */
async function expectAnswered(cases: Readonly<Record<string, Case>>): Promise<void> {
  const each: Record<string, () => Promise<unknown>> = {}
  for (const [name, { write, lines, codes = shownOrRefused }] of Object.entries(cases)) {
    const made = await arena()
    write(made)
    for (const line of lines) {
      each[`${name}: ${line}`] = () => made.run(line, { codes, bounds: fileBounds })
    }
  }
  // One run per core, since CPU time is measured.
  await all(each, async run => void (await run()), 2)
}

describe.each(Object.entries(plans))('a plan: %s', (name, each) => {
  it('is shown or rejected', () => expectAnswered({ [name]: each }), 300_000)
})

/** The lines of a record of one apply to two sites. */
async function recorded(made: Arena): Promise<string[]> {
  await made.run('apply fleet --yes --record record.jsonl', { codes: [0] })
  return readFileSync(join(made.cwd, 'record.jsonl'), 'utf8').trimEnd().split('\n')
}

/** A record of this many runs without an end. */
const runsOf = (count: number) => (lines: readonly string[]) => {
  const [begin = ''] = lines
  const run = /"run":"(.{8})"/.exec(begin)?.[1] ?? ''
  return times(count, n => begin.replace(run, n.toString(16).padStart(8, '0'))).join('\n')
}

const records: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  '800,000 steps': lines => {
    const step = lines.find(line => line.includes('"read"')) ?? ''
    return [...lines.slice(0, 3), ...times(800_000, () => step), ...lines.slice(3)].join('\n')
  },
  '800,000 outcomes': lines => {
    const step = lines.find(line => line.includes('"outcome"')) ?? ''
    return [...lines, ...times(800_000, () => step)].join('\n')
  },
  '5,000 runs': runsOf(5000),
  '100,000 runs': runsOf(100_000),
  '4,000,000 empty lines': lines => `${lines.join('\n')}${'\n'.repeat(4_000_000)}`,
  'one line of 32 MiB': lines => `${lines.join('\n')}\n${'a'.repeat(32 * MIB)}`,
  'a line of blanks': lines => `${lines.join('\n')}\n${' '.repeat(32 * MIB)}`,
  'impossible times': lines =>
    lines.join('\n').replaceAll(/"at":"[^"]+"/g, '"at":"9999-99-99T99:99:99.999Z"'),
  'times that fit no calendar': lines =>
    lines.join('\n').replaceAll(/"at":"[^"]+"/g, '"at":"2026-02-31T25:61:61.000Z"')
}

it.each(Object.entries(records))(
  'a record: %s',
  async (_, forge) => {
    const made = await arena()
    made.write('FILE', `${forge(await recorded(made))}\n`)
    const lines = [
      'show FILE',
      'show FILE --format html',
      'show FILE --format json',
      'revert FILE --yes'
    ]
    const each = Object.fromEntries(lines.map(line => [line, line]))
    const trial = { codes: [0, 1, 3, 4, 5], bounds: fileBounds }
    await all(each, async line => void (await made.run(line, trial)), 2)
  },
  120_000
)

const lists: Readonly<Record<string, string>> = {
  blanks: ' '.repeat(16 * MIB),
  'blanks behind an id': `${siteId(0)}${' '.repeat(16 * MIB)}x`,
  'blanks before a letter': `${' '.repeat(16 * MIB)}x`,
  'blanks between letters': `x${' '.repeat(16 * MIB)}x`,
  'lines of blanks': `${' '.repeat(1000)}x\n`.repeat(16_000),
  'blanks of several kinds': ' \t\v\u00a0\u3000'.repeat(MIB),
  'line breaks': '\n'.repeat(16 * MIB),
  'carriage returns': '\r'.repeat(16 * MIB),
  comments: '#\n'.repeat(8 * MIB),
  'invalid ids': 'x\n'.repeat(4 * MIB),
  'one long name': `${siteId(0)} ${'n'.repeat(16 * MIB)}`,
  'one id again and again': `${siteId(0)}\n`.repeat(400_000)
}

it('a site list', async () => {
  await expectAnswered(
    Object.fromEntries(
      Object.entries(lists).map(([name, text]) => [
        name,
        { write: file(() => text), lines: ['import --from FILE --out imported'], codes: [0, 3, 5] }
      ])
    )
  )
}, 300_000)

const readers = ['plan fleet --against FILE', 'drift fleet --since FILE', 'show FILE FILE']

it('a snapshot, a report or a partial plan', async () => {
  const head = `"format":"wlanctl-snapshot/1","tool":"wlanctl/0.1.0","created":"2026-11-20T10:00:00Z","base_url":"http://127.0.0.1:1"`
  const digest = `sha256:${'0'.repeat(64)}`
  const snapshot = (sites: string) =>
    `{${head},"summary":{"sites":1,"sites_failed":0,"wlans":1},"sites":[${sites}],"unread":[],"digest":"${digest}"}`
  const texts = {
    '1,000,000 empty sites': snapshot(`${'{},'.repeat(999_999)}{}`),
    '1,000,000 numbers': snapshot(`${'0,'.repeat(999_999)}0`),
    'one site of 1,000,000 WLANs': snapshot(
      `{"id":"${siteId(0)}","name":"s0","wlans":[${'{},'.repeat(999_999)}{}]}`
    ),
    nesting: '['.repeat(8 * MIB),
    blanks: ' '.repeat(32 * MIB)
  }
  await expectAnswered(
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        { write: file(() => text), lines: readers, codes: [3] }
      ])
    )
  )
}, 300_000)

const inputs = [
  ...readers,
  'show FILE',
  'apply fleet --yes --plan FILE',
  'revert FILE --yes',
  'import --from FILE --out imported',
  'show pipes',
  'diff pipes FILE'
]

it('a FIFO in place of an input', async () => {
  const made = await arena()
  execFileSync('mkdir', [join(made.cwd, 'pipes')])
  for (const path of ['FILE', 'pipes/r.json', 'pipes/x.yaml'])
    execFileSync('mkfifo', [join(made.cwd, path)])
  const each = Object.fromEntries(inputs.map(line => [line, line]))
  await all(each, async line => void (await made.run(line, { codes: [3], bounds: fileBounds })))
  await made.run('validate pipes', { codes: [0, 3], bounds: fileBounds })
  const env = { WLANCTL_API_TOKEN: '' }
  await made.run('plan fleet --token-file FILE', { codes: [3], env, bounds: fileBounds })
})

it('a file of 600 MiB in place of an input', async () => {
  await expectAnswered({
    sparse: { write: made => sparse(made, 600 * MIB), lines: inputs.slice(0, -1), codes: [3] }
  })
}, 300_000)
