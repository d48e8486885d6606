/** In a trace: the computation depends on the texts with variables in all declared fields, and their order. */
export const VARIABLES = '$variables'

/**
 * In a trace: the computation depends on values or references of secrets, not only on whether a secret is
 * set.
 */
export const SECRETS = '$secrets'

/** In a trace: the computation depends on whether the field is an object. */
export function kindKey(field: string): string {
  return `${field}?`
}

let trace: Set<string> | undefined

/**
 * The dependencies of a read at a path: a whole field, or a member of it (`portal/enabled`) together with
 * whether the field is an object.
 */
export function readsOf([field = '', member]: readonly string[]): readonly string[] {
  return member === undefined ? [field] : [`${field}/${member}`, kindKey(field)]
}

/** Runs a function and records what it reads through views, in the notation of `readsOf`. Not reentrant. */
export function tracing<T>(run: () => T): {
  readonly result: T
  readonly fields: ReadonlySet<string>
} {
  const fields = new Set<string>()
  trace = fields
  try {
    return { result: run(), fields }
  } finally {
    trace = undefined
  }
}

/** Records reads if `tracing` is active. */
export function noteReads(reads: readonly string[]): void {
  if (trace === undefined) return
  for (const read of reads) trace.add(read)
}
