import { expect, it } from 'vitest'
import { type Arena, arena, fleetOf, isFirst } from './arena.ts'
import { type Answer, guest, type Request, reply, siteId } from './service.ts'
import { all } from './survive.ts'

const MIB = 1024 * 1024
const line = 'plan fleet --format json --timeout 20'

/** The maximum number of requests per site, whatever the paging headers say. */
const MOST_ASKED = 1000

interface Case {
  /** The response to each list request of the first site, by page. */
  readonly answer: (page: number) => Answer
  readonly asked?: number
  readonly says?: RegExp
}

/** This many WLANs of a page, without duplicates across pages. */
function wlans(page: number, count: number, more: object = {}): object[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `7d6f1c5e-0001-4000-8000-${(page * 10_000 + n).toString(16).padStart(12, '0')}`
    return { id, site_id: siteId(0), ssid: `w${page}-${n}`, ...more }
  })
}

const paged = (body: unknown, total: string, limit: string) =>
  reply(200, body, [`X-Page-Total: ${total}`, `X-Page-Limit: ${limit}`])

const totals = [
  '1e400',
  '-1',
  'NaN',
  '0x10',
  '1.5',
  '99999999999999999999',
  '',
  '2, 3',
  '9'.repeat(8000)
]

const liars: Readonly<Record<string, Case>> = {
  'promises 10^12 WLANs, one a page': {
    answer: page => paged(wlans(page, 1), '1000000000000', '1000000000')
  },
  'promises 10^9 WLANs, 100 a page': {
    answer: page => paged(wlans(page, 100), '1000000000', '1000000')
  },
  'has pages of 15 MiB for ever': {
    answer: page => paged(wlans(page, 15, { note: 'x'.repeat(MIB) }), '1000000000', '1000000')
  },
  'has pages of 2 MiB of small WLANs for ever': {
    answer: page => paged(wlans(page, 20_000), '1000000000', '1000000')
  },
  'gives the same page again and again': { answer: () => paged(wlans(1, 10), '1000', '10') },
  'gives empty pages': { answer: page => paged(page === 1 ? wlans(1, 1) : [], '1000', '10') },
  'counts up with each page': {
    answer: page => paged(wlans(page, 10), String(page * 100), '10')
  },
  'has a limit of 0': { answer: page => paged(wlans(page, 1), '1000', '0') },
  ...Object.fromEntries(
    totals.flatMap(number => [
      [
        `has a limit of ${number}`,
        { answer: (page: number) => paged(wlans(page, 1), '1000', number) }
      ]
    ])
  ),
  'lists one WLAN twice': {
    answer: () => reply(200, [guest(0), guest(0)]),
    asked: 2,
    says: new RegExp(String(guest(0)['id']))
  },
  'lists one WLAN twice, in two cases': {
    answer: () => reply(200, [guest(0), { ...guest(0), id: String(guest(0)['id']).toUpperCase() }]),
    asked: 2,
    says: new RegExp(String(guest(0)['id']), 'i')
  }
}

/** Lists both sites; expects that the second one is read. */
async function expectRead({ answer, asked = MOST_ASKED, says }: Case): Promise<void> {
  const { run, service } = await arena(request => {
    if (!isFirst(request)) return undefined
    return answer(Number(/[?&]page=(\d+)/.exec(request.path)?.[1] ?? 1))
  })
  const { stdout } = await run(line, { codes: [5], ...(says && { says }) })
  expect(JSON.parse(stdout).summary).toMatchObject({ sites: 2, sites_failed: 1, changed: 1 })
  expect(service.requests.filter(isFirst).length).toBeLessThanOrEqual(asked)
}

it('a service with inconsistent paging headers', async () => {
  await all(liars, expectRead)
})

const full = (piece: string, size = 16 * MIB - 64) => piece.repeat(Math.floor(size / piece.length))
const one = JSON.stringify(guest(0)).slice(1, -1)

/** Responses of 16 MiB, the maximum size. */
const large: Readonly<Record<string, () => Answer>> = {
  'tiny objects': () => reply(200, `[${full('{},')}{}]`),
  'tiny lists': () => reply(200, `[${full('[],')}[]]`),
  numbers: () => reply(200, `[${full('0,')}0]`),
  'lists that nest': () => reply(200, `${full('[', 8 * MIB)}${full(']', 8 * MIB)}`),
  'objects that nest': () => reply(200, full('{"a":')),
  'a WLAN of tiny objects': () => reply(200, `[{${one},"x":[${full('{},')}{}]}]`),
  'a WLAN of many fields': () => {
    const fields = Array.from({ length: 900_000 }, (_, n) => `"f${n}":${n}`)
    return reply(200, `[{${one},${fields.join(',')}}]`)
  },
  'a WLAN with a long text': () => reply(200, `[{${one},"x":"${full('a')}"}]`),
  'a WLAN with a text of escapes': () => reply(200, `[{${one},"x":"${full('\\u0000')}"}]`),
  'a long number': () => reply(200, `[${full('1')}]`),
  blanks: () => reply(200, full(' ')),
  'more than 16 MiB': () => reply(200, `[${full('{},', 20 * MIB)}{}]`),
  'an error of blanks': () => reply(400, full(' ')),
  'an error of lists': () => reply(400, `{"detail":[${full('[],')}[]]}`)
}

it('a service with large responses', async () => {
  // In sequence, to limit memory.
  await all(
    large,
    async answer => {
      const { run } = await arena(request => (isFirst(request) ? answer() : undefined))
      const { stdout } = await run(line, { codes: [0, 5] })
      expect(JSON.parse(stdout).summary).toMatchObject({ sites: 2 })
    },
    1
  )
}, 600_000)

it('large responses of many sites do not add up in memory', async () => {
  const body = reply(200, `[{${one},"x":[${full('{},', 15 * MIB)}{}]}]`)
  const { run, write } = await arena(() => body)
  write('fleet/sites.yaml', fleetOf(20))
  const { stdout } = await run(line, { codes: [5] })
  expect(JSON.parse(stdout).summary).toMatchObject({ sites: 20 })
})

/** A fleet of 400 sites, and one with a WLAN for each secret. */
async function withSecrets(
  secrets: readonly string[],
  answer: (request: Request) => Answer
): Promise<{ made: Arena; env: Record<string, string> }> {
  const made = await arena(answer)
  const declared = secrets.map(
    (_, n) => `  w${n}: { ssid: w${n}, auth: { type: psk, psk: { $env: WLAN_SECRET_${n} } } }\n`
  )
  made.write('fleet/sites.yaml', fleetOf(400))
  const site = `site: { id: ${siteId(1000)}, name: of-secrets }\n`
  made.write('fleet/secrets.yaml', `${site}wlans:\n${declared.join('')}`)
  const env = Object.fromEntries(secrets.map((secret, n) => [`WLAN_SECRET_${n}`, secret]))
  return { made, env }
}

const spelled = (beginning: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${beginning}${String(n).padStart(6, '0')}`)

it('an error text that quotes the beginning of thousands of declared secrets', async () => {
  const texts: Readonly<Record<string, readonly [beginning: string, detail: string]>> = {
    unchanged: ['Not found in the house ', 'Not found in the house '.repeat(44)],
    nested: ['Not found', 'Not found'.repeat(112)],
    overlapping: ['N'.repeat(50), 'N'.repeat(1000)]
  }
  await all(
    texts,
    async ([beginning, detail]) => {
      const { made, env } = await withSecrets(spelled(beginning, 4000), () =>
        reply(404, { detail })
      )
      await made.run('plan fleet --format json', { codes: [5], env })
    },
    1
  )
})
