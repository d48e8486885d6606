import { describe, expect, it } from 'vitest'
import { type FaultKind, faultKinds } from '../../../src/simulator/faults/kinds.ts'
import { CORP, CORP_PATH, HQ, simulate } from '../simulate.ts'

/** What a client sees of each kind: a status and a type, or how the connection ends. */
const seen: Readonly<Record<FaultKind, string>> = {
  '429': '429 application/json',
  '500': '500 application/json',
  '502': '502 text/html; charset=utf-8',
  '503': '503 application/json',
  '504': '504 text/html; charset=utf-8',
  '504-landed': '504 text/html; charset=utf-8',
  reset: 'ECONNRESET',
  'reset-landed': 'ECONNRESET',
  timeout: 'TimeoutError',
  'timeout-landed': 'TimeoutError',
  cut: 'UND_ERR_SOCKET',
  html: '200 text/html; charset=utf-8'
}

const landing: readonly FaultKind[] = ['504-landed', 'reset-landed', 'timeout-landed', 'cut']

async function put(url: string, token: string): Promise<string> {
  const response = await fetch(url + CORP_PATH, {
    method: 'PUT',
    headers: { authorization: `Token ${token}` },
    body: '{"ssid":"New"}',
    signal: AbortSignal.timeout(1000)
  })
  await response.text()
  return `${response.status} ${response.headers.get('content-type')}`
}

function end(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? name
}

describe.each(faultKinds)('%s', kind => {
  it.each(['by rule', 'by chance'])('%s: is seen, stored or not, and counted', async way => {
    const switches = way === 'by rule' ? { fail: [{ kind }] } : { faults: { [kind]: 1 } }
    const { simulator } = await simulate({ switches })
    expect(await put(simulator.url, simulator.token).catch(end)).toBe(seen[kind])
    const landed = landing.includes(kind)
    expect(simulator.record(HQ, CORP).ssid).toBe(landed ? 'New' : 'Corp')
    expect(simulator.history).toHaveLength(landed ? 1 : 0)
    const counted = Object.entries(simulator.faults).filter(([, times]) => times > 0)
    expect(counted).toEqual([[kind, 1]])
    const [request] = simulator.requests
    expect(request?.status).toBe(
      Number(/^\d+/.exec(seen[kind])?.[0] ?? Number.NaN) || (kind === 'cut' ? 200 : undefined)
    )
  })
})

it('a 429 asks for as long as the switch retryAfter says', async () => {
  const { get } = await simulate({ switches: { fail: [{ kind: '429' }], retryAfter: 798 } })
  expect((await get(CORP_PATH)).headers.get('retry-after')).toBe('798')
})
