import type { Source } from '../config/files/source.ts'
import type { Entry, Node } from '../config/yaml/tree.ts'
import type { LeftField } from '../model/adoption.ts'
import { type Pointer, steps } from '../model/pointer.ts'
import type { TextEdit } from '../model/text.ts'
import type { Value, ValueObject } from '../model/value.ts'
import { inserted } from '../yaml-edit/insert.ts'
import {
  isMapRange,
  memberOf,
  type Outline,
  outlineOf,
  type TextRange
} from '../yaml-edit/outline.ts'
import { rewritten } from '../yaml-edit/rewrite.ts'
import type { Choice } from './choose.ts'

/** What is to be changed in the files, and what no edit could be found for. */
export interface Written {
  readonly edits: ReadonlyMap<Source, readonly TextEdit[]>
  readonly written: readonly Choice[]
  readonly left: readonly LeftField[]
}

/** The edits that write what was chosen where it was chosen. */
export function editsOf(choices: readonly Choice[]): Written {
  const files = new Map<Source, FileEdits>()
  const written: Choice[] = []
  const left: LeftField[] = []
  for (const choice of choices) {
    const { want, wlan, place } = choice
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
    edits: new Map([...files].map(([source, file]) => [source, file.edits()])),
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
    this.#outline = outlineOf(text)
  }

  /** Of several that want the same of one place, the first writes it. False where the text does not show it. */
  replace(place: Entry | Node, value: Value): boolean {
    const { ofKey, ofValue } = this.#outline
    const spot = 'kind' in place ? ofValue(place.offset) : ofKey(place.offset)
    if (spot === undefined) return false
    if (!this.#replaced.has(place)) {
      this.#replaced.set(place, rewritten(this.#outline, spot, value))
    }
    return true
  }

  /** Adds a field to a block, in the objects that are there already. False where there is no map to add to. */
  add(block: Entry, pointer: Pointer, value: Value): boolean {
    let spot = this.#outline.ofKey(block.offset)
    const path = steps(pointer)
    while (spot !== undefined && path.length > 1) {
      const below = memberOf(this.#outline, spot, path[0] ?? '')
      if (below === undefined) break
      spot = below
      path.shift()
    }
    if (spot === undefined || !isMapRange(spot)) return false
    const members = this.#added.get(spot) ?? {}
    this.#added.set(spot, members)
    lay(members, path, value)
    return true
  }

  edits(): TextEdit[] {
    const additions = [...this.#added].map(([spot, members]) =>
      inserted(this.#outline, spot, members)
    )
    return [...[...this.#replaced.values()].flat(), ...additions]
  }
}

/** Puts a value below a path of names, making the objects on the way. */
function lay(members: Record<string, Value>, path: readonly string[], value: Value): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) members[name] = value
  else {
    const inner: Record<string, Value> = { ...(members[name] as ValueObject | undefined) }
    lay(inner, rest, value)
    members[name] = inner
  }
}
