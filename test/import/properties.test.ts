import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileSite, MARK } from './estates.ts'
import { imported, planned } from './import.ts'

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
    expect(secrets).toBeGreaterThan(tried / 2)
  })
})
