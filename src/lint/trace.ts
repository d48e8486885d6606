/** Stands for the texts with variables of the service in all declared fields, and for their order, in a trace. */
export const VARIABLES = '$variables'

/** Stands for the values and references of secrets in a trace: other readers only see if a secret is set. */
export const SECRETS = '$secrets'

/** Stands for the kind of a field in a trace: an object, or something else. */
export function kindOf(field: string): string {
  return `${field}?`
}

let trace: Set<string> | undefined

/**
 * What a read of a path depends on: a field as a whole, or a member of it (`portal/enabled`) and whether
 * the field is an object at all.
 */
export function readsOf([field = '', member]: readonly string[]): readonly string[] {
  return member === undefined ? [field] : [`${field}/${member}`, kindOf(field)]
}

/** Runs a function that reads views, and gives what it read, as `readsOf` names it. Not reentrant. */
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

/** Notes what is read, where a trace is made. */
export function noteReads(reads: readonly string[]): void {
  if (trace === undefined) return
  for (const read of reads) trace.add(read)
}
