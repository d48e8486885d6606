import { byCodeUnit } from '../model/collections.ts'
import type { Site } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { ssidProblem } from '../model/names.ts'
import { topLevelField } from '../model/pointer.ts'
import { member, type ValueObject } from '../model/value.ts'
import { pickFields } from './fields.ts'
import { isTooLarge, withoutErrors } from './fit.ts'
import { keySlug, UniqueNames } from './names.ts'
import { withNeededSecrets } from './needed.ts'

/** A live WLAN as it is going to be declared; its secrets are still the live ones. */
export interface ImportedWlan {
  readonly key: string
  readonly id: string
  /** As the service has it, for people. */
  readonly ssid: string
  /** In the order in which a person would write them. */
  readonly fields: ValueObject
}

/** A live site as it is going to be declared. */
export interface ImportedSite {
  readonly site: Site
  /** Sorted by key. */
  readonly wlans: readonly ImportedWlan[]
  /** Live WLANs that are not declared, since a site cannot update them; sorted by SSID. */
  readonly inherited: readonly Pick<LiveWlan, 'id' | 'ssid'>[]
  /** What could not be declared as it is; warnings. */
  readonly findings: readonly Finding[]
}

export interface ImportOptions {
  /** Also what is empty, or the documented default. */
  readonly allFields: boolean
}

/**
 * Makes the declaration of a live site: a plan right after it is empty. Whatever no file can hold is
 * left out, which a finding says. The same site gives the same, in whatever order it was listed.
 */
export function importSite({ site, wlans }: LiveSite, options: ImportOptions): ImportedSite {
  const sorted = [...wlans].sort((a, b) => byCodeUnit(a.ssid, b.ssid) || byCodeUnit(a.id, b.id))
  const inherited = sorted.filter(isInherited)
  const keys = new UniqueNames('-')
  const made = sorted
    .filter(wlan => !isInherited(wlan))
    .map(wlan => importWlan(wlan, keys.take(keySlug(wlan.ssid)), site, options))
  return {
    site,
    wlans: made.flatMap(({ wlan }) => wlan ?? []).sort((a, b) => byCodeUnit(a.key, b.key)),
    inherited: inherited.map(({ id, ssid }) => ({ id, ssid })),
    findings: [
      ...inherited.map(({ id, ssid }) =>
        finding('IMPORT_INHERITED', { address: site.name }, ssid, id)
      ),
      ...made.flatMap(({ findings }) => findings)
    ]
  }
}

/** True for a WLAN that comes from a template of the organisation. */
function isInherited({ record }: LiveWlan): boolean {
  const template = member(record, 'template_id')
  return typeof template === 'string' && template !== ''
}

function importWlan(
  { id, ssid, record }: LiveWlan,
  key: string,
  site: Site,
  { allFields }: ImportOptions
): { readonly wlan?: ImportedWlan; readonly findings: Finding[] } {
  const where = { address: `${site.name}/${key}` }
  const picked = pickFields(record, allFields)
  const valid = withoutErrors(picked.fields)
  const { fields, problem } = withoutUnfitSsid(valid.fields)
  const unfit = [...picked.unfit, ...valid.refused].sort(byCodeUnit)
  const findings = [
    ...(problem === undefined ? [] : [finding('IMPORT_SSID_UNFIT', where, problem)]),
    ...(unfit.length === 0 ? [] : [finding('IMPORT_UNFIT', where, unfit)]),
    ...(picked.unknown.length === 0 || !allFields
      ? []
      : [finding('IMPORT_UNKNOWN', where, namesOf(picked.unknown))])
  ]
  if (isTooLarge(fields)) return { findings: [finding('IMPORT_TOO_LARGE', where)] }
  return { wlan: { key, id, ssid, fields: withNeededSecrets(fields, record) }, findings }
}

/** Some names are taken by the service and refused by our files; the id tells the WLAN all the same. */
function withoutUnfitSsid(fields: ValueObject): {
  readonly fields: ValueObject
  readonly problem?: string
} {
  const { ssid, ...others } = fields
  const problem = typeof ssid === 'string' ? ssidProblem(ssid) : undefined
  return problem === undefined ? { fields } : { fields: others, problem }
}

function namesOf(pointers: readonly string[]): string[] {
  return [...new Set(pointers.map(topLevelField))].sort(byCodeUnit)
}
