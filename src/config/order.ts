import type { Finding } from '../model/finding.ts'
import { byCodeUnit } from '../model/identity.ts'

/** Findings in the order of the files, those without a place first; each one once. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.toSorted(byPlace).filter(found => {
    const { place, code, path } = found
    const key = JSON.stringify([code, path, place?.file, place?.line, place?.column])
    const first = !seen.has(key)
    seen.add(key)
    return first
  })
}

function byPlace(a: Finding, b: Finding): number {
  return (
    byCodeUnit(a.place?.file ?? '', b.place?.file ?? '') ||
    (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
    (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
    byCodeUnit(a.code, b.code) ||
    byCodeUnit(a.path ?? '', b.path ?? '')
  )
}
