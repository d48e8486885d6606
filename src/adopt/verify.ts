import { type LoadedFleet, loadTexts } from '../config/load.ts'
import type { SourceFile as Source } from '../config/yaml/tree.ts'
import type { Desired, DesiredWlan } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { isError } from '../model/finding.ts'
import type { PlannedChange } from '../model/plan.ts'
import { child, overlap, type Pointer } from '../model/pointer.ts'
import { isObject, member, type Value } from '../model/value.ts'
import { diff } from '../plan/diff.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Choice } from './choose.ts'

/** What has to be proved before anything is written. */
export interface ExpectedEdit {
  readonly before: readonly Source[]
  /** The texts afterwards, of the files that change. */
  readonly after: ReadonlyMap<Source, string>
  readonly choices: readonly Choice[]
  readonly changes: readonly PlannedChange[]
  /** For checking references; none is followed. */
  readonly secrets: SecretSource
}

/**
 * Reads the fleet as it would be, and compares: what was adopted says what is live, what was told to
 * change with it changed, and nothing else did. Throws a `Failure` (exit 1) if that is not so.
 */
export async function verifyEdits({
  before,
  after,
  choices,
  changes,
  secrets
}: ExpectedEdit): Promise<void> {
  const textOf = (source: Source) => after.get(source) ?? source.text
  const old = wlansOf(
    await loadTexts(
      textsOf(before, source => source.text),
      secrets
    )
  )
  const new_ = wlansOf(await loadTexts(textsOf(before, textOf), secrets))
  const allowed = allowedChanges(choices)
  for (const [address, wlan] of old) {
    for (const pointer of differences(wlan.fields, new_.get(address)?.fields, '')) {
      const expected = allowed.get(address)?.some(at => overlap(at, pointer))
      if (!expected) throw unproved(`${address} ${pointer} would change, too`)
    }
  }
  const live = new Map(changes.map(change => [change.address, change.live.record]))
  for (const { want } of choices) {
    const fields = new_.get(want.address)?.fields ?? {}
    const { patch } = diff(fields, live.get(want.address) ?? {})
    if (patch.some(({ path }) => overlap(path, want.pointer))) {
      throw unproved(`${want.address} ${want.pointer} would still differ`)
    }
  }
}

function textsOf(sources: readonly Source[], textOf: (source: Source) => string) {
  return new Map(sources.map(source => [source.inFleet, textOf(source)]))
}

function wlansOf({ desired, findings }: LoadedFleet): Map<string, DesiredWlan> {
  if (desired === undefined) {
    throw unproved(findings.find(isError)?.message ?? 'the files would be wrong')
  }
  return new Map(all(desired).map(wlan => [wlan.address, wlan]))
}

function all({ sites }: Desired): readonly DesiredWlan[] {
  return sites.flatMap(site => site.wlans)
}

function allowedChanges(choices: readonly Choice[]): Map<string, Pointer[]> {
  const allowed = new Map<string, Pointer[]>()
  for (const { want, touched } of choices) {
    for (const { address, pointer } of [want, ...touched]) {
      allowed.set(address, [...(allowed.get(address) ?? []), pointer])
    }
  }
  return allowed
}

/** The pointers at which two declarations say something else. */
function differences(a: Value | undefined, b: Value | undefined, at: Pointer): Pointer[] {
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].flatMap(name =>
      differences(member(a, name), member(b, name), child(at, name))
    )
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [at]
}

function unproved(reason: string): Failure {
  return new Failure(
    exit.failed,
    `this cannot be adopted without changing more: ${reason}; nothing was written`,
    'leave it out with --site, --wlan or --field, and edit it by hand'
  )
}
