import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchSite } from '../../../src/core/diff/match.ts'
import type { Desired } from '../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import { unwatchedFields } from '../../../src/core/plan/undeclared/undeclared.ts'
import { above, type Pointer } from '../../../src/core/values/pointer.ts'
import { isObject, valueAt } from '../../../src/core/values/value.ts'
import { hostileSite, MARK } from './estates.ts'
import { desiredOf, imported, plansOf, textsOf, writtenFleet } from './import.ts'

describe('any imported site', () => {
  it.each([false, true])(
    'has an empty plan, and no unwatched fields but those that no file can hold (all fields: %s)',
    async allFields => {
      let [tried, wlans, secrets] = [0, 0, 0]
      await fc.assert(
        fc.asyncProperty(hostileSite, async live => {
          tried += 1
          const site = imported(live, allFields)
          const { files, secrets: found } = await writtenFleet([site], false)
          const made = { ...site, secrets: found, text: files[0]?.text ?? '' }
          const desired = await desiredOf(textsOf({ files }), found)
          const plans = plansOf(desired, [live])
          expect({
            plan: plans.map(({ address, status }) => [address, status]).sort(),
            text: made.text
          }).toEqual({
            plan: made.wlans.map(({ key }) => [`hq/${key}`, 'unchanged']).sort(),
            text: made.text
          })
          expectNothingUnwatched(made, live, desired)
          expect(made.wlans.length + made.inherited.length).toBe(live.wlans.length)
          expect(made.text).not.toContain(MARK)
          for (const { key } of made.wlans) expect(key).toMatch(/^[a-z][a-z0-9-]*$/)
          wlans += made.wlans.length
          secrets += made.secrets.length
        })
      )
      expect(wlans).toBeGreaterThan(tried)
      // A key that the type of authentication does not use is not imported.
      expect(secrets).toBeGreaterThan(tried / 4)
    }
  )
})

function expectNothingUnwatched(
  { findings, text }: ReturnType<typeof imported> & { readonly text: string },
  live: LiveSite,
  { sites }: Desired
): void {
  const unfit = findings.filter(({ code }) => /^IMPORT_(SSID_)?UNFIT$/.test(code))
  for (const [{ address, fields }, match] of sites.flatMap(site => [...matchSite(site, live)])) {
    if (!('live' in match) || unfit.some(found => found.address === address)) continue
    const { record } = match.live
    // An object in place of a value is unknown to the schema, and ignored, with what its switch turns on.
    const isOdd = (at: Pointer) =>
      isObject(valueAt(record, at)) || isObject(valueAt(record, `${above(at).at(-1)}/enabled`))
    const strange = unwatchedFields(fields, record).filter(at => !isOdd(at))
    expect({ strange, text }).toEqual({ strange: [], text })
  }
}
