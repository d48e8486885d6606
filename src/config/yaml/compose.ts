import { Composer, type CST, type Document, type ErrorCode } from 'yaml'
import { limits } from '../limits.ts'
import type { YamlErrors } from './errors.ts'
import { type LibraryError, unclosedIn } from './mistakes.ts'

const options = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  // Ours is linear, theirs is quadratic.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent'
} as const

/** The place of an error, as the library reports it. */
type LibraryOffset = number | readonly [number, ...unknown[]] | { readonly offset: number }

/** Thrown to leave the library once there are enough errors. */
class TooManyErrors extends Error {}

/**
 * The document of a token; undefined for a file without one, or with errors. Reports the mistakes behind
 * the errors: all before the first unclosed quote or bracket, and that one.
 */
export function compose(
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

/** Composes a document, and adds its errors; ends early with `limits.faults` of them. */
function composeWith(errors: LibraryError[], token: CST.Document): Document.Parsed | undefined {
  const composer = new Composer(options)
  // Theirs makes an Error with a stack for each fault: a file of commas would take seconds.
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
