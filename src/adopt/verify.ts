import { type LoadedFleet, loadTexts } from '../config/load.ts'
import type { SourceFile } from '../config/yaml/tree.ts'
import type { Desired, DesiredWlan } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { isError } from '../model/finding.ts'
import type { PlannedChange } from '../model/plan.ts'
import { child, overlap, type Pointer } from '../model/pointer.ts'
import { isObject, member, type Value } from '../model/value.ts'
import { diff } from '../plan/diff.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { EditTarget } from './choose.ts'

/** The edited files, and the intended changes to verify. */
export interface ExpectedEdit {
  readonly before: readonly SourceFile[]
  /** The edited texts of the files that change. */
  readonly after: ReadonlyMap<SourceFile, string>
  readonly targets: readonly EditTarget[]
  readonly changes: readonly PlannedChange[]
  /** Checks references without resolving them. */
  readonly secrets: SecretSource
}

/**
 * Loads the edited fleet and compares it with the current one: every adopted field has its live value, and no
 * field changes that no target allows. Throws a `Failure` (exit 1) otherwise.
 */
export async function verifyEdits({
  before,
  after,
  targets,
  changes,
  secrets
}: ExpectedEdit): Promise<void> {
  const textOf = (source: SourceFile) => after.get(source) ?? source.text
  const current = wlansOf(
    await loadTexts(
      textsOf(before, source => source.text),
      secrets
    )
  )
  const edited = wlansOf(await loadTexts(textsOf(before, textOf), secrets))
  const allowed = allowedChanges(targets)
  for (const [address, wlan] of current) {
    for (const pointer of differences(wlan.fields, edited.get(address)?.fields, '')) {
      const expected = allowed.get(address)?.some(at => overlap(at, pointer))
      if (!expected) throw verificationFailure(`${address} ${pointer} would change as well`)
    }
  }
  const live = new Map(changes.map(change => [change.address, change.live.record]))
  for (const { field } of targets) {
    const fields = edited.get(field.address)?.fields ?? {}
    const { patch } = diff(fields, live.get(field.address) ?? {})
    if (patch.some(({ path }) => overlap(path, field.pointer))) {
      throw verificationFailure(`${field.address} ${field.pointer} would still differ`)
    }
  }
}

function textsOf(sources: readonly SourceFile[], textOf: (source: SourceFile) => string) {
  return new Map(sources.map(source => [source.inFleet, textOf(source)]))
}

function wlansOf({ desired, findings }: LoadedFleet): Map<string, DesiredWlan> {
  if (desired === undefined) {
    throw verificationFailure(
      findings.find(isError)?.message ?? 'the edited files would be invalid'
    )
  }
  return new Map(allWlans(desired).map(wlan => [wlan.address, wlan]))
}

function allWlans({ sites }: Desired): readonly DesiredWlan[] {
  return sites.flatMap(site => site.wlans)
}

function allowedChanges(targets: readonly EditTarget[]): Map<string, Pointer[]> {
  const allowed = new Map<string, Pointer[]>()
  for (const { field, alsoChanged } of targets) {
    for (const { address, pointer } of [field, ...alsoChanged]) {
      allowed.set(address, [...(allowed.get(address) ?? []), pointer])
    }
  }
  return allowed
}

/** The pointers at which two declarations differ. */
function differences(a: Value | undefined, b: Value | undefined, at: Pointer): Pointer[] {
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].flatMap(name =>
      differences(member(a, name), member(b, name), child(at, name))
    )
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [at]
}

function verificationFailure(reason: string): Failure {
  return new Failure(
    exit.failed,
    `cannot adopt these fields without changing more: ${reason}; nothing was written`,
    'exclude the field with --site, --wlan or --field, and edit it manually'
  )
}
