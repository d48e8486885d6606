import type { EditedFile, HiddenPart, LineRange } from '../../core/model/adoption.ts'
import { type Field, wlanField } from '../../core/schema/field.ts'
import { sortBy } from '../../core/values/collections.ts'
import type { TextEdit } from '../../core/values/text.ts'
import { isReference, variableNames } from '../../fleet/wlans/references.ts'
import { type Entry, memberNode, type Node, type SourceFile } from '../../fleet/yaml/tree.ts'
import { type Outline, parseOutline } from '../yaml-edit/outline.ts'
import { isAlias } from './choose.ts'

/** The files with edits, sorted by name. `sources`: every file of the fleet. */
export function editedFiles(
  edits: ReadonlyMap<SourceFile, readonly TextEdit[]>,
  sources: readonly SourceFile[]
): EditedFile[] {
  const hiddenIn = hiddenParts(sources)
  const files = [...edits].flatMap(([source, own]) => {
    const { file, text: before } = source
    return own.length === 0 ? [] : [{ file, before, edits: own, hidden: hiddenIn(source) }]
  })
  return sortBy(files, ({ file }) => file)
}

/**
 * Returns a function that finds the parts of a file that may contain a plaintext secret. Only parts that
 * certainly contain none are shown.
 *
 * | shown                                                     | hidden                                   |
 * |-----------------------------------------------------------|------------------------------------------|
 * | keys; ids and names; `$extends`, `$match`, `$protect`     | comments, anchors, tags                  |
 * | values of known fields that are not secret                | secret and unknown fields                |
 * | `$env`, `$file` and `$var`                                | `$format` in a secret or unknown field   |
 * | variables that only such fields use                       | other variables, also unused ones        |
 * | numbers and flags of policy and rollout                   | texts in them                            |
 */
export function hiddenParts(sources: readonly SourceFile[]): (source: SourceFile) => HiddenPart[] {
  const variables = new SecretFreeVariables()
  for (const source of sources)
    for (const block of blocksIn(source)) variables.addUses(block, wlanField)
  return source => {
    const shown = new ShownParts(parseOutline(source.text), variables)
    shown.addFile(source)
    return shown.hiddenParts(source.text)
  }
}

/** The variables of the fleet that are used only in known fields without a secret. */
class SecretFreeVariables {
  readonly #inPublicFields = new Set<string>()
  readonly #inOtherFields = new Set<string>()

  has(name: string): boolean {
    return this.#inPublicFields.has(name) && !this.#inOtherFields.has(name)
  }

  addUses(node: Node, field: Field): void {
    if (node.kind === 'scalar') return
    if (node.kind === 'list') {
      for (const item of node.items) this.addUses(item, field.item())
      return
    }
    const uses = isPublicField(field) ? this.#inPublicFields : this.#inOtherFields
    for (const name of variableNames(node)) uses.add(name)
    for (const [name, { value }] of node.entries) {
      this.addUses(value, name === '$default' ? field : field.member(name))
    }
  }
}

function isPublicField(field: Field): boolean {
  return field.known && !field.secret
}

class ShownParts {
  readonly #outline: Outline
  readonly #variables: SecretFreeVariables
  readonly #ranges: LineRange[] = []

  constructor(outline: Outline, variables: SecretFreeVariables) {
    this.#outline = outline
    this.#variables = variables
  }

