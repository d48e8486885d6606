import { expect, it } from 'vitest'
import { hintFor } from '../../../src/service/http/error-message.ts'
import { json } from '../../support/server.ts'
import { apiError, clients, SITE, scripted, WLAN } from '../support.ts'

it.each([
  [400, 'correct the field', 'correct the field'],
  [401, 'WLANCTL_API_TOKEN', 'WLANCTL_API_TOKEN'],
  [403, 'no right to this', 'can read but not write'],
  [404, 'check the id', 'check the id'],
  [409, 'plan again', 'plan again'],
  [429, '--max-wait', '--max-wait'],
  [500, 'run it again later', 'run it again later'],
  [599, 'run it again later', 'run it again later']
])('status %i has a hint on one line', async (status, ofRead, ofUpdate) => {
  const server = await scripted(json({ detail: 'no' }, {}, status))
  const { writer } = clients(server.url)
  const read = await apiError(writer.listWlans(SITE))
  const update = await apiError(writer.updateWlan(SITE, WLAN, { vlan_id: 20 }))
  expect(read.hint).toContain(ofRead)
  expect(update.hint).toContain(ofUpdate)
  for (const { hint = '' } of [read, update]) {
    expect(hint.length).toBeLessThanOrEqual(100)
    expect(hint).not.toMatch(/\n|tok-en/)
  }
})

it('a rejected token among several is identified by its position', () => {
  const caller = 'token 2 of 3'
  expect(hintFor(403, { method: 'GET' }, caller)).toMatch(/^token 2 of 3 has no right/)
  expect(hintFor(403, { method: 'PUT' }, caller)).toMatch(/^token 2 of 3 can read but not/)
})

it('a status without a known fix has no hint', () => {
  expect(hintFor(422, { method: 'PUT' })).toBeUndefined()
  expect(hintFor(0, { method: 'PUT' })).toBeUndefined()
})
