import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agreesExactly } from '../../../../src/core/diff/agree.ts'
import type { Desired } from '../../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../../src/core/model/live.ts'
import { wlanField } from '../../../../src/core/schema/field.ts'
import { runs } from '../../../support/properties.ts'
import { MARK } from '../estates.ts'
import { desiredOf, plansOf } from '../import.ts'
import { effectiveBeyond, effectiveOf, factored, layersOf, type Made, textsOf } from './factored.ts'
import { layeredFleet, mixedFleet } from './layers.ts'
import { storeFleet } from './stores.ts'

describe('a fleet in layers, for any sites', () => {
  it('equals each site alone, field by field, and its plan is empty', async () => {
    let [tried, layered] = [0, 0]
    await fc.assert(
      fc.asyncProperty(layeredFleet, async fleet => {
        tried += 1
        const { plain, made } = await factored(fleet)
        if ('reason' in made) throw new Error(made.reason)
        if (made.profiles.length > 0) layered += 1
        const layers = await loaded(made)
        const each = effectiveOf(await loaded(plain), fleet)
        expect(effectiveBeyond(each, layers, fleet)).toEqual(each)
        expect(statuses(layers, fleet)).toEqual(new Set(['unchanged']))
        expect(JSON.stringify(made.files)).not.toContain(MARK)
        const shuffled = fleet
          .toReversed()
          .map(each => ({ ...each, wlans: each.wlans.toReversed() }))
        expect((await factored(shuffled)).made).toEqual(made)
      }),
      runs(10)
    )
    expect(layered).toBeGreaterThan(tried / 2)
  }, 60_000)
})

describe('a fleet with the same values in different forms', () => {
  it('has WLANs in layers that agree with those of each site, and an empty plan', async () => {
    await fc.assert(
      fc.asyncProperty(mixedFleet, async fleet => {
        const { plain, made } = await factored(fleet)
        if ('reason' in made) throw new Error(made.reason)
        const desired = await loaded(made)
        const each = effectiveOf(await loaded(plain), fleet)
        const layers = effectiveBeyond(each, desired, fleet)
        expect(Object.keys(layers).sort()).toEqual(Object.keys(each).sort())
        const differing = Object.keys(each).filter(
          id => !agreesExactly(wlanField, layers[id] ?? {}, each[id] ?? {})
        )
        expect(differing.map(id => [layers[id], each[id]])).toEqual([])
        expect(statuses(desired, fleet)).toEqual(new Set(['unchanged']))
      }),
      runs(8)
    )
  }, 60_000)
})

const seeds = fc.record({
  seed: fc.integer({ min: 0, max: 1e6 }),
  sites: fc.integer({ min: 30, max: 80 })
})

describe('stores in layers', () => {
  it('keep their files if another store joins, which adds its own lines', async () => {
    let [tried, unmoved] = [0, 0]
    await fc.assert(
      fc.asyncProperty(seeds, async ({ seed, sites }) => {
        tried += 1
        const more = storeFleet({ seed, sites: sites + 1, exceptions: 0.05 })
        const before = await layersOf(more.slice(0, -1))
        const after = await layersOf(more)
        const lost = linesMissing(before.files, after.files)
        const added = linesMissing(after.files, before.files)
        expect(lost.length, lost.join('\n')).toBeLessThan(15)
        expect(added.length, added.join('\n')).toBeLessThan(60)
        unmoved += lost.length === 0 ? 1 : 0
      }),
      runs(3)
    )
    // Sometimes two stores with the same difference become a list.
    expect(unmoved).toBeGreaterThan(tried / 2)
  })
})

const loaded = (made: Made) => desiredOf(textsOf(made), made.secrets)

function statuses(desired: Desired, fleet: readonly LiveSite[]): Set<string> {
  return new Set(plansOf(desired, fleet).map(({ status }) => status))
}

/** The lines of some files that the other files lack, by file. */
function linesMissing(
  some: readonly { readonly file: string; readonly text: string }[],
  others: readonly { readonly file: string; readonly text: string }[]
): string[] {
  return some.flatMap(({ file, text }) => {
    const left = (others.find(other => other.file === file)?.text ?? '').split('\n')
    return text.split('\n').flatMap(line => {
      const at = left.indexOf(line)
      if (at !== -1) left.splice(at, 1)
      return at === -1 ? [`${file}: ${line}`] : []
    })
  })
}
