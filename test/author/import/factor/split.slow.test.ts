import { expect, it } from 'vitest'
import { liveSite, nth } from '../estates.ts'
import { planned, textsOf } from '../import.ts'
import { layersOf } from './factored.ts'

it('a list of sites is split at 5,000 sites', async () => {
  const fleet = Array.from({ length: 5001 }, (_, n) =>
    liveSite({ id: nth(n), name: `store-${n}` }, [{ id: nth(10_000 + n), ssid: 'Corp' }])
  )
  const made = await layersOf(fleet)
  const texts = textsOf(made)
  const counts = [...texts].map(([file, text]) => [file, text.match(/name: store-/g)?.length])
  expect(counts).toEqual([
    ['profiles.yaml', undefined],
    ['stores.yaml', 5000],
    ['stores-2.yaml', 1]
  ])
  const plan = await planned(texts, made.secrets, fleet)
  expect(Object.keys(plan)).toHaveLength(5001)
  expect(new Set(Object.values(plan))).toEqual(new Set(['unchanged']))
}, 60_000)
