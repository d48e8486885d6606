import { Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'

/**
 * Does what a run does, and tells how it went: what would end a run with a `Failure` is a check that
 * says the same. So doctor and the commands cannot judge differently.
 */
export async function check(
  about: string,
  work: () => Promise<string> | string,
  also: Pick<DoctorCheck, 'todo'> = {}
): Promise<DoctorCheck> {
  try {
    return { about, state: 'ok', said: await work(), ...also }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { message, hint } = error
    return { about, state: 'wrong', said: message, ...(hint === undefined ? {} : { todo: hint }) }
  }
}

/** Of a thing that cannot be looked at before another one is right. */
export function notLookedAt(about: string, before: string): DoctorCheck {
  return { about, state: 'note', said: `not looked at: it needs the ${before}` }
}
