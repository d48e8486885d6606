import { runInNewContext } from 'node:vm'

/** The contexts of a workflow's expressions: `github`, `inputs`, `secrets`, … */
export type Contexts = Readonly<Record<string, unknown>>

const functions = {
  always: () => true,
  // Runs are never cancelled.
  cancelled: () => false,
  contains: (list: readonly unknown[], value: unknown) => list.includes(value),
  format: (text: string, ...values: unknown[]) =>
    text.replace(/\{(\d)\}/g, (_, at) => String(values[at])),
  fromJSON: (text: string) => JSON.parse(text),
  toJSON: (value: unknown) => JSON.stringify(value)
}

/**
 * The value of an expression, whose syntax is similar to JavaScript; unknown properties are empty strings.
 */
export function evaluate(expression: string, contexts: Contexts): unknown {
  const script = expression
    .replaceAll(/\.([a-z_]+(?:-[a-z_]+)+)/g, "?.['$1']")
    .replaceAll(/(?<=[a-z\])])\.(?=[a-zA-Z])/g, '?.')
  return runInNewContext(script, { ...contexts, ...functions }) ?? ''
}

/** A text with its expressions replaced by their values. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression) =>
    String(evaluate(expression, contexts))
  )
}

/** True if a job or step runs; without a condition about failures it runs only if there was none. */
export function holds(condition: string | undefined, contexts: Contexts, failed: boolean): boolean {
  const expression = (condition ?? 'true').replace(/^\$\{\{(.*)\}\}$/s, '$1').trim()
  if (failed && !/always\(\)|cancelled\(\)/.test(expression)) return false
  return Boolean(evaluate(expression, contexts))
}
