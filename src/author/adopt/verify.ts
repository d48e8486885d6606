import type { DesiredWlan } from '../../core/model/desired.ts'
import { exit, Failure } from '../../core/model/failure.ts'
import { isError } from '../../core/model/finding.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { isObject, isSameJson, member, type Value } from '../../core/values/value.ts'
import { loadTexts } from '../../fleet/load.ts'
import type { SecretSource } from '../../fleet/secrets/source.ts'
import type { SourceFile } from '../../fleet/yaml/tree.ts'

/**
 * The WLANs that an edited fleet declares, by address: with these texts instead of those of its files.
 * Throws a `Failure` (exit 1) if the fleet would be invalid.
 */
export async function loadEdited(
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

/** The pointers at which two declarations differ. */
export function differences(a: Value | undefined, b: Value | undefined, at: Pointer): Pointer[] {
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].flatMap(name =>
      differences(member(a, name), member(b, name), child(at, name))
    )
  }
  return isSameJson(a, b) ? [] : [at]
}

export function verificationFailure(reason: string): Failure {
  return new Failure(
    exit.failed,
    `cannot adopt this without changing more: ${reason}; nothing was written`,
    'exclude it, and edit the file manually'
  )
}
