import type { Validator } from '#validators'
import { exit, Failure } from '../model/failure.ts'
import { type FileLimit, tooLarge } from '../model/file-limits.ts'
import { formatNumber } from '../model/text.ts'

/** A form in which wlanctl keeps something in a file of JSON. */
export interface SavedForm {
  /** With its version, e.g. `wlanctl-plan/1`. */
  readonly format: string
  readonly validate: Validator
  readonly limit: FileLimit
  /** How one is made. */
  readonly hint: string
}

/** What another of our forms is for, where it is none of those asked for. */
const uses: ReadonlyMap<unknown, string> = new Map([
  ['wlanctl-snapshot/1', 'a snapshot is for `plan --against` and `drift --since`'],
  ['wlanctl-plan/1', 'a plan is for `show`, `apply --plan` and `drift --since`'],
  ['wlanctl-outcomes/1', 'for `show` and `revert` keep a record: `apply --record FILE`']
])

/** No WLAN is deeper; JSON may be, and would end the stack of whoever walks it. */
export const MAX_DEPTH = 200

/** As in the files of a fleet. */
const WIDEST = 5000

const PARTS = 'make it in parts: with `--site`, or `--shard I/N` for each part'

/**
 * Reads a text that has to be in one of these forms; gives the form and the value, which fits its
 * schema. Throws a `Failure` (exit 3). `name` is the file's, for the message.
 */
export function parseSaved(
  text: string,
  name: string,
  ...forms: readonly [SavedForm, ...SavedForm[]]
): { readonly form: SavedForm; readonly value: unknown } {
  const [first] = forms
  const wrong = (problem: string, hint?: string) =>
    new Failure(exit.wrongInput, `${name}: ${problem}`, hint)
  const size = sizeOfJson(text)
  const problems = forms.map(({ limit }) => limitExceeded(text.length, size, limit))
  if (problems.every(problem => problem !== undefined)) throw wrong(problems[0] ?? '', PARTS)
  if (size.depth > MAX_DEPTH) throw wrong(`it is damaged: nested more than ${MAX_DEPTH} deep`)
  const value = parseStrictJson(text, size)
  if (value === undefined) throw wrong('it is not JSON, or holds a key twice', first.hint)
  const format = formatOf(value)
  const form = forms.find(each => each.format === format)
  if (form === undefined) {
    const expected = forms.map(each => JSON.stringify(each.format)).join(' or ')
    const hint = uses.get(format) ?? first.hint
    throw wrong(`expected the format ${expected}, found ${shown(format)}`, hint)
  }
  const problem = problems[forms.indexOf(form)]
  if (problem !== undefined) throw wrong(problem, PARTS)
  if (!form.validate(value)) {
    const place = form.validate.errors?.[0]?.instancePath || 'its top'
    throw wrong(`it is damaged at ${place.slice(0, 200)}`, form.hint)
  }
  return { form, value }
}

/** The limit of a file that a text is over, in words. */
export function limitExceeded(
  length: number,
  size: JsonSize,
  limit: FileLimit
): string | undefined {
  if (length > limit.bytes) return tooLarge(length, limit)
  if (size.values > limit.values) {
    return `it holds ${formatNumber(size.values)} values, and the limit of ${limit.name} is ${formatNumber(limit.values)}`
  }
  if (size.width > WIDEST) {
    return `an object in it has ${formatNumber(size.width)} keys, and the limit is ${formatNumber(WIDEST)}`
  }
  if (size.shapes <= MAX_SHAPES) return undefined
  return `its objects have more than ${formatNumber(MAX_SHAPES)} different sets of keys, the limit of ${limit.name}`
}

function shown(format: unknown): string {
  const text = JSON.stringify(format ?? null)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

function formatOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
}

/** How much a text of JSON holds, as far as its signs tell; of a text that is none it is a bound, too. */
export interface JsonSize {
  /** Members and elements, lists and objects once more, and the whole itself. */
  readonly values: number
  /** Keys of objects, however often each is there. */
  readonly keys: number
  /** Different beginnings of objects by their keys, up to one more than `MOST_SHAPES`. */
  readonly shapes: number
  /** Keys of the object that has the most. */
  readonly width: number
  /** How deep lists and objects are nested. */
  readonly depth: number
}

/** V8 keeps a hidden class for each beginning: a million of them take 1.5 s and 200 MB. */
export const MAX_SHAPES = 100_000

/** Below this depth nothing is told apart: such a text is refused for its depth. */
const SHAPED = 256

/** Of the objects that are open, by depth: the keys so far. Each begins anew with its object. */
const shapeAt = new Int32Array(SHAPED)
const keysAt = new Int32Array(SHAPED)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/** Chosen anew in each run, so that no file can hold many shapes that count as one. */
const FACTOR = 1 + 2 * Math.floor(Math.random() * 2 ** 30)

/** Measures a text in one pass, before anything is made of it. */
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
      const shape = Math.imul((shapeAt[open % SHAPED] ?? 0) ^ hash, FACTOR)
      shapeAt[open % SHAPED] = shape
      const wide = (keysAt[open % SHAPED] ?? 0) + 1
      keysAt[open % SHAPED] = wide
      if (wide > width) width = wide
      if (shapes.size <= MAX_SHAPES) shapes.add(shape)
    }
    // `[` and `{`, `]` and `}` differ in one bit.
    else if ((code | 0x20) === 0x7b) {
      opened += 1
      open += 1
      shapeAt[open % SHAPED] = 0
      keysAt[open % SHAPED] = 0
      if (open > depth) depth = open
    } else if ((code | 0x20) === 0x7d) open -= 1
  }
  return { values: 1 + opened + commas, keys, shapes: shapes.size, width, depth }
}

/**
 * The value of a JSON text, or undefined if it is none. Unlike `JSON.parse` it takes neither a text in
 * which an object has the same key twice, in which two readers could see two different plans, nor a
 * number beyond those of JavaScript, which is written as `null`. The text must not be deep: measure it.
 */
export function parseStrictJson(text: string, size: JsonSize = sizeOfJson(text)): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // A key that is there twice is in the text, and not in the value.
    return keysIn(value) === size.keys ? value : undefined
  } catch {
    return undefined
  }
}

/** The keys of all objects in a value; NaN where a number is not finite. */
function keysIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  let keys = Array.isArray(value) ? 0 : members.length
  for (const member of members) keys += keysIn(member)
  return keys
}
