import type { Finding, Location } from '../model/finding.ts'
import type { Change } from '../model/plan.ts'
import type { ExecutedPlan, Report } from './report.ts'

/** Converts a path to another base directory. */
type MapPath = (file: string) => string

/** Conversions for the places of changes, and for those of findings and refusals; default: none. */
interface PlaceMap {
  readonly changes?: MapPath
  readonly findings?: MapPath
}

/** Converts the places in a report. */
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
