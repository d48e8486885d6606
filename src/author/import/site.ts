import { UniqueNames } from '../../core/audit/slug.ts'
import { missingSecret } from '../../core/diff/endangered-secret.ts'
import type { ListedSite, Site } from '../../core/model/desired.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import { isUsed, readFrom } from '../../core/schema/in-use.ts'
import { secretsShownIn } from '../../core/schema/shown-secrets.ts'
import { withoutInvalid } from '../../core/schema/validate.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { Secret } from '../../core/values/secret.ts'
import { ssidProblem } from '../../core/values/ssid.ts'
import { editAt, type ValueObject } from '../../core/values/value.ts'
import { isTooLarge, pickFields } from './fields.ts'
import { keySlug } from './names.ts'

/** A live WLAN to declare, with its live secrets. */
export interface ImportedWlan extends LiveWlan {
  readonly key: string
  /** In the order of a file. */
  readonly fields: ValueObject
}

/** A live site to declare. */
export interface ImportedSite extends Site {
  /** Sorted by key. */
  readonly wlans: readonly ImportedWlan[]
  /** Inherited live WLANs, which a site can neither update nor declare; sorted by SSID. */
  readonly inherited: readonly LiveWlan[]
  /** Of each declared WLAN with fields that the schema lacks, their names: `auth.new_field`. */
  readonly unknown: readonly (readonly string[])[]
  /** Warnings about live values that cannot be declared. */
  readonly findings: readonly Finding[]
}

/** A site to import. */
export interface RequestedSite extends ListedSite {
  /** Names its file and variables; unique, also on case-insensitive file systems. */
  readonly slug: string
}

/** A requested site and its imported state. */
export interface RequestedImport extends RequestedSite, ImportedSite {}

/**
 * The declaration of a live site: a plan of it has no changes. Values that a file cannot contain are omitted
 * with a finding. The result does not depend on the order of the live WLANs. `allFields`: declares empty values and
 * documented defaults, too.
 */
export function importSite({ site, wlans }: LiveSite, allFields: boolean): ImportedSite {
  const sorted = [...wlans].sort((a, b) => byCodeUnit(a.ssid, b.ssid) || byCodeUnit(a.id, b.id))
  const inherited = sorted.filter(({ record }) => isInherited(record))
  const keys = new UniqueNames('-')
  const secretsShown = secretsShownIn(wlans.map(({ record }) => record))
  const made = sorted
    .filter(({ record }) => !isInherited(record))
    .map(wlan => importWlan(wlan, keys.take(keySlug(wlan.ssid)), site, allFields, secretsShown))
  return {
    id: site.id,
    name: site.name,
    wlans: made.flatMap(({ wlan }) => wlan ?? []).sort((a, b) => byCodeUnit(a.key, b.key)),
    inherited,
    unknown: made.flatMap(({ wlan, unknown }) => (wlan && unknown.length > 0 ? [unknown] : [])),
    findings: [
      ...(wlans.length === 0 ? [finding('IMPORT_EMPTY', { address: site.name })] : []),
      ...made.flatMap(({ findings }) => findings)
    ]
  }
}

function importWlan(
  live: LiveWlan,
  key: string,
  site: Site,
  allFields: boolean,
  secretsShown: () => boolean
): {
  readonly wlan?: ImportedWlan
  readonly unknown: readonly string[]
  readonly findings: Finding[]
} {
  const where = { address: `${site.name}/${key}` }
  const { record } = live
  const picked = pickFields(record, allFields)
  const valid = withoutInvalid(addMissingSecrets(picked.fields, record, secretsShown))
  // Without an SSID that the service allows but the files do not, a WLAN is identified by its id.
  const { ssid, ...others } = valid.fields
  const problem = typeof ssid === 'string' ? ssidProblem(ssid) : undefined
  const fields = problem === undefined ? valid.fields : others
  const unfit = [...picked.undeclarable, ...valid.refused].sort(byCodeUnit)
  const findings = [
    ...(problem === undefined ? [] : [finding('IMPORT_SSID_UNFIT', where, problem)]),
    ...(unfit.length === 0 ? [] : [finding('IMPORT_UNFIT', where, unfit)])
  ]
  const unknown = picked.unknown.map(nameOf)
  if (isTooLarge(fields)) return { unknown, findings: [finding('IMPORT_TOO_LARGE', where)] }
  return { wlan: { ...live, key, fields }, unknown, findings }
}

/** The name of a field in messages; the same for each element of a list. */
function nameOf(pointer: Pointer): string {
  return steps(pointer)
    .filter(step => !/^\d+$/.test(step))
    .join('.')
}

/**
 * Adds the required secrets that the service hides by returning them empty or not at all. They are unknown
 * secrets that the user must set.
 */
function addMissingSecrets(
  fields: ValueObject,
  live: ValueObject,
  secretsShown: () => boolean,
  before?: Pointer
): ValueObject {
  const missing = missingSecret({ declared: fields, live, body: fields }, secretsShown)
  // The number of keys in the list is unknown.
  if (missing === undefined || missing === '/auth/keys' || missing === before) return fields
  if (!isUsed(missing, readFrom(live))) return fields
  const secret = new Secret({ $live: true }, undefined)
  const more = editAt(fields, steps(missing), () => secret) as ValueObject
  return addMissingSecrets(more, live, secretsShown, missing)
}
