import type { FieldOutcome } from '../model/outcome.ts'
import { excerpts, LONGEST_VALUE } from './excerpt.ts'
import { shown } from './shown.ts'

const states = ['before', 'wanted', 'found'] as const

/** The value of a field in one state, on one line and cut so that the three show their differences. */
export interface FieldState {
  readonly name: (typeof states)[number]
  readonly text: string
  /** True where the field has no value: then the text is `(unset)`, which is not from outside. */
  readonly unset: boolean
}

export function fieldStates(field: FieldOutcome): FieldState[] {
  const texts = states.map(name => {
    const value = field[name]
    return value === undefined ? '(unset)' : shown(value)
  })
  const cut = excerpts(texts, LONGEST_VALUE)
  return states.map((name, at) => ({ name, text: cut[at] ?? '', unset: field[name] === undefined }))
}

/** `before 20, wanted 40, found 20`. */
export function fieldStatesLine(field: FieldOutcome): string {
  return fieldStates(field)
    .map(({ name, text }) => `${name} ${text}`)
    .join(', ')
}
