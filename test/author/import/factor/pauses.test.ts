import { expect, it } from 'vitest'
import { writeFleet } from '../../../../src/author/import/factor/factor.ts'
import { ENV } from '../import.ts'
import { acmeEstate } from './acme.ts'
import { importsOf } from './factored.ts'

it('handles a signal between sites in each step of an import in layers, and ends', async () => {
  const sites = importsOf(acmeEstate(10))
  let pauses = 0
  let most = Number.POSITIVE_INFINITY
  const write = (inLayers: boolean) => {
    pauses = 0
    return writeFleet(sites, { form: ENV, groupNames: [], inLayers }, async () => {
      pauses += 1
      if (pauses > most) throw new Error('stopped')
    })
  }
  await write(false)
  expect(pauses).toBeGreaterThanOrEqual(12)
  await write(true)
  expect(pauses).toBeGreaterThanOrEqual(5 * 12)
  const all = pauses
  for (most = 0; most < all; most += 12) await expect(write(true)).rejects.toThrow('stopped')
})
