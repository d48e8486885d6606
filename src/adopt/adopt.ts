import type { Source } from '../config/files/source.ts'
import { writtenFleet } from '../config/written.ts'
import type { Entry, Node } from '../config/yaml/tree.ts'
import type { AdoptedField, Adoption, LeftField } from '../model/adoption.ts'
import { byCodeUnit } from '../model/collections.ts'
import type { PlannedChange } from '../model/plan.ts'
import { type Pointer, steps } from '../model/pointer.ts'
import { applyEdits, type TextEdit } from '../model/text.ts'
import type { Value, ValueObject } from '../model/value.ts'
import type { SecretSource } from '../secrets/source.ts'
import { insertMembers, rewriteValue } from '../yaml-edit/edit.ts'
import {
  isMapRange,
  memberRange,
  type Outline,
  parseOutline,
  type TextRange
} from '../yaml-edit/outline.ts'
import { type EditTarget, TargetChooser } from './choose.ts'
import { adoptableFields } from './fields.ts'
import { hiddenParts } from './hidden-parts.ts'
import { ReferenceIndex } from './reference-index.ts'
import { verifyEdits } from './verify.ts'

/** What is to be adopted. */
export interface AdoptRequest {
  /** Changes of a plan on the fleet, with what is live. */
  readonly changes: readonly PlannedChange[]
  /** Every file of the fleet, parsed, and without an error. */
  readonly sources: readonly Source[]
  /** Only these fields, and what is in them; all where there are none. */
  readonly fields: readonly Pointer[]
  /** Write where a field is declared, also where other WLANs read it. */
  readonly shared: boolean
  /** For checking references; none is followed. */
  readonly secrets: SecretSource
}

/**
 * Works out the edits that adopt what is live: which values, where each is written, as few bytes as
 * that takes; and proves on the result that they do it, and nothing else. Writes nothing. Throws a
 * `Failure` if that cannot be proved.
 */
export async function adopt(asked: AdoptRequest): Promise<Adoption> {
  const { changes, sources, fields, shared, secrets } = asked
  const { wants, left: secret } = adoptableFields(changes, fields)
  const chooser = new TargetChooser(wants, new ReferenceIndex(writtenFleet(sources)), shared)
  const chosen = wants.map(want => chooser.choose(want))
  const { edits, written, left: hidden } = makeEdits(chosen.filter(isChoice))
  const edited = [...edits].filter(([, { length }]) => length > 0)
  const after = new Map(edited.map(([source, made]) => [source, applyEdits(source.text, made)]))
  const hiddenIn = hiddenParts(sources)
  await verifyEdits({ before: sources, after, choices: written, changes, secrets })
  return {
    files: edited
      .map(([source, made]) => ({
        file: source.file,
        before: source.text,
        edits: made,
        hidden: hiddenIn(source)
      }))
      .sort((a, b) => byCodeUnit(a.file, b.file)),
    adopted: written.map(adoptedField).sort(compareFields),
    left: [...secret, ...hidden, ...chosen.filter(isLeft)].sort(compareFields)
  }
}

function isChoice(chosen: EditTarget | LeftField): chosen is EditTarget {
  return 'field' in chosen
}

function isLeft(chosen: EditTarget | LeftField): chosen is LeftField {
  return 'reason' in chosen
}

function adoptedField({ field: want, layer, alsoChanged: touched }: EditTarget): AdoptedField {
  const { address, pointer, lessSafe } = want
  const others = new Set(touched.map(user => user.address))
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

/** What is to be changed in the files, and what no edit could be found for. */
export interface AdoptionEdits {
  readonly edits: ReadonlyMap<Source, readonly TextEdit[]>
  readonly written: readonly EditTarget[]
  readonly left: readonly LeftField[]
}

/** The edits that write what was chosen where it was chosen. */
export function makeEdits(choices: readonly EditTarget[]): AdoptionEdits {
  const files = new Map<Source, FileEdits>()
  const written: EditTarget[] = []
  const left: LeftField[] = []
  for (const choice of choices) {
    const { field: want, wlan, place } = choice
    const source = sourceOf(place ?? wlan.entry)
    const file = files.get(source) ?? new FileEdits(source)
    files.set(source, file)
    const found =
      place === undefined
        ? file.add(wlan.entry, want.pointer, want.value)
        : file.replace(place, want.value)
    if (found) written.push(choice)
    else left.push({ address: want.address, pointer: want.pointer, reason: BY_HAND })
  }
  return {
    edits: new Map([...files].map(([source, file]) => [source, file.toTextEdits()])),
    written,
    left
  }
}

const BY_HAND = 'what is written there stands behind an alias: edit it by hand'

function sourceOf(place: Entry | Node): Source {
  return 'kind' in place ? place.source : place.value.source
}

/** The edits of one file, as they are asked for. */
class FileEdits {
  readonly #outline: Outline
  readonly #replaced = new Map<Entry | Node, readonly TextEdit[]>()
  readonly #added = new Map<TextRange, Record<string, Value>>()

  constructor({ text }: Source) {
    this.#outline = parseOutline(text)
  }

  /** Of several that want the same of one place, the first writes it. False where the text does not show it. */
  replace(place: Entry | Node, value: Value): boolean {
    const { ofKey, ofValue } = this.#outline
    const spot = 'kind' in place ? ofValue(place.offset) : ofKey(place.offset)
    if (spot === undefined) return false
    if (!this.#replaced.has(place)) {
      this.#replaced.set(place, rewriteValue(this.#outline, spot, value))
    }
    return true
  }

  /** Adds a field to a block, in the objects that are there already. False where there is no map to add to. */
  add(block: Entry, pointer: Pointer, value: Value): boolean {
    let spot = this.#outline.ofKey(block.offset)
    const path = steps(pointer)
    while (spot !== undefined && path.length > 1) {
      const below = memberRange(this.#outline, spot, path[0] ?? '')
      if (below === undefined) break
      spot = below
      path.shift()
    }
    if (spot === undefined || !isMapRange(spot)) return false
    const members = this.#added.get(spot) ?? {}
    this.#added.set(spot, members)
    setMember(members, path, value)
    return true
  }

  toTextEdits(): TextEdit[] {
    const additions = [...this.#added].map(([spot, members]) =>
      insertMembers(this.#outline, spot, members)
    )
    return [...[...this.#replaced.values()].flat(), ...additions]
  }
}

/** Puts a value below a path of names, making the objects on the way. */
function setMember(members: Record<string, Value>, path: readonly string[], value: Value): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) members[name] = value
  else {
    const inner: Record<string, Value> = { ...(members[name] as ValueObject | undefined) }
    setMember(inner, rest, value)
    members[name] = inner
  }
}
