import type { LeftField } from '../../core/model/adoption.ts'
import { getOrInsert } from '../../core/values/collections.ts'
import { steps } from '../../core/values/pointer.ts'
import type { TextEdit } from '../../core/values/text.ts'
import type { Value, ValueObject } from '../../core/values/value.ts'
import type { Entry, Node, SourceFile } from '../../fleet/yaml/tree.ts'
import { insertMembers, rewriteValue } from '../yaml-edit/edit.ts'
import {
  isMapRange,
  memberRange,
  type Outline,
  parseOutline,
  type TextRange
} from '../yaml-edit/outline.ts'
import type { EditTarget } from './choose.ts'

interface AdoptionEdits {
  readonly edits: ReadonlyMap<SourceFile, readonly TextEdit[]>
  readonly written: readonly EditTarget[]
  readonly left: readonly LeftField[]
}

export function makeEdits(targets: readonly EditTarget[]): AdoptionEdits {
  const files = new Map<SourceFile, FileEdits>()
  const written: EditTarget[] = []
  const left: LeftField[] = []
  for (const target of targets) {
    const source = sourceOf(target.place ?? target.profile ?? target.site ?? target.wlan.entry)
    const file = getOrInsert(files, source, () => new FileEdits(source))
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
