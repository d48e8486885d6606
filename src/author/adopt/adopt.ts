import { diff } from '../../core/diff/diff.ts'
import type { AdoptedField, Adoption, LeftField } from '../../core/model/adoption.ts'
import type { DesiredWlan } from '../../core/model/desired.ts'
import { exit, Failure } from '../../core/model/failure.ts'
import { isError } from '../../core/model/finding.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import { byCodeUnit, groupBy } from '../../core/values/collections.ts'
import { child, fieldName, overlap, type Pointer } from '../../core/values/pointer.ts'
import { applyEdits } from '../../core/values/text.ts'
import { isObject, isSameJson, member, type Value } from '../../core/values/value.ts'
import { declaredBy } from '../../fleet/files/reread.ts'
import type { Source } from '../../fleet/files/source.ts'
import { loadTexts } from '../../fleet/load.ts'
import type { SecretSource } from '../../fleet/secrets/source.ts'
import type { SourceFile } from '../../fleet/yaml/tree.ts'
import { type EditTarget, TargetChooser } from './choose.ts'
import type { AdoptableFields } from './fields.ts'
import { makeEdits } from './file-edits.ts'
import { editedFiles } from './hidden-parts.ts'
import { ReferenceIndex } from './reference-index.ts'

type AdoptedWlan = Pick<PlannedChange, 'address' | 'desired' | 'live'>

interface AdoptRequest {
  readonly wlans: readonly AdoptedWlan[]
  /** The fields to declare, and those that no file can declare, of the WLANs of `changes`. */
  readonly found: AdoptableFields
  readonly sources: readonly Source[]
  readonly secrets: SecretSource
}

/**
 * Computes the smallest edits that write live values into the files, and verifies that the edited files declare these
 * values and change nothing else. Writes nothing. Throws a `Failure` if the verification fails.
 */
export async function adopt(request: AdoptRequest): Promise<Adoption> {
  const { found, sources } = request
  const { adoptable, left: notAdoptable } = found
  const index = new ReferenceIndex(declaredBy(sources))
  const chooser = new TargetChooser(adoptable, index)
  const chosen = adoptable.map(field => chooser.choose(field))
  const { edits, written, left: notEditable } = makeEdits(chosen.filter(each => 'field' in each))
  const after = new Map([...edits].map(([source, own]) => [source, applyEdits(source.text, own)]))
  await verifyEdits(request, after, written)
  return {
    files: editedFiles(edits, sources),
    adopted: written.map(adoptedField).sort(compareFields),
    left: [...notAdoptable, ...notEditable, ...chosen.filter(each => 'reason' in each)].sort(
      compareFields
    )
  }
}

function adoptedField({ field, layer }: EditTarget): AdoptedField {
  const { address, pointer, lessSafe } = field
  return { address, pointer, layer, ...(lessSafe ? { lessSafe } : {}) }
}

function compareFields(a: Omit<LeftField, 'reason'>, b: Omit<LeftField, 'reason'>): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.pointer, b.pointer)
}

/**
 * Loads the edited fleet and compares it with the current one: every adopted field must have its live value,
 * and no field may change unless a target allows it. Throws a `Failure` (exit 1) otherwise.
 */
async function verifyEdits(
  { sources, wlans, secrets }: AdoptRequest,
  after: ReadonlyMap<SourceFile, string>,
  targets: readonly EditTarget[]
): Promise<void> {
  const current = await loadEdited(sources, new Map(), secrets)
  const edited = await loadEdited(sources, after, secrets)
  const allowed = groupBy(
    targets.map(({ field }) => field),
    ({ address }) => address
  )
  for (const [address, wlan] of current) {
    for (const pointer of differences(wlan.fields, edited.get(address)?.fields, '')) {
      const expected = allowed.get(address)?.some(field => overlap(field.pointer, pointer))
      if (!expected)
        throw verificationFailure(`${address} ${fieldName(pointer)} would change as well`)
    }
  }
  const live = new Map(wlans.map(wlan => [wlan.address, wlan.live.record]))
  for (const { field } of targets) {
    const fields = edited.get(field.address)?.fields ?? {}
    const { patch } = diff(fields, live.get(field.address) ?? {})
    if (patch.some(({ path }) => overlap(path, field.pointer))) {
      throw verificationFailure(`${field.address} ${fieldName(field.pointer)} would still differ`)
    }
  }
}

/** The WLANs of the fleet with these texts in its files, by address. Exit 1 if they are invalid. */
async function loadEdited(
  sources: readonly SourceFile[],
  edited: ReadonlyMap<SourceFile, string>,
  secrets: SecretSource
): Promise<ReadonlyMap<string, DesiredWlan>> {
  const texts = sources.map(source => [source.inFleet, edited.get(source) ?? source.text] as const)
  const { desired, findings } = await loadTexts(new Map(texts), secrets)
  if (desired === undefined) {
    throw verificationFailure(
      findings.find(isError)?.message ?? 'the edited files would be invalid'
    )
  }
  return new Map(desired.sites.flatMap(site => site.wlans.map(wlan => [wlan.address, wlan])))
}

function differences(a: Value | undefined, b: Value | undefined, at: Pointer): Pointer[] {
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].flatMap(name =>
      differences(member(a, name), member(b, name), child(at, name))
    )
  }
  return isSameJson(a, b) ? [] : [at]
}

function verificationFailure(reason: string): Failure {
  return new Failure(
    exit.failed,
    `cannot adopt this without changing more: ${reason}; nothing was written`,
    'exclude it, and edit the file manually'
  )
}
