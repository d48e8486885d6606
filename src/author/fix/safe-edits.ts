import type { Finding, Location } from '../../core/model/finding.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import type { SourceFile } from '../../fleet/yaml/tree.ts'
import { removableCodes, removableItem, removalOf } from './file-fixes.ts'
import { fixFleet } from './fix.ts'

/** An edit of a file; `end` is exclusive. */
export interface PlacedEdit {
  readonly start: Location
  readonly end: Location
  readonly text: string
}

/**
 * The edits of findings that are safe whatever the live networks are, by finding: with all of them, the files declare
 * the same. `sources`: every file of the fleet, parsed without an error.
 */
export async function safeEdits(
  findings: readonly Finding[],
  sources: readonly SourceFile[],
  now: Date
): Promise<ReadonlyMap<Finding, readonly PlacedEdit[]>> {
  const { fixes } = await fixFleet({
    sources,
    isSelected: () => true,
    rules: [...removableCodes],
    layer: 'profile',
    unsafe: false,
    liveOf: () => undefined,
    secrets: referencesOnly(),
    now
  })
  const made = new Set(fixes.map(({ rule }) => rule))
  return new Map(
    findings.flatMap(found => {
      const item = made.has(found.code) ? removableItem(found, sources) : undefined
      if (item === undefined) return []
      const { source } = item
      const edits = removalOf(item).map(({ start, end, text }) => {
        return { start: source.place(start), end: source.place(end), text }
      })
      return [[found, edits] as const]
    })
  )
}
