import type { Validator } from '#validators'
import { exit, Failure } from '../model/failure.ts'
import { type FileLimit, tooLarge } from '../model/file-limits.ts'
import { formatNumber } from '../model/text.ts'
import { type JsonSize, MOST_SHAPES, parseStrictJson, sizeOfJson } from './strict-json.ts'

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
export const DEEPEST = 200

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
  const problems = forms.map(({ limit }) => excess(text.length, size, limit))
  if (problems.every(problem => problem !== undefined)) throw wrong(problems[0] ?? '', PARTS)
  if (size.depth > DEEPEST) throw wrong(`it is damaged: nested more than ${DEEPEST} deep`)
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

/**
 * Throws a `Failure` (exit 3) if a text that is about to be saved in this form could not be read back.
 */
export function refuseTooLarge(text: string, { limit }: Pick<SavedForm, 'limit'>): void {
  const bytes = Buffer.byteLength(text)
  const problem =
    bytes > limit.bytes ? tooLarge(bytes, limit) : excess(text.length, sizeOfJson(text), limit)
  if (problem === undefined) return
  throw new Failure(
    exit.wrongInput,
    `${limit.name} could not be read back, and is not written: ${problem}`,
    PARTS
  )
}

/** The limit of a file that a text is over, in words. */
export function excess(length: number, size: JsonSize, limit: FileLimit): string | undefined {
  if (length > limit.bytes) return tooLarge(length, limit)
  if (size.values > limit.values) {
    return `it holds ${formatNumber(size.values)} values, and the limit of ${limit.name} is ${formatNumber(limit.values)}`
  }
  if (size.width > WIDEST) {
    return `an object in it has ${formatNumber(size.width)} keys, and the limit is ${formatNumber(WIDEST)}`
  }
  if (size.shapes <= MOST_SHAPES) return undefined
  return `its objects have more than ${formatNumber(MOST_SHAPES)} different sets of keys, the limit of ${limit.name}`
}

function shown(format: unknown): string {
  const text = JSON.stringify(format ?? null)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

function formatOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
}
