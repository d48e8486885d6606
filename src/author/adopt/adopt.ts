import { diff } from '../../core/diff/diff.ts'
import type { AdoptedField, Adoption, LeftField } from '../../core/model/adoption.ts'
import type { Period } from '../../core/model/calendar.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { overlap, type Pointer, steps } from '../../core/values/pointer.ts'
import { applyEdits, type TextEdit } from '../../core/values/text.ts'
import type { Value, ValueObject } from '../../core/values/value.ts'
import type { SecretSource } from '../../fleet/secrets/source.ts'
import { readUnresolved } from '../../fleet/unresolved-fleet.ts'
import type { Entry, Node, SourceFile } from '../../fleet/yaml/tree.ts'
import { insertMembers, rewriteValue } from '../yaml-edit/edit.ts'
import {
  isMapRange,
  memberRange,
  type Outline,
  parseOutline,
  type TextRange
} from '../yaml-edit/outline.ts'
import { type ActivePeriods, type EditTarget, TargetChooser } from './choose.ts'
import type { AdoptableFields } from './fields.ts'
import { hiddenParts } from './hidden-parts.ts'
import { ReferenceIndex } from './reference-index.ts'
import { differences, loadEdited, verificationFailure } from './verify.ts'

type AdoptedWlan = Pick<PlannedChange, 'address' | 'desired' | 'live'>

/** The input of an adoption. */
export interface AdoptRequest {
  /** The WLANs of the run, with the live records. */
  readonly wlans: readonly AdoptedWlan[]
  /** The fields to declare, and those that no file can declare, of the WLANs of `changes`. */
  readonly found: AdoptableFields
  /** Every file of the fleet, parsed without an error. */
  readonly sources: readonly SourceFile[]
  /** Write a field where it is declared, even if other WLANs read it there. */
  readonly shared: boolean
  /** Checks references without resolving them. */
  readonly secrets: SecretSource
  /** The time of the run: fields with an active period are not adopted. */
  readonly now: Date
}

/**
 * Computes the smallest edits that write live values into the files, and verifies that the edited files
 * declare these values and change nothing else. Writes nothing. Throws a `Failure` if the verification
 * fails.
 */
export async function adopt(request: AdoptRequest): Promise<Adoption> {
  const { wlans, found, sources, shared, secrets } = request
  const { adoptable, left: notAdoptable } = found
  const index = new ReferenceIndex(readUnresolved(sources))
  const chooser = new TargetChooser(adoptable, index, shared, activePeriods(wlans, request.now))
  const chosen = adoptable.map(field => chooser.choose(field))
  const { edits, written, left: notEditable } = makeEdits(chosen.filter(isTarget))
  const edited = [...edits].filter(([, { length }]) => length > 0)
  const after = new Map(edited.map(([source, edits]) => [source, applyEdits(source.text, edits)]))
  const hiddenIn = hiddenParts(sources)
  await verifyEdits({ before: sources, after, targets: written, wlans, secrets })
  return {
    files: edited
      .map(([source, edits]) => ({
        file: source.file,
        before: source.text,
        edits,
        hidden: hiddenIn(source)
      }))
      .sort((a, b) => byCodeUnit(a.file, b.file)),
    adopted: written.map(adoptedField).sort(compareFields),
    left: [...notAdoptable, ...notEditable, ...chosen.filter(isLeft)].sort(compareFields)
  }
}

function activePeriods(wlans: readonly AdoptedWlan[], now: Date): ActivePeriods {
  const isActive = ({ from, until }: Period) =>
    Date.parse(from) <= now.getTime() && now.getTime() < Date.parse(until)
  const withPeriods = wlans.filter(({ desired }) => desired.periods !== undefined)
  return new Map(
    withPeriods.map(({ address, desired }) => {
      const active = [...(desired.periods ?? []).entries()].filter(([, each]) => isActive(each))
      return [address, new Map(active)]
    })
  )
}

function isTarget(chosen: EditTarget | LeftField): chosen is EditTarget {
  return 'field' in chosen
}

function isLeft(chosen: EditTarget | LeftField): chosen is LeftField {
  return 'reason' in chosen
}

function adoptedField({ field, layer, alsoChanged }: EditTarget): AdoptedField {
  const { address, pointer, lessSafe } = field
  const others = new Set(alsoChanged.map(reader => reader.address))
  return {
    address,
    pointer,
    layer,
    ...(lessSafe ? { lessSafe } : {}),
    touched: [...others].sort(byCodeUnit)
  }
}

function compareFields(a: Omit<LeftField, 'reason'>, b: Omit<LeftField, 'reason'>): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.pointer, b.pointer)
}

/** The edits of each file, and the fields without an edit. */
export interface AdoptionEdits {
  readonly edits: ReadonlyMap<SourceFile, readonly TextEdit[]>
  readonly written: readonly EditTarget[]
  readonly left: readonly LeftField[]
}

