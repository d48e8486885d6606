import { exit, Failure } from '../core/model/failure.ts'

export class ForgeError extends Failure {
  readonly answered: number | undefined

  constructor(message: string, hint?: string, answered?: number) {
    super(exit.failed, message, hint)
    this.name = 'ForgeError'
    this.answered = answered
  }
}

export const unexpected = (expected: string) =>
  new ForgeError(`unexpected response of the forge: expected ${expected}`)

/** A text, number or boolean of a response by its path, such as `head.sha`, as a text; undefined if there is none. */
export function maybeText(response: unknown, path: string): string | undefined {
  const value = path.split('.').reduce((value, name) => {
    const isObject = typeof value === 'object' && value !== null
    return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  }, response)
  return value === null || ['object', 'undefined'].includes(typeof value) ? undefined : `${value}`
}

/** As `maybeText`. Throws a `ForgeError` if there is none. */
export function textAt(response: unknown, path: string): string {
  const text = maybeText(response, path)
  if (text === undefined) throw unexpected(`a text as ${path}`)
  return text
}

export function dateAt(response: unknown, path: string): Date {
  const date = new Date(textAt(response, path))
  if (Number.isNaN(date.getTime())) throw unexpected(`a time as ${path}`)
  return date
}

/** The result, or undefined if the forge answers that there is no such thing (404, 410). */
export async function ifFound<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ForgeError && (error.answered === 404 || error.answered === 410)) return
    throw error
  }
}
