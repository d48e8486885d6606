import {
  type Alias,
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq
} from 'yaml'
import { type Finding, finding } from '../../core/model/finding.ts'
import { wlanField } from '../../core/schema/field.ts'
import { at, atLostKey, type Source } from '../files/source.ts'
import { limits, MAX_FINDINGS, weightOf } from '../limits.ts'
import { YamlErrors } from './errors.ts'
import { lex } from './lex.ts'
import { type LibraryError, unclosedIn } from './mistakes.ts'
import {
  type Entry,
  keyProblem,
  type ListNode,
  type MapNode,
  type Node,
  numberProblem,
  type ScalarNode
} from './tree.ts'

/**
 * Parses any YAML and sets the root of the source, which stays undefined if it is empty or invalid. The limits are
 * checked on the tokens, before the tree is composed: deep nesting crashes the process, and no handler can catch that.
 * The library's own messages are never shown, since they quote the source, which may contain a secret.
 */
export function readWithLibrary(source: Source): Finding[] {
  const findings: Finding[] = []
  const faults = new YamlErrors(source, findings)
  const token = lex(source.text, faults)
  const document = compose(token, source.text, faults)
  if (document === undefined || !faults.none) return findings
  return findings.concat(convert(document.contents, source))
}

/**
 * Converts the tree of the library to nodes, and sets it as the root of the source. A single walk checks keys, finds
 * numbers that lose precision, and replaces aliases by their nodes, as long as their total stays within the limits.
 */
function convert(root: ParsedNode | null, source: Source): Finding[] {
  const converter = new Converter(source)
  const node = root === null ? undefined : converter.node(root, 0)
  if (!converter.full) source.root = node
  return converter.findings()
}

/** The node of an anchor, open while it is being converted: an alias inside is circular. */
interface Anchor {
  readonly node: Node | undefined
  /** Nodes in it, including those behind aliases; a long string counts as several. */
  readonly weight: number
  readonly height: number
}

const OPEN: Anchor = { node: undefined, weight: 0, height: 0 }

const NO_ENTRIES = new Map<string, Entry>()

class Converter {
  readonly #source: Source
  readonly #anchors = new Map<string, Anchor>()
  /** Findings are made at the end, because paths need the root. */
  readonly #later: (() => Finding)[] = []
  #nodes = 0
  #text = 0
  #deepest = 0
  /** True if a limit is exceeded; nodes that are converted afterwards do not count. */
  full = false

  constructor(source: Source) {
    this.#source = source
  }

  findings(): Finding[] {
    return this.#later.slice(0, MAX_FINDINGS).map(make => make())
  }

  /** `depth`: the number of maps and lists around the node. */
  node(node: ParsedNode, depth: number): Node {
    if (isAlias(node)) return this.#alias(node, depth)
    this.#count(node.range[0])
    if (node.anchor === undefined) return this.#content(node, depth)
    return this.#anchored(node, node.anchor, depth)
  }

