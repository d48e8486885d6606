import { Failure } from '../../core/model/failure.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { compact, groupBy } from '../../core/values/collections.ts'

/**
 * What a check finds: a text if all is well, a problem, or a note, which fails no run. `fix`
 * replaces that of the check. Undefined if the check does not apply.
 */
export type Found =
  | string
  | { readonly wrong: string; readonly fix?: string }
  | { readonly note: string; readonly fix?: string }
  | undefined

export interface Check<Subject> {
  /** The requirement in one or two words: `address`, `token`. */
  readonly about: string
  /** The check that must succeed before this one. */
  readonly needs?: string
  /** Runs the code of a real run; its `Failure` becomes a problem with the same message and hint. */
  readonly check: (subject: Subject) => Promise<Found | readonly Found[]> | Found | readonly Found[]
  /** How to fix a problem, or what a note asks for. */
  readonly fix?: string
}

/** Runs the checks in order; a failed one stops only those that need it, which become one note. */
export async function runChecks<Subject>(
  table: readonly Check<Subject>[],
  subject: Subject
): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = []
  const unchecked = new Map<string, string>()
  const hasFailed = (name: string) =>
    unchecked.has(name) || checks.some(({ about, state }) => about === name && state === 'wrong')
  for (const { about, needs, check, fix } of table) {
    if (needs !== undefined && hasFailed(needs)) {
      unchecked.set(about, needs)
      continue
    }
    try {
      for (const found of [await check(subject)].flat()) {
        if (found !== undefined) checks.push(resultOf(about, found, fix))
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      checks.push(resultOf(about, { wrong: error.message, ...compact({ fix: error.hint }) }))
    }
  }
  if (unchecked.size === 0) return checks
  const note = [...groupBy(unchecked, ([, needed]) => needed)]
    .map(([needed, group]) => `${group.map(([about]) => about).join(', ')}: needs the ${needed}`)
    .join('; ')
  return [...checks, resultOf('not checked', { note })]
}

function resultOf(about: string, found: Exclude<Found, undefined>, fix?: string): DoctorCheck {
  if (typeof found === 'string') return { about, state: 'ok', said: found }
  const todo = compact({ todo: found.fix ?? fix })
  return 'wrong' in found
    ? { about, state: 'wrong', said: found.wrong, ...todo }
    : { about, state: 'note', said: found.note, ...todo }
}
