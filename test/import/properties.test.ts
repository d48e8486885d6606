import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, valueAt } from '../../src/model/value.ts'
import { hostileSite, MARK } from './estates.ts'
import { imported, planned, unwatched } from './import.ts'

describe('an imported site, whatever the service lists', () => {
  it.each([false, true])('has an empty plan right after it (all fields: %s)', async allFields => {
    let [tried, wlans, secrets] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(hostileSite, async live => {
        tried += 1
        const made = imported(live, allFields)
        const plan = await planned(new Map([['hq.yaml', made.text]]), made.secrets, [live])
        const all = made.wlans.map(({ key }) => [`hq/${key}`, 'unchanged'])
        expect({ plan, text: made.text }).toEqual({
          plan: Object.fromEntries(all),
          text: made.text
        })
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
  })

  it.each([false, true])(
    'leaves nothing unwatched but what no file can hold (all fields: %s)',
    async allFields => {
      await fc.assert(
        fc.asyncProperty(hostileSite, async live => {
          const made = imported(live, allFields)
          const unfit = made.findings.filter(({ code }) => /^IMPORT_(SSID_)?UNFIT$/.test(code))
          const open = await unwatched(new Map([['hq.yaml', made.text]]), [live])
          for (const [address, pointers] of Object.entries(open)) {
            // An object in place of a value is unknown to the schema, and left alone.
            const strange = pointers.filter(at =>
              live.wlans.some(({ record }) => isObject(valueAt(record, at)))
            )
            if (unfit.some(found => found.address === address)) continue
            expect({ pointers, text: made.text }).toEqual({ pointers: strange, text: made.text })
          }
        })
      )
    }
  )
})
