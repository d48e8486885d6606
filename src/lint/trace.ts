/** Stands for every declared field in a trace. */
export const ALL_FIELDS = '*'

let trace: Set<string> | undefined

/** Runs a function that reads views, and gives the top-level fields that it read. Not reentrant. */
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

/** Notes that a field is read, where a trace is made. */
export function noteRead(field: string | undefined): void {
  if (trace !== undefined && field !== undefined) trace.add(field)
}
