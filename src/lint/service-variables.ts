import { isList, isObject, type Value } from '../model/value.ts'

/** A variable of the service as J-VAR describes it: letters, digits and underscores in double braces. */
const VARIABLE = /\{\{ ?\w+ ?\}\}/g

/** True if the string contains a variable of the service, such as `{{vlan}}`, or a part of one. */
export function holdsVariable(text: string): boolean {
  return text.includes('{{')
}

/** True for a value with such a text at any depth; a secret is none. */
export function holdsVariables(value: Value | undefined): boolean {
  if (typeof value === 'string') return holdsVariable(value)
  if (isList(value)) return value.some(holdsVariables)
  return isObject(value) && Object.values(value).some(holdsVariables)
}

/** True if the string contains `{{` that does not start a variable. */
export function hasBrokenVariable(text: string): boolean {
  return text.replace(VARIABLE, '').includes('{{')
}

/** The names of the variables in a string. */
export function serviceVariablesIn(text: string): string[] {
  return [...text.matchAll(/\{\{ ?(\w+) ?\}\}/g)].map(([, name = '']) => name)
}