  addFile({ root }: SourceFile): void {
    this.#visitMembers(root, (name, value) => {
      if (name === 'wlans' || name === 'profiles') {
        this.#visitMembers(value, (_, block) => this.#addFields(block, wlanField))
      } else if (name === 'site') this.#addSite(value)
      else if (name === 'sites' && value.kind === 'list')
        value.items.map(site => this.#addSite(site))
      else if (name === 'groups') this.#visitMembers(value, (_, group) => this.#addSite(group))
      else this.#addLeaves(value, leaf => typeof leaf !== 'string')
    })
  }

  /** All parts that are neither shown nor punctuation, split at line ends. */
  hiddenParts(text: string): HiddenPart[] {
    const parts: HiddenPart[] = []
    let from = 0
    const ends: LineRange = { start: text.length, end: text.length }
    for (const { start, end } of [...this.#ranges.sort((a, b) => a.start - b.start), ends]) {
      const between = text.slice(from, Math.max(start, from))
      for (const { 0: part, index } of between.matchAll(
        /[^\s:{}[\],?-][^\r\n]*[^\s{}[\],]|[^\s:{}[\],?-]/g
      )) {
        const mark = /^#\s*/.exec(part)?.[0].length ?? 0
        if (mark === part.length) continue
        const [start, end] = [from + index + mark, from + index + part.length]
        parts.push({ start, end, ...(mark > 0 && { comment: true }) })
      }
      from = Math.max(from, end)
    }
    return parts
  }

  #addSite(site: Node): void {
    this.#visitMembers(site, (name, value) => {
      if (name === 'wlans') {
        this.#visitMembers(value, (_, override) => this.#addFields(override, wlanField))
      } else if (name !== 'vars') this.#addLeaves(value, () => true)
      else {
        this.#visitMembers(value, (variable, held) => {
          if (this.#variables.has(variable)) this.#addLeaves(held, () => true)
        })
      }
    })
  }

  #addFields(block: Node, field: Field): void {
    if (block.kind === 'scalar') this.#addValue(block, isPublicField(field))
    else if (block.kind === 'list')
      for (const item of block.items) this.#addFields(item, field.item())
    else if (field !== wlanField && isReference(block)) this.#addReference(block, field)
    else {
      this.#visitMembers(block, (name, value) => {
        if (field === wlanField && name.startsWith('$')) this.#addLeaves(value, () => true)
        else if (!name.startsWith('$')) this.#addFields(value, field.member(name))
      })
    }
  }

  #addReference(reference: Node, field: Field): void {
    this.#visitMembers(reference, (name, value) => {
      if (name === '$default') this.#addFields(value, field)
      else if (name !== '$format' || isPublicField(field)) this.#addLeaves(value, () => true)
    })
  }

  #addLeaves(node: Node, isShown: (value: unknown) => boolean): void {
    if (node.kind === 'scalar') this.#addValue(node, isShown(node.value))
    else if (node.kind === 'list') for (const item of node.items) this.#addLeaves(item, isShown)
    else this.#visitMembers(node, (_, value) => this.#addLeaves(value, isShown))
  }

  #visitMembers(node: Node | undefined, visit: (name: string, value: Node) => void): void {
    if (node?.kind !== 'map') return
    for (const [name, entry] of node.entries) {
      this.#addKey(entry)
      if (!isAlias(entry)) visit(name, entry.value)
    }
  }

  #addKey({ offset }: Entry): void {
    const key = this.#outline.ofKey(offset)?.pair?.key
    if (key !== undefined) this.#ranges.push({ start: key.range[0], end: key.range[1] })
  }

  /** Block scalars stay hidden: their first line may contain a comment. */
  #addValue({ offset }: Node, isShown: boolean): void {
    const range = isShown ? this.#outline.ofValue(offset) : undefined
    if (range === undefined || /^[|>]/.test(this.#outline.text.slice(range.start, range.end)))
      return
    this.#ranges.push({ start: range.start, end: range.end })
  }
}

function blocksIn({ root }: SourceFile): Node[] {
  if (root?.kind !== 'map') return []
  const sites = root.entries.get('sites')?.value
  const withOverrides = [
    root.entries.get('site')?.value,
    ...(sites?.kind === 'list' ? sites.items : [])
  ]
  return [
    ...membersIn(root, 'wlans'),
    ...membersIn(root, 'profiles'),
    ...withOverrides.flatMap(site => membersIn(site, 'wlans'))
  ]
}

function membersIn(node: Node | undefined, key: string): Node[] {
  const map = memberNode(node, key)
  return map?.kind === 'map' ? [...map.entries.values()].map(({ value }) => value) : []
}
