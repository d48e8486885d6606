import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestBudget } from '../../src/service/http/transport.ts'
import type { ApiOperation } from '../../src/service/operation.ts'
import { json } from '../support/server.ts'
import { apiError, clients, nth, SITE, scripted } from './support.ts'

const list: ApiOperation = { name: 'list WLANs', siteId: SITE.id }
const body = { text: '{}', secrets: [] }

function read(wlan: number): ApiOperation {
  return { name: 'read WLAN', siteId: SITE.id, wlanId: nth(wlan) }
}

function update(wlan: number): ApiOperation {
  return { name: 'update WLAN', siteId: SITE.id, wlanId: nth(wlan), body }
}

/** Spends on each operation in turn; returns those that fit. */
function spend(most: number, ...operations: readonly ApiOperation[]): boolean[] {
  const budget = new RequestBudget(most)
  return operations.map(operation => isLet(budget, operation))
}

function isLet(budget: RequestBudget, operation: ApiOperation): boolean {
  try {
    budget.spend(operation)
    return true
  } catch {
    return false
  }
}

describe('a request budget', () => {
  it.each([
    ['reads, as many as it holds', 2, [list, read(1), list], [true, true, false]],
    ['an update only with its read-back', 2, [list, update(1)], [true, false]],
    ['an update and its read-back', 2, [update(1), read(1), list], [true, true, false]],
    [
      'nothing in between that takes the read-back',
      2,
      [update(1), list, read(1)],
      [true, false, true]
    ],
    [
      'one read-back for each update',
      4,
      [update(1), update(2), read(3), read(1)],
      [true, true, false, true]
    ],
    [
      'reading back again only where there is room',
      3,
      [update(1), read(1), read(1), read(1)],
      [true, true, true, false]
    ],
    [
      'the same update again, before it is read back',
      3,
      [update(1), update(1), read(1)],
      [true, true, true]
    ]
  ] as const)('holds %s', (_, most, operations, expected) => {
    expect(spend(most, ...operations)).toEqual(expected)
  })

  it('releases the reservation of an update that was rejected', () => {
    const budget = new RequestBudget(3)
    budget.spend(update(1))
    budget.release(update(1))
    expect([isLet(budget, update(2)), isLet(budget, read(2)), budget.made]).toEqual([true, true, 3])
  })

  it('is never exceeded, and covers the read-back of every update', () => {
    const operation = fc.oneof(fc.constant(list), fc.nat(3).map(read), fc.nat(3).map(update))
    fc.assert(
      fc.property(fc.nat(12), fc.array(operation, { maxLength: 30 }), (most, operations) => {
        const budget = new RequestBudget(most)
        const open = new Set<string>()
        for (const each of operations) {
          if (!isLet(budget, each) || !('wlanId' in each)) continue
          if (each.name === 'update WLAN') open.add(each.wlanId)
          else open.delete(each.wlanId)
        }
        for (const wlanId of open) budget.spend({ name: 'read WLAN', siteId: SITE.id, wlanId })
        expect(budget.made).toBeLessThanOrEqual(most)
      })
    )
  })

  it('counts in singular and plural', async () => {
    const server = await scripted(json([]))
    const { reader } = clients(server.url, { maxRequests: 1 })
    await reader.listWlans(SITE)
    const { hint } = await apiError(reader.listWlans(SITE))
    expect(hint).toBe('the 1 request of --max-requests is used up')
  })

  it('ends a run: the remaining requests are not sent, and the message says so', async () => {
    const server = await scripted(json([]))
    const { reader } = clients(server.url, { maxRequests: 2 })
    await reader.listWlans(SITE)
    await reader.listWlans(SITE)
    expect(reader.end).toBeUndefined()
    const error = await apiError(reader.listWlans(SITE))
    expect(error.problem).toEqual({ kind: 'budget-exhausted', sent: 'no' })
    expect(error.message).toContain('not sent')
    expect(error.hint).toContain('2 requests of --max-requests')
    expect(reader.end).toBe(error)
    expect(server.arrivals).toHaveLength(2)
    expect(reader.requests).toBe(2)
  })
})
