import { Composer, type CST, type Document, type ErrorCode } from 'yaml'
import type { Finding } from '../../model/finding.ts'
import type { RunBudget } from '../budget.ts'
import type { Source } from '../files/source.ts'
import { convert } from './convert.ts'
import { lex, YamlErrors } from './lex.ts'

/**
 * Reads any YAML: sets the source's root, which stays undefined if it is empty or cannot be read.
 *
 * The limits are checked over the tokens, before the tree is composed: over-nested documents abort
 * the engine, and no handler can catch that. The library's own messages are never shown, since they
 * quote the source, which may hold a secret.
 */
export function readWithLibrary(source: Source, budget: RunBudget): Finding[] {
  const findings: Finding[] = []
  const faults = new YamlErrors(source, findings)
  const token = lex(source.text, faults, budget)
  if (budget.exceeded !== undefined) return findings
  const document = compose(token, faults)
  if (document === undefined || !faults.none) return findings
  return findings.concat(convert(document.contents, source))
}

const options = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  // Ours is linear, theirs is quadratic.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent'
} as const

/** Where the library says a fault is. */
type Spot = number | readonly [number, ...unknown[]] | { readonly offset: number }

/** Thrown to leave the library once there are enough errors. */
class Enough extends Error {}

function compose(token: CST.Document | undefined, faults: YamlErrors): Document.Parsed | undefined {
  if (token === undefined && faults.none) faults.empty()
  if (token === undefined || !faults.none) return undefined
  const composer = new Composer(options)
  // Theirs makes an Error with a stack for each fault: a file of commas would take seconds.
  composer['onError'] = (at: Spot, code: ErrorCode) => {
    if (code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE') return
    faults.syntax(typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0], code)
    if (faults.unreadable) throw new Enough()
  }
  try {
    composer.next(token).next()
    return composer.end().next().value ?? undefined
  } catch (thrown) {
    if (thrown instanceof Enough) return undefined
    throw thrown
  }
}
