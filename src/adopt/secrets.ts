import { isReference, piecesOf } from '../config/wlans/references.ts'
import type { SourceFile as Source } from '../config/yaml/tree.ts'
import { type Entry, type MapNode, type Node, textOf } from '../config/yaml/tree.ts'
import type { HiddenPart, LineRange } from '../model/adoption.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { type Outline, outlineOf } from '../yaml-edit/outline.ts'
import { isAlias } from './choose.ts'

/**
 * Gives the parts of a file that may hold a secret in clear. What is shown is what is known to hold none;
 * all else is hidden, so that no place is forgotten.
 *
 * | shown                                                     | hidden                                   |
 * |-----------------------------------------------------------|------------------------------------------|
 * | keys; ids and names; `$extends`, `$match`, `$protect`     | comments, anchors, tags                  |
 * | values of fields that the schema knows, and not as secret | secret and unknown fields                |
 * | `$env`, `$file` and `$var`                                | `$format` in a secret or unknown field   |
 * | variables that only such fields use                       | other variables, used or not             |
 * | numbers and switches of policy and rollout                | texts in them                            |
 */
export function hiddenParts(sources: readonly Source[]): (source: Source) => HiddenPart[] {
  const variables = new VariableUses()
  for (const source of sources)
    for (const block of blocksIn(source)) variables.note(block, wlanField)
  return source => {
    const shown = new ShownParts(outlineOf(source.text), variables)
    shown.file(source)
    return shown.rest(source.text)
  }
}

/** Which variables of the fleet are used in fields that hold no secret, and in no other. */
class VariableUses {
  readonly #plain = new Set<string>()
  readonly #other = new Set<string>()

  isPlain(name: string): boolean {
    return this.#plain.has(name) && !this.#other.has(name)
  }

  note(node: Node, field: Field): void {
    if (node.kind === 'scalar') return
    if (node.kind === 'list') {
      for (const item of node.items) this.note(item, field.item())
      return
    }
    const uses = isPlain(field) ? this.#plain : this.#other
    for (const name of namesIn(node)) uses.add(name)
    for (const [name, { value }] of node.entries) this.note(value, field.member(name))
  }
}

/** The variables that a `$var` or a `$format` names. */
function namesIn({ entries }: MapNode): string[] {
  const pieces = piecesOf(textOf(entries.get('$format')?.value) ?? '') ?? []
  const inFormat = pieces.flatMap(piece => ('variable' in piece ? piece.variable : []))
  return [textOf(entries.get('$var')?.value) ?? [], inFormat].flat()
}

function isPlain(field: Field): boolean {
  return field.known && !field.secret
}

/** Collects what of a file may be shown. */
class ShownParts {
  readonly #outline: Outline
  readonly #variables: VariableUses
  readonly #stretches: LineRange[] = []

  constructor(outline: Outline, variables: VariableUses) {
    this.#outline = outline
    this.#variables = variables
  }

  file({ root }: Source): void {
    this.#members(root, (name, value) => {
      if (name === 'wlans' || name === 'profiles') {
        this.#members(value, (_, block) => this.#fields(block, wlanField))
      } else if (name === 'site') this.#site(value)
      else if (name === 'sites' && value.kind === 'list') value.items.map(site => this.#site(site))
      else this.#leaves(value, leaf => typeof leaf !== 'string')
    })
  }

  /** What is neither shown nor mere punctuation, cut at the ends of lines. */
  rest(text: string): HiddenPart[] {
    const rest: HiddenPart[] = []
    let from = 0
    const ends: LineRange = { start: text.length, end: text.length }
    for (const { start, end } of [...this.#stretches.sort((a, b) => a.start - b.start), ends]) {
      const between = text.slice(from, Math.max(start, from))
      for (const { 0: part, index } of between.matchAll(
        /[^\s:{}[\],?-][^\r\n]*[^\s{}[\],]|[^\s:{}[\],?-]/g
      )) {
        const mark = /^#\s*/.exec(part)?.[0].length ?? 0
        if (mark === part.length) continue
        const [start, end] = [from + index + mark, from + index + part.length]
        rest.push({ start, end, ...(mark > 0 && { comment: true }) })
      }
      from = Math.max(from, end)
    }
    return rest
  }

  #site(site: Node): void {
    this.#members(site, (name, value) => {
      if (name !== 'vars') this.#leaves(value, () => true)
      else {
        this.#members(value, (variable, held) => {
          if (this.#variables.isPlain(variable)) this.#leaves(held, () => true)
        })
      }
    })
  }

  #fields(block: Node, field: Field): void {
    if (block.kind === 'scalar') this.#value(block, isPlain(field))
    else if (block.kind === 'list') for (const item of block.items) this.#fields(item, field.item())
    else if (isReference(block) && !(block.entries.has('$format') && !isPlain(field))) {
      this.#leaves(block, () => true)
    } else {
      this.#members(block, (name, value) => {
        if (field === wlanField && name.startsWith('$')) this.#leaves(value, () => true)
        else if (!name.startsWith('$')) this.#fields(value, field.member(name))
      })
    }
  }

  #leaves(node: Node, isShown: (value: unknown) => boolean): void {
    if (node.kind === 'scalar') this.#value(node, isShown(node.value))
    else if (node.kind === 'list') for (const item of node.items) this.#leaves(item, isShown)
    else this.#members(node, (_, value) => this.#leaves(value, isShown))
  }

  /** Shows the keys of a map; what stands behind an alias is dealt with where it is written. */
  #members(node: Node | undefined, visit: (name: string, value: Node) => void): void {
    if (node?.kind !== 'map') return
    for (const [name, entry] of node.entries) {
      this.#key(entry)
      if (!isAlias(entry)) visit(name, entry.value)
    }
  }

  #key({ offset }: Entry): void {
    const key = this.#outline.ofKey(offset)?.pair?.key
    if (key !== undefined) this.#stretches.push({ start: key.range[0], end: key.range[1] })
  }

  /** A comment may stand in the first line of a block of text: such a block is hidden. */
  #value({ offset }: Node, isShown: boolean): void {
    const spot = isShown ? this.#outline.ofValue(offset) : undefined
    if (spot === undefined || /^[|>]/.test(this.#outline.text.slice(spot.start, spot.end))) return
    this.#stretches.push({ start: spot.start, end: spot.end })
  }
}

/** The blocks of the WLANs and of the profiles of a file. */
function blocksIn({ root }: Source): Node[] {
  if (root?.kind !== 'map') return []
  return ['wlans', 'profiles'].flatMap(key => {
    const map = root.entries.get(key)?.value
    return map?.kind === 'map' ? [...map.entries.values()].map(({ value }) => value) : []
  })
}
