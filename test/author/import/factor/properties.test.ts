import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addToLists } from '../../../../src/author/import/new-sites.ts'
import { startingTests } from '../../../../src/author/init/starting-tests.ts'
import { matchSite } from '../../../../src/core/diff/match.ts'
import type { Desired } from '../../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../../src/core/model/live.ts'
import { isObject, type Value } from '../../../../src/core/values/value.ts'
import { loadTexts } from '../../../../src/fleet/load.ts'
import { runTests } from '../../../../src/fleet/tests/expectations.ts'
import { lines, load } from '../../../fleet/fleet.ts'
import { runs } from '../../../support/properties.ts'
import { MARK } from '../estates.ts'
import { desiredOf, ENV, plansOf, textsOf, writtenFleet } from '../import.ts'
import { importsOf, layersOf } from './factored.ts'
import { layeredFleet } from './layers.ts'

describe('a fleet in layers', () => {
  it('declares what each site alone does, for any sites, and its plan is empty', async () => {
    let [tried, layered] = [0, 0]
    await fc.assert(
      fc.asyncProperty(layeredFleet, async fleet => {
        tried += 1
        const made = await layersOf(fleet)
        if (made.lines !== undefined) layered += 1
        const desired = await desiredOf(textsOf(made), made.secrets)
        await expectTestsToPass(textsOf(made), desired)
        const { findings } = await loadTexts(textsOf(made))
        expect(findings.map(({ code }) => code)).not.toContain('UNSET_UNDECLARED')
        const alone = await writtenFleet(importsOf(fleet), false)
        const each = fieldsOf(await desiredOf(textsOf(alone), alone.secrets), fleet)
        const inLayers = fieldsOf(desired, fleet)
        expect(Object.keys(inLayers).sort()).toEqual(Object.keys(each).sort())
        // With an empty plan, the values of the fields are those of each site, too.
        for (const [id, fields] of Object.entries(each)) {
          expect(inLayers[id]).toEqual(expect.arrayContaining(fields))
        }
        const statuses = plansOf(desired, fleet).map(({ status }) => status)
        expect(new Set(statuses)).toEqual(new Set(['unchanged']))
        expect(JSON.stringify(made.files)).not.toContain(MARK)
        const shuffled = fleet
          .toReversed()
          .map(site => ({ ...site, wlans: site.wlans.toReversed() }))
        expect(await layersOf(shuffled)).toEqual(made)
      }),
      runs(16)
    )
    expect(layered).toBeGreaterThan(tried / 2)
  }, 60_000)
})

describe('a site that joins a fleet', () => {
  it('is declared as it is live in the list of its kind, for any sites, and changes no other', async () => {
    await fc.assert(
      fc.asyncProperty(layeredFleet, async fleet => {
        const [added, ...others] = importsOf(fleet)
        const kept = fleet.filter(({ site }) => site.id !== added?.id)
        if (added === undefined || kept.length < 2) return
        const before = textsOf(await layersOf(kept))
        const { texts, listed } = await addToLists(before, [added], ENV)
        if (listed.length === 0) return
        // Without values, secrets are not compared.
        const { desired } = await loadTexts(texts)
        if (desired === undefined) throw new Error('the files are invalid')
        const found = plansOf(desired, fleet).map(({ status }) => status)
        expect(new Set(found)).toEqual(new Set(['unchanged']))
        expect(desired.sites).toHaveLength(others.length + 1)
        expect(JSON.stringify([...texts])).not.toContain(MARK)
      }),
      runs(24)
    )
  }, 60_000)
})

/** The tests that `init` writes for these files. */
async function expectTestsToPass(texts: ReadonlyMap<string, string>, { sites }: Desired) {
  const written = startingTests(sites).map(({ path, text }) => [path, text] as const)
  const files = Object.fromEntries([...texts, ...written])
  const { desired, tests, findings } = await load(files, { readsTests: true })
  if (desired === undefined) throw new Error(lines(findings).join('\n'))
  const results = tests === undefined ? [] : await runTests(tests, desired)
  expect(results.flatMap(each => each.findings)).toEqual([])
}

/** The names of the fields that each live WLAN is declared with, by its id. */
function fieldsOf(desired: Desired, fleet: readonly LiveSite[]): Record<string, string[]> {
  const matches = desired.sites.flatMap(site => {
    const live = fleet.find(found => found.site.id === site.id)
    return live === undefined ? [] : [...matchSite(site, live)]
  })
  return Object.fromEntries(
    matches.flatMap(([{ excluded, fields }, match]) =>
      excluded || !('live' in match) ? [] : [[match.live.id, namesIn(fields, '')]]
    )
  )
}

function namesIn(value: Value, at: string): string[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [at]
  return Object.entries(value).flatMap(([name, inner]) => namesIn(inner, `${at}/${name}`))
}
