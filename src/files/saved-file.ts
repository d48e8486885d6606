import { type Failure, wrongInput } from '../core/model/failure.ts'
import { type FileLimit, tooLarge } from '../core/model/saved-file-limits.ts'
import type { Validator } from '../core/schema/validator.ts'
import { formatNumber, truncate } from '../core/values/text.ts'

export interface SavedForm {
  readonly format: string
  readonly validate: Validator
  readonly limit: FileLimit
  readonly hint: string
}

const uses: ReadonlyMap<unknown, string> = new Map([
  [
    'wlanctl-snapshot/1',
    'a snapshot is for `show`, `plan --against`, `drift --since` and `revert --to`'
  ],
  ['wlanctl-plan/1', 'a plan is for `show`, `apply --plan` and `drift --since`'],
  ['wlanctl-record/1', 'a record is for `show` and `revert`'],
  ['wlanctl-outcomes/1', 'outcomes are for `show`; `revert` needs a record: `apply --record FILE`']
])

/** The limit of nesting: deeper JSON would overflow the stack of recursive code. */
export const MAX_DEPTH = 200

/** The limit of keys in one object, as in the files of a fleet. */
const MAX_WIDTH = 5000

const PARTS = 'make the file in parts: run with `--site`, or with `--shard I/N` for each part'

/**
 * Parses a text that must have one of these formats; returns the format and the value, which conforms to its
 * schema. Throws a `Failure` (exit 3). `name` is the name of the file, for messages.
 */
export function parseSaved(
  text: string,
  name: string,
  ...forms: readonly [SavedForm, ...SavedForm[]]
): { readonly form: SavedForm; readonly value: unknown } {
  const [first] = forms
  const wrong = (problem: string, hint?: string) => wrongInput(`${name}: ${problem}`, hint)
  const size = sizeOfJson(text)
  const problems = forms.map(({ limit }) => limitExceeded(text.length, size, limit))
  if (problems.every(problem => problem !== undefined)) throw wrong(problems[0] ?? '', PARTS)
  if (size.depth > MAX_DEPTH)
    throw wrong(`the file is damaged: nested more than ${MAX_DEPTH} levels deep`)
  const value = parseStrictJson(text, size)
  const other = (got: string, hint = first.hint) => {
    const expected = forms.map(each => JSON.stringify(each.format)).join(' or ')
    return wrong(`expected the format ${expected}, got ${got}`, hint)
  }
  if (value === undefined) {
    if (isRecord(text)) throw other('a record', uses.get('wlanctl-record/1'))
    if (isYaml(text)) throw other('YAML')
    throw wrong('invalid JSON, or a duplicate key', first.hint)
  }
  const format = formatOf(value)
  const form = forms.find(each => each.format === format)
  if (form === undefined) throw other(formatName(format), uses.get(format))
  const problem = problems[forms.indexOf(form)]
  if (problem !== undefined) throw wrong(problem, PARTS)
  if (!form.validate(value)) {
    const pointer = form.validate.errors?.[0]?.instancePath || 'the top level'
    throw wrong(`the file is damaged at ${truncate(pointer, 200)}`, form.hint)
  }
  return { form, value }
}

/** Throws a `Failure` (exit 3) if a file is about another service than the run. `name` is the name of the file. */
export function refuseOtherService(
  name: string,
  about: string,
  baseUrl: string,
  hint: string
): void {
  if (about !== baseUrl) {
    throw wrongInput(`${name} is about ${about}, and this run is for ${baseUrl}`, hint)
  }
}

export function isRecord(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"wlanctl-record\//.test(text.slice(0, 200))
}

function isYaml(text: string): boolean {
  const lines = text.slice(0, 10_000).split('\n')
  const first = lines.find(line => line.trim() !== '' && !line.startsWith('#'))
  return first !== undefined && /^(?:---(?:\s|$)|[\w$.-]+:(?:\s|$))/.test(first)
}

/** The text to save in this format. Throws a `Failure` (exit 3) if it exceeds the limits for reading it back. */
export function readable(text: string, { limit }: Pick<SavedForm, 'limit'>): string {
  const bytes = Buffer.byteLength(text)
  const problem =
    bytes > limit.bytes
      ? tooLarge(bytes, limit)
      : limitExceeded(text.length, sizeOfJson(text), limit)
  if (problem === undefined) return text
  throw wrongInput(`${limit.name} is not written, as it could not be read back: ${problem}`, PARTS)
}

