import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adopt } from '../../../src/author/adopt/adopt.ts'
import { adoptableFields } from '../../../src/author/adopt/fields.ts'
import type { Adoption } from '../../../src/core/model/adoption.ts'
import type { DesiredSite } from '../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import type { PlannedChange } from '../../../src/core/model/plan.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import { applyEdits } from '../../../src/core/values/text.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { referencesOnly } from '../../../src/fleet/secrets/source.ts'
import { wlanValue } from '../../../src/service/live.ts'
import { runs } from '../../support/properties.ts'
import { type Case, cases } from './fleets.ts'

/** The input and the result of an adoption. */
interface Adopted {
  readonly made: Case
  readonly adoption: Adoption
  readonly before: readonly PlannedChange[]
  readonly after: readonly PlannedChange[]
  readonly texts: ReadonlyMap<string, string>
}

async function adoptedOf(made: Case): Promise<Adopted> {
  const sources = made.sources.map(fresh)
  const before = await changesOf(sources.map(fresh), made)
  for (const source of sources) expect(await parseSource(source)).toEqual([])
  const secrets = referencesOnly()
  const adoption = await adopt({
    wlans: before,
    found: adoptableFields(before, []),
    sources,
    secrets
  })
  const edits = new Map(adoption.files.map(file => [file.file, file.edits]))
  const texts = new Map(
    sources.map(({ file, text }) => [file, applyEdits(text, edits.get(file) ?? [])])
  )
  const after = await changesOf(
    sources.map(({ file, inFleet }) => new Source(file, inFleet, texts.get(file) ?? '')),
    made
  )
  return { made, adoption, before, after, texts }
}

function fresh({ file, inFleet, text }: Source): Source {
  return new Source(file, inFleet, text)
}

async function changesOf(sources: readonly Source[], { live }: Case): Promise<PlannedChange[]> {
  const { desired, findings } = await loadTexts(
    new Map(sources.map(({ file, text }) => [file, text]))
  )
  if (desired === undefined) throw new Error(JSON.stringify(findings))
  return desired.sites.flatMap(site =>
    planSite(site, liveSite(site, live.get(site.id) ?? [])).wlanPlans.flatMap(verdict =>
      verdict.status === 'changed' ? [verdict] : []
    )
  )
}

function liveSite({ id, name }: DesiredSite, records: readonly object[]): LiveSite {
  const wlans = records.map(json => {
    const record = wlanValue(json) as ValueObject
    return { id: String(record['id']), ssid: String(record['ssid']), record, readAt: 0 }
  })
  return { site: { id, name }, wlans }
}

/** Each differing field by its WLAN and pointer. */
function fieldsOf(changes: readonly PlannedChange[]): string[] {
  return changes
    .flatMap(({ address, change }) => change.patch.map(({ path }) => `${address} ${path}`))
    .filter((field, at, all) => all.indexOf(field) === at)
    .sort()
}

const named = ({ address, pointer }: { address: string; pointer: string }) =>
  `${address} ${pointer}`

async function forAll(check: (adopted: Adopted) => void): Promise<void> {
  let [tried, adopted] = [0, 0]
  await fc.assert(
    fc.asyncProperty(cases, async made => {
      tried += 1
      const result = await adoptedOf(made)
      adopted += result.adoption.adopted.length
      check(result)
    }),
    runs(16)
  )
  expect(adopted).toBeGreaterThan(tried)
}

describe('adopting live values', () => {
  it('accounts for every field that differs, names anchors as the only reason to skip, and keeps comments and line ends', async () => {
    await forAll(adopted => {
      accountsForAll(adopted)
      sharesOnlyAnchors(adopted)
      keepsCommentsAndLineEnds(adopted)
    })
  })
})

/** Checks that every field that differs is adopted or skipped, and that skipped fields stay in the plan. */
function accountsForAll({ adoption, before, after }: Adopted): void {
  const { adopted, left } = adoption
  expect([...adopted, ...left].map(named).sort()).toEqual(fieldsOf(before))
  expect(fieldsOf(after)).toEqual(left.map(named).sort())
}

/** Checks that no field of a site list is skipped because others share it, except through an anchor. */
function sharesOnlyAnchors({ made, adoption }: Adopted): void {
  const [list] = made.sources.filter(({ file }) => file === 'stores.yaml')
  if (list === undefined || list.text.includes('&')) return
  expect(adoption.left.filter(({ reason }) => reason.includes('the same place'))).toEqual([])
}

function keepsCommentsAndLineEnds({ made, texts }: Adopted): void {
  for (const { file, text } of made.sources) {
    const after = texts.get(file) ?? ''
    for (const [comment] of text.matchAll(/# (?:note \d+|made by hand)$/gm))
      expect(after).toContain(comment)
    if (text.includes('\r\n')) expect(after).not.toMatch(/[^\r]\n/)
    else expect(after).not.toContain('\r')
  }
}
