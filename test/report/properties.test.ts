import fc, { type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import { type Outcome, statuses } from '../../src/core/model/outcome.ts'
import type { Change } from '../../src/core/model/plan.ts'
import { formats } from '../../src/report/formats.ts'
import { formatNames, type Report } from '../../src/report/report.ts'
import { runs } from '../support/properties.ts'
import { wlanCases } from '../support/wlans.ts'
import { changeOf, ended, planOf } from './plans.ts'

/** A change of all fields of a random WLAN. */
const change: Arbitrary<Change> = fc
  .tuple(wlanCases(), fc.constantFrom('outage', 'reconnect', undefined), fc.boolean())
  .map(([{ live, declared }, impact, isDowngrade]) => {
    const edits = Object.entries(declared).map(([name, after]) => [name, [live[name], after]])
    const made = changeOf('hq/guest', impact, Object.fromEntries(edits))
    const pointers = made.patch.map(({ path }) => path)
    return { ...made, ...(isDowngrade ? { downgrades: pointers } : { not_compared: pointers }) }
  })

function outcomeOf({ address, patch }: Change): Outcome {
  const fields = patch.flatMap(step =>
    'value' in step ? [{ pointer: step.path, before: step.value, wanted: 'x' }] : []
  )
  return ended(address, statuses[patch.length % statuses.length] ?? 'failed', {
    fields,
    side_effects: patch.map(({ path }) => path)
  })
}

it.each(formatNames)('%s shows any change, and any outcome of it', format => {
  const widths = fc.constantFrom(20, 80, Number.POSITIVE_INFINITY)
  fc.assert(
    fc.property(change, widths, (made, width) => {
      const plan = planOf([made])
      const outcomes = [outcomeOf(made)]
      const reports: Report[] = [
        { kind: 'plan', plan },
        { kind: 'drift', plan },
        { kind: 'outcomes', plan, outcomes }
      ]
      for (const report of reports) {
        const output = formats[format](report, { colour: false, width })
        expect(output.endsWith('\n')).toBe(true)
        expect(output).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
      }
    }),
    runs(8)
  )
})
