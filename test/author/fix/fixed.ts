import type { LiveOf } from '../../../src/author/fix/findings.ts'
import { type FixRequest, fixFleet } from '../../../src/author/fix/fix.ts'
import type { FixResult } from '../../../src/core/model/fix.ts'
import { applyEdits } from '../../../src/core/values/text.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { referencesOnly } from '../../../src/fleet/secrets/source.ts'
import { wlanValue } from '../../../src/service/live.ts'

/** Live records by the name of the site. */
export type LiveRecords = Readonly<Record<string, readonly object[]>>

/** The result of `fix` for a fleet in files, by path, and the files after it. */
export async function fixed(
  files: Readonly<Record<string, string>>,
  options: Partial<FixRequest> & { readonly live?: LiveRecords } = {}
): Promise<{ readonly result: FixResult; readonly after: Readonly<Record<string, string>> }> {
  const sources = Object.entries(files).map(([file, text]) => new Source(file, file, text))
  for (const source of sources) {
    const findings = await parseSource(source)
    if (findings.length > 0) throw new Error(JSON.stringify(findings))
  }
  const { live, ...request } = options
  const result = await fixFleet({
    sources,
    isSelected: () => true,
    rules: [],
    layer: 'profile',
    unsafe: false,
    liveOf: live === undefined ? () => undefined : liveIn(live),
    secrets: referencesOnly(),
    now: new Date(),
    ...request
  })
  const edits = new Map(result.files.map(each => [each.file, each.edits]))
  const after = Object.entries(files).map(([file, text]) => [
    file,
    applyEdits(text, edits.get(file) ?? [])
  ])
  return { result, after: Object.fromEntries(after) }
}

export function liveIn(records: LiveRecords): LiveOf {
  return site => ({
    site,
    wlans: (records[site.name] ?? []).map((fields, at) => {
      const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
      const record = wlanValue({ id, site_id: site.id, ...fields }) as ValueObject
      return { id, ssid: String(record['ssid']), record, readAt: 0 }
    })
  })
}
