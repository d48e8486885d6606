import fc, { type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import { type Outcome, statuses } from '../../src/core/model/outcome.ts'
import type { Change, Plan } from '../../src/core/model/plan.ts'
import { formats } from '../../src/report/formats.ts'
import { formatNames, type Report } from '../../src/report/report.ts'
import { anyCharacter, runs } from '../support/properties.ts'
import { wlanCases } from '../support/wlans.ts'
import { changeOf, planOf } from './plans.ts'

/** Text with characters that a terminal, a CI runner, Markdown, HTML or XML would interpret. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc
    .array(
      fc.constantFrom('\n::error::x', '##[group]', '<!--', '`', '|', '\u001b[2J', '\u202e', '&<"')
    )
    .map(parts => parts.join(''))
)

/** A change of all fields of a random WLAN. */
const change: Arbitrary<Change> = fc
  .tuple(
    wlanCases(),
    fc.uniqueArray(text, { minLength: 2, maxLength: 2 }),
    fc.constantFrom('outage', 'reconnect', undefined),
    fc.boolean()
  )
  .map(([{ live, declared }, [site = '', key = ''], impact, isDowngrade]) => {
    const edits = Object.fromEntries(
      Object.entries(declared).map(([name, after]) => [name, [live[name], after] as const])
    )
    const made = changeOf(`${site}/${key}`, impact, edits)
    const pointers = made.patch.map(({ path }) => path)
    return {
      ...made,
      site: { id: site, name: site },
      wlan: { id: key, ssid: key },
      ...(isDowngrade ? { downgrades: pointers } : { not_compared: pointers })
    }
  })

const plan: Arbitrary<Plan> = fc
  .tuple(fc.array(change, { maxLength: 5 }), text, fc.nat(3), fc.nat(3))
  .map(([changes, name, blocked, failed]) =>
    planOf(changes, {
      unmanaged: [{ site: name, id: name, ssid: name }],
      not_compared: [{ address: name, pointers: [`/${name}`] }],
      findings: [{ level: 'error', code: 'SITE_NOT_READ', message: name, address: name }],
      rollout: [{ name, sites: changes.map(({ site }) => site.name) }],
      summary: { blocked, sites_failed: failed }
    })
  )

/** Outcomes of any status, with the values of the changes. */
function outcomesOf({ changes }: Plan, message: string): Outcome[] {
  return changes.map(({ address, patch }, at) => ({
    address,
    status: statuses[at % statuses.length] ?? 'failed',
    reason: message,
    fields: patch.flatMap(step =>
      'value' in step ? [{ pointer: step.path, before: step.value, wanted: message }] : []
    ),
    sideEffects: patch.map(({ path }) => path),
    notVerifiable: []
  }))
}

const reports: Arbitrary<Report[]> = fc.tuple(plan, text).map(([made, message]): Report[] => [
  { kind: 'plan', plan: made },
  { kind: 'drift', plan: made },
  { kind: 'outcomes', plan: made, outcomes: outcomesOf(made, message), failedWave: message },
  { kind: 'findings', findings: made.findings }
])

/** The workflow commands in a log. */
const commands = /^\s*::(?!(?:error|warning|notice) (?:file|title)=|group::|endgroup::)/m

it.each(formatNames)('%s renders every plan and outcome, and escapes all text', format => {
  fc.assert(
    fc.property(reports, fc.constantFrom(20, 80, Number.POSITIVE_INFINITY), (all, width) => {
      for (const report of all) {
        const output = formats[format](report, { colour: false, width })
        expect(output.endsWith('\n')).toBe(true)
        expect(output).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
        expect(output).not.toMatch(/##\w*\[/)
        expect(output).not.toMatch(commands)
      }
    }),
    runs(8)
  )
})
