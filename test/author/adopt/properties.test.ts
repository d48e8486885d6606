import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Adoption } from '../../../src/core/model/adoption.ts'
import type { PlannedChange } from '../../../src/core/model/plan.ts'
import { runs } from '../../support/properties.ts'
import { adopted, changesOf } from './adopted.ts'
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
  const texts = new Map(made.sources.map(({ file, text }) => [file, text]))
  const { adoption, before, after } = await adopted(texts, made.live)
  return { made, adoption, before, after: await changesOf(after, made.live), texts: after }
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
