import { adopt } from '../../../src/author/adopt/adopt.ts'
import { adoptableFields } from '../../../src/author/adopt/fields.ts'
import type { Adoption } from '../../../src/core/model/adoption.ts'
import type { PlannedChange } from '../../../src/core/model/plan.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import { applyEdits } from '../../../src/core/values/text.ts'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { loadTexts } from '../../../src/fleet/load.ts'
import { referencesOnly } from '../../../src/fleet/secrets/source.ts'
import { liveSite } from '../import/estates.ts'

/** The texts of a fleet by their files. */
export type Texts = ReadonlyMap<string, string>

/** Live records by the id of the site. */
export type Records = ReadonlyMap<string, readonly object[]>

/** The changes of the plan of these files. */
export async function changesOf(texts: Texts, live: Records): Promise<PlannedChange[]> {
  const { desired, findings } = await loadTexts(texts)
  if (desired === undefined) throw new Error(JSON.stringify(findings))
  return desired.sites.flatMap(site => {
    const { wlanPlans } = planSite(site, liveSite(site, live.get(site.id) ?? []))
    return wlanPlans.filter(plan => plan.status === 'changed')
  })
}

/** Adopts all live values that differ; `after` are the texts with the edits. */
export async function adopted(
  texts: Texts,
  live: Records
): Promise<{ adoption: Adoption; before: readonly PlannedChange[]; after: Texts }> {
  const before = await changesOf(texts, live)
  const sources = [...texts].map(([file, text]) => new Source(file, file, text))
  for (const source of sources) await parseSource(source)
  const found = adoptableFields(before, [])
  const adoption = await adopt({ wlans: before, found, sources, secrets: referencesOnly() })
  const edits = new Map(adoption.files.map(file => [file.file, file.edits]))
  const edited = [...texts].map(
    ([file, text]) => [file, applyEdits(text, edits.get(file) ?? [])] as const
  )
  return { adoption, before, after: new Map(edited) }
}
