import type { Validator } from '#validators'
import { exit, Failure } from '../model/failure.ts'
import { parseStrictJson } from './strict-json.ts'

/** A form in which wlanctl keeps something in a file of JSON. */
export interface SavedForm {
  /** With its version, e.g. `wlanctl-plan/1`. */
  readonly format: string
  readonly validate: Validator
  /** What it is called, e.g. `a saved plan`. */
  readonly name: string
  /** How one is made. */
  readonly hint: string
  /** A longer text is none of ours. */
  readonly maxLength: number
}

/** What another of our forms is for, where it is none of those asked for. */
const uses: ReadonlyMap<unknown, string> = new Map([
  ['wlanctl-snapshot/1', 'a snapshot is for `plan --against` and `drift --since`'],
  ['wlanctl-plan/1', 'a plan is for `show`, `apply --plan` and `drift --since`'],
  ['wlanctl-outcomes/1', 'for `show` and `revert` keep a record: `apply --record FILE`']
])

/** No WLAN is deeper; JSON may be, and would end the stack of whoever walks it. */
const DEEPEST = 200

/**
 * Reads a text that has to be in one of these forms; gives the form and the value, which fits its
 * schema. Throws a `Failure` (exit 3). `name` is the file's, for the message.
 */
export function parseSaved(
  text: string,
  name: string,
  ...forms: readonly [SavedForm, ...SavedForm[]]
): { readonly form: SavedForm; readonly value: unknown } {
  const wrong = (problem: string, hint?: string) =>
    new Failure(exit.wrongInput, `${name}: ${problem}`, hint)
  const [first] = forms
  if (forms.every(({ maxLength }) => text.length > maxLength)) {
    throw wrong(`it is too large to be ${first.name}`)
  }
  const value = parseStrictJson(text)
  if (value === undefined) throw wrong('it is not JSON, or holds a key twice', first.hint)
  if (isDeeper(value, DEEPEST)) throw wrong(`it is damaged: nested more than ${DEEPEST} deep`)
  const format = formatOf(value)
  const form = forms.find(each => each.format === format)
  if (form === undefined) {
    const expected = forms.map(each => JSON.stringify(each.format)).join(' or ')
    const hint = uses.get(format) ?? first.hint
    throw wrong(`expected the format ${expected}, found ${JSON.stringify(format ?? null)}`, hint)
  }
  if (!form.validate(value)) {
    const place = form.validate.errors?.[0]?.instancePath || 'its top'
    throw wrong(`it is damaged at ${place}`, form.hint)
  }
  return { form, value }
}

/** True for JSON that is nested in more levels than these. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(member => isDeeper(member, levels - 1))
}

function formatOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
}
