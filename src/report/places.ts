import type { Finding, Location } from '../model/finding.ts'
import type { Change } from '../model/plan.ts'
import type { ExecutedPlan, Report } from './report.ts'

/** A path in another coordinate system. */
type MapPath = (file: string) => string

/** How to map the places of changes, and those of findings and refusals; default: not at all. */
interface PlaceMap {
  readonly changes?: MapPath
  readonly findings?: MapPath
}

/** A report with the places of its plan in other coordinates. */
export function mapPlaces(report: Report, map: PlaceMap): Report {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return { ...report, plan: mapPlan(report.plan, map) }
    case 'outcomes':
      return { ...report, plan: mapPlan(report.plan, map) }
    case 'findings':
    case 'record':
      return report
  }
}

function mapPlan<P extends ExecutedPlan>(plan: P, { changes, findings }: PlaceMap): P {
  const { refusals } = plan
  return {
    ...plan,
    ...(changes && { changes: plan.changes.map(change => mapChange(change, changes)) }),
    ...(findings && { findings: mapFindings(plan.findings, findings) }),
    ...(findings && refusals && { refusals: mapFindings(refusals, findings) })
  }
}

function mapChange(change: Change, map: MapPath): Change {
  const { origin, places, sources } = change
  return {
    ...change,
    origin: mapLocation(origin, map),
    ...(places && { places: mapMembers(places, place => mapLocation(place, map)) }),
    ...(sources && {
      sources: mapMembers(sources, all =>
        all.map(source => ({ ...source, place: mapLocation(source.place, map) }))
      )
    })
  }
}

function mapMembers<T>(
  members: Readonly<Record<string, T>>,
  change: (member: T) => T
): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]))
}

function mapFindings(findings: readonly Finding[], map: MapPath): Finding[] {
  return findings.map(found =>
    found.place === undefined ? found : { ...found, place: mapLocation(found.place, map) }
  )
}

function mapLocation(place: Location, map: MapPath): Location {
  return { ...place, file: map(place.file) }
}