/** The edits that write each value at its target. */
export function makeEdits(targets: readonly EditTarget[]): AdoptionEdits {
  const files = new Map<SourceFile, FileEdits>()
  const written: EditTarget[] = []
  const left: LeftField[] = []
  for (const target of targets) {
    const source = sourceOf(target.place ?? target.profile ?? target.site ?? target.wlan.entry)
    const file = files.get(source) ?? new FileEdits(source)
    files.set(source, file)
    if (file.write(target)) written.push(target)
    else {
      const { address, pointer } = target.field
      left.push({ address, pointer, reason: BEHIND_ALIAS })
    }
  }
  return {
    edits: new Map([...files].map(([source, file]) => [source, file.toTextEdits()])),
    written,
    left
  }
}

const BEHIND_ALIAS = 'it is declared behind an alias: edit it manually'

function sourceOf(place: Entry | Node): SourceFile {
  return 'kind' in place ? place.source : place.value.source
}

class FileEdits {
  readonly #outline: Outline
  readonly #replaced = new Map<Entry | Node, readonly TextEdit[]>()
  readonly #added = new Map<TextRange, Record<string, Value>>()

  constructor({ text }: SourceFile) {
    this.#outline = parseOutline(text)
  }

  /** Writes a value at its target. False if the text has no such place. */
  write({ field, wlan, place, profile, site }: EditTarget): boolean {
    const { pointer, value } = field
    if (place !== undefined) return this.#replace(place, value)
    if (profile !== undefined) {
      return this.#add(this.#outline.ofValue(profile.offset), steps(pointer), value)
    }
    if (site === undefined) {
      return this.#add(this.#outline.ofKey(wlan.entry.offset), steps(pointer), value)
    }
    const path = ['wlans', wlan.key, ...steps(pointer)]
    return this.#add(this.#outline.ofValue(site.offset), path, value)
  }

  /** Replaces the value at a place, once for all fields that read it. */
  #replace(place: Entry | Node, value: Value): boolean {
    const { ofKey, ofValue } = this.#outline
    const range = 'kind' in place ? ofValue(place.offset) : ofKey(place.offset)
    if (range === undefined) return false
    if (!this.#replaced.has(place)) {
      this.#replaced.set(place, rewriteValue(this.#outline, range, value))
    }
    return true
  }

  /** Adds a member to a map, inside existing maps. False if there is no map to add it to. */
  #add(map: TextRange | undefined, path: string[], value: Value): boolean {
    let range = map
    while (range !== undefined && path.length > 1) {
      const child = memberRange(this.#outline, range, path[0] ?? '')
      if (child === undefined) break
      range = child
      path.shift()
    }
    if (range === undefined || !isMapRange(range)) return false
    const members = this.#added.get(range) ?? {}
    this.#added.set(range, members)
    setMember(members, path, value)
    return true
  }

  toTextEdits(): TextEdit[] {
    // Of maps that end at the same place, the inner one is extended first.
    const innerFirst = [...this.#added].sort(([a], [b]) => b.start - a.start)
    const additions = innerFirst.map(([range, members]) =>
      insertMembers(this.#outline, range, members)
    )
    return [...[...this.#replaced.values()].flat(), ...additions]
  }
}

function setMember(members: Record<string, Value>, path: readonly string[], value: Value): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) members[name] = value
  else {
    const inner: Record<string, Value> = { ...(members[name] as ValueObject | undefined) }
    setMember(inner, rest, value)
    members[name] = inner
  }
}

/** The edited files, and the intended changes to verify. */
export interface ExpectedEdit {
  readonly before: readonly SourceFile[]
  readonly after: ReadonlyMap<SourceFile, string>
  readonly targets: readonly EditTarget[]
  readonly wlans: readonly AdoptedWlan[]
  /** Checks references without resolving them. */
  readonly secrets: SecretSource
}

/**
 * Loads the edited fleet and compares it with the current one: every adopted field must have its live value,
 * and no field may change unless a target allows it. Throws a `Failure` (exit 1) otherwise.
 */
async function verifyEdits({
  before,
  after,
  targets,
  wlans,
  secrets
}: ExpectedEdit): Promise<void> {
  const current = await loadEdited(before, new Map(), secrets)
  const edited = await loadEdited(before, after, secrets)
  const allowed = allowedChanges(targets)
  for (const [address, wlan] of current) {
    for (const pointer of differences(wlan.fields, edited.get(address)?.fields, '')) {
      const expected = allowed.get(address)?.some(at => overlap(at, pointer))
      if (!expected) throw verificationFailure(`${address} ${pointer} would change as well`)
    }
  }
  const live = new Map(wlans.map(wlan => [wlan.address, wlan.live.record]))
  for (const { field } of targets) {
    const fields = edited.get(field.address)?.fields ?? {}
    const { patch } = diff(fields, live.get(field.address) ?? {})
    if (patch.some(({ path }) => overlap(path, field.pointer))) {
      throw verificationFailure(`${field.address} ${field.pointer} would still differ`)
    }
  }
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