/** The limit that a text exceeds, for a message; undefined if there is none. */
export function limitExceeded(
  length: number,
  size: JsonSize,
  limit: FileLimit
): string | undefined {
  if (length > limit.bytes) return tooLarge(length, limit)
  if (size.values > limit.values) {
    return `the file holds ${formatNumber(size.values)} values, and the limit of ${limit.name} is ${formatNumber(limit.values)}`
  }
  if (size.width > MAX_WIDTH) {
    return `an object of the file has ${formatNumber(size.width)} keys, and the limit is ${formatNumber(MAX_WIDTH)}`
  }
  if (size.shapes <= MAX_SHAPES) return undefined
  return `the objects of the file have more than ${formatNumber(MAX_SHAPES)} different sets of keys, the limit of ${limit.name}`
}

function formatName(format: unknown): string {
  return format === undefined ? 'none' : truncate(JSON.stringify(format), 100)
}

function formatOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
}

/** The size of a JSON text, counted by its punctuation; an upper bound for invalid JSON. */
interface JsonSize {
  /** Members and elements, with lists and objects counted twice, and the root. */
  readonly values: number
  /** Keys of all objects; a duplicate counts twice. */
  readonly keys: number
  /** The number of different key sequences of objects, up to one more than `MAX_SHAPES`. */
  readonly shapes: number
  readonly width: number
  readonly depth: number
}

/** V8 creates a hidden class for each key sequence: a million of them take 1.5 s and 200 MB. */
const MAX_SHAPES = 100_000

/** Deeper objects share counters, because such a text is rejected for its depth. */
const SHAPE_DEPTH = 256

/** The hash of the keys so far of each open object, by depth; reset when an object starts. */
const shapeAt = new Int32Array(SHAPE_DEPTH)
const keysAt = new Int32Array(SHAPE_DEPTH)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/** Random in each run, so that a file cannot be crafted with colliding shapes. */
const FACTOR = 1 + 2 * Math.floor(Math.random() * 2 ** 30)

export function digestMismatch(name: string, hint: string): Failure {
  return wrongInput(`${name}: the digest does not match the content`, hint)
}

/** Measures a text in one pass, before it is parsed. */
export function sizeOfJson(text: string): JsonSize {
  let [commas, opened, keys, open, depth, width, hash] = [0, 0, 0, 0, 0, 0, 0]
  const shapes = new Set<number>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      hash = 0
      for (at += 1; at < text.length; at++) {
        const inner = text.charCodeAt(at)
        if (inner === QUOTE) break
        if (inner === BACKSLASH) at += 1
        hash = Math.imul(hash ^ inner, FACTOR) ^ (hash >>> 15)
      }
    } else if (code === COMMA) commas += 1
    else if (code === COLON) {
      keys += 1
      const shape = Math.imul((shapeAt[open % SHAPE_DEPTH] ?? 0) ^ hash, FACTOR)
      shapeAt[open % SHAPE_DEPTH] = shape
      const wide = (keysAt[open % SHAPE_DEPTH] ?? 0) + 1
      keysAt[open % SHAPE_DEPTH] = wide
      if (wide > width) width = wide
      if (shapes.size <= MAX_SHAPES) shapes.add(shape)
    }
    // `[` and `{`, `]` and `}` differ in one bit.
    else if ((code | 0x20) === 0x7b) {
      opened += 1
      open += 1
      shapeAt[open % SHAPE_DEPTH] = 0
      keysAt[open % SHAPE_DEPTH] = 0
      if (open > depth) depth = open
    } else if ((code | 0x20) === 0x7d) open -= 1
  }
  return { values: 1 + opened + commas, keys, shapes: shapes.size, width, depth }
}

/**
 * Parses JSON; undefined if it is invalid. Unlike `JSON.parse` it rejects duplicate keys, which two parsers
 * could resolve differently, and numbers outside JavaScript's range, which would be written as `null`. The
 * caller must check the depth first.
 */
export function parseStrictJson(text: string, size: JsonSize = sizeOfJson(text)): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // The text contains a duplicate key, but the value does not.
    return keysIn(value) === size.keys ? value : undefined
  } catch {
    return undefined
  }
}

/** The number of keys of all objects in a value; NaN if a number is not finite. */
function keysIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  let keys = Array.isArray(value) ? 0 : members.length
  for (const member of members) keys += keysIn(member)
  return keys
}
