import { expect, it } from 'vitest'
import { factor } from '../../../../src/author/import/factor/factor.ts'
import { SecretCatalog } from '../../../../src/author/import/secrets.ts'
import { writeSiteFiles } from '../../../../src/author/import/site-files.ts'
import { ENV } from '../import.ts'
import { pairsOf } from './factored.ts'
import { storeFleet } from './stores.ts'

it('handles a signal between sites in each step of an import in layers, and ends', async () => {
  const pairs = pairsOf(storeFleet({ seed: 1, sites: 12, exceptions: 0 }))
  let pauses = 0
  let most = Number.POSITIVE_INFINITY
  const pause = async () => {
    pauses += 1
    if (pauses > most) throw new Error('stopped')
  }
  const catalog = new SecretCatalog(pairs, ENV)
  const files = await writeSiteFiles(pairs, catalog, pause)
  expect(pauses).toBe(12)
  pauses = 0
  await factor(pairs, files, { form: ENV, groupNames: [] }, pause)
  expect(pauses).toBeGreaterThanOrEqual(5 * 12)
  const all = pauses
  for (most = 0; most < all; most += 12) {
    pauses = 0
    await expect(factor(pairs, files, { form: ENV, groupNames: [] }, pause)).rejects.toThrow(
      'stopped'
    )
  }
})