  #content(node: Exclude<ParsedNode, Alias.Parsed>, depth: number): Node {
    if (isMap(node)) return this.#map(node, depth + 1)
    if (isSeq(node)) return this.#list(node, depth + 1)
    return this.#scalar(node)
  }

  #anchored(node: Exclude<ParsedNode, Alias.Parsed>, anchor: string, depth: number): Node {
    const before = { weight: this.#nodes + this.#text, deepest: this.#deepest }
    this.#anchors.set(anchor, OPEN)
    this.#deepest = depth
    const content = this.#content(node, depth)
    this.#anchors.set(anchor, {
      node: content,
      weight: this.#nodes + this.#text - before.weight + 1,
      height: this.#deepest - depth
    })
    this.#deepest = Math.max(this.#deepest, before.deepest)
    return content
  }

  #alias(alias: Alias.Parsed, depth: number): Node {
    const offset = alias.range[0]
    const anchor = this.#anchors.get(alias.source)
    if (anchor?.node === undefined) {
      const code = anchor === undefined ? 'ALIAS_UNKNOWN' : 'ALIAS_CYCLE'
      this.#later.push(() => finding(code, { place: this.#source.place(offset) }))
      return this.#leaf(offset, null)
    }
    this.#reach(depth + anchor.height, offset)
    this.#nodes += anchor.weight
    if (this.#nodes > limits.nodes) this.#refuse(offset, 'aliases')
    return anchor.node
  }

  #scalar(scalar: Scalar.Parsed): ScalarNode {
    const { value } = scalar
    const node = this.#leaf(scalar.range[0], value)
    if (typeof value === 'string') this.#text += weightOf(value)
    if (typeof value !== 'number') return node
    const code = numberProblem(value, scalar.source)
    if (code === undefined) return node
    this.#later.push(() => {
      const where = at(node)
      return finding(code, where, shownNumber(where.path, scalar.source))
    })
    return node
  }

  /** The schema makes strings, numbers, booleans and null. JSON has no negative zero: `-0` is 0. */
  #leaf(offset: number, value: unknown): ScalarNode {
    const fits =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    const kept = fits ? value : null
    return { kind: 'scalar', source: this.#source, offset, value: kept === 0 ? 0 : kept }
  }

  #list(list: YAMLSeq.Parsed, depth: number): ListNode {
    const items: Node[] = []
    this.#reach(depth, list.range[0])
    if (list.items.length > limits.items) this.#refuse(list.range[0], 'items')
    for (const item of list.items) {
      if (this.full) break
      items.push(this.node(item, depth))
    }
    return { kind: 'list', source: this.#source, offset: list.range[0], items }
  }

  #map(map: YAMLMap.Parsed, depth: number): MapNode {
    // An empty map takes 200 bytes, and a file may have 200,000 of them.
    const entries = map.items.length === 0 ? NO_ENTRIES : new Map<string, Entry>()
    const node: MapNode = { kind: 'map', source: this.#source, offset: map.range[0], entries }
    this.#reach(depth, node.offset)
    if (map.items.length > limits.keys) this.#refuse(node.offset, 'keys')
    for (const { key, value } of map.items) {
      if (this.full) break
      const offset = key.range[0]
      const keyNode = this.node(key, depth)
      const content = value === null ? this.#leaf(offset, null) : this.node(value, depth)
      const written = keyNode.kind === 'scalar' ? keyNode.value : undefined
      const name = String(written)
      const code = entries.has(name)
        ? 'DUPLICATE_KEY'
        : keyProblem(written, isScalar(key) ? key.source : undefined)
      if (keyNode.kind === 'map' && this.#source.text.startsWith('{{', node.offset)) {
        if (keyNode.offset > node.offset) this.#refuseVariable(node.offset)
      } else if (code !== undefined) {
        this.#later.push(() => finding(code, atLostKey(node, name, offset), name))
      } else entries.set(name, { offset, value: content, numeric: typeof written === 'number' })
    }
    return node
  }

  /** `{{name}}` without quotes is a map with a map as its key. */
  #refuseVariable(offset: number): void {
    const place = this.#source.place(offset)
    this.#later.push(() => finding('YAML_SYNTAX', { place }, 'VARIABLE_UNQUOTED'))
  }

  #count(offset: number): void {
    this.#nodes += 1
    if (this.#nodes > limits.nodes) this.#refuse(offset, 'nodes')
  }

  #reach(depth: number, offset: number): void {
    if (depth > this.#deepest) this.#deepest = depth
    if (depth > limits.depth) this.#refuse(offset, 'depth')
  }

  #refuse(offset: number, what: 'depth' | 'items' | 'keys' | 'nodes' | 'aliases'): void {
    if (this.full) return
    this.full = true
    const limit = limits[what === 'aliases' ? 'nodes' : what]
    const place = this.#source.place(offset)
    this.#later.push(() => finding('YAML_TOO_LARGE', { place }, what, limit))
  }
}

const options = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  // The check for duplicate keys in this file is linear; that of the library is quadratic.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent'
} as const

type LibraryOffset = number | readonly [number, ...unknown[]] | { readonly offset: number }

class TooManyErrors extends Error {}

/**
 * The document of a token; undefined for an empty file or one with errors. Reports the mistakes behind the
 * errors, up to and including the first unclosed quote or bracket.
 */
function compose(
  token: CST.Document | undefined,
  text: string,
  faults: YamlErrors
): Document.Parsed | undefined {
  if (token === undefined && faults.none) faults.empty()
  if (token === undefined || !faults.none) return undefined
  const errors: LibraryError[] = []
  const document = composeWith(errors, token)
  const unclosed = errors.length === 0 ? undefined : unclosedIn(token, text, errors)
  for (const error of errors) {
    if (unclosed === undefined || error.offset < unclosed.offset) faults.syntax(error)
  }
  if (unclosed !== undefined) faults.mistake(unclosed)
  return document
}

function composeWith(errors: LibraryError[], token: CST.Document): Document.Parsed | undefined {
  const composer = new Composer(options)
  // The library would create an Error with a stack for each fault: a file of commas would take seconds.
  composer['onError'] = (at: LibraryOffset, code: ErrorCode) => {
    if (code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE') return
    const offset = typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0]
    if (errors.push({ offset, code }) >= limits.faults) throw new TooManyErrors()
  }
  try {
    composer.next(token).next()
    return composer.end().next().value ?? undefined
  } catch (thrown) {
    if (thrown instanceof TooManyErrors) return undefined
    throw thrown
  }
}

/** The number as it is written; undefined where it may be a secret, or is too long for a message. */
function shownNumber(path = '', written: string): string | undefined {
  const { known, secret } = wlanField.member(/[^.]*$/.exec(path)?.[0] ?? '')
  return known && !secret && written.length <= 40 ? written : undefined
}
