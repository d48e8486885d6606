import { arch, platform } from 'node:os'
import { Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import type { Io } from '../io.ts'
import { tool } from '../version.ts'

/**
 * Runs a step of a real run as a check: a `Failure` that would end a run becomes a failed check with the
 * same message, so that doctor and the commands always agree.
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

/** A check that depends on a failed one. */
export function notChecked(about: string, before: string): DoctorCheck {
  return { about, state: 'note', said: `not checked: needs the ${before}` }
}

/** The program, and what runs it. */
export function programCheck({ node }: Pick<Io, 'node'>): DoctorCheck {
  const about = 'program'
  const said = `${tool.name.replace('/', ' ')} on Node ${node.replace(/^v/, '')}, ${platform()} ${arch()}`
  if (isSupported(node)) return { about, state: 'ok', said }
  const todo = 'install Node 24, or the newest 22 or 20: others are not tested'
  return { about, state: 'wrong', said, todo }
}

/** The versions of Node that the package names as its engines, oldest first; from the last one on, all. */
const engines = [
  [20, 19],
  [22, 12],
  [24, 0]
] as const

/** True for a version like `v20.19.4` that is one of the engines. */
export function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [newest] = engines[engines.length - 1] ?? [0]
  if (major >= newest) return true
  return engines.some(([line, least]) => major === line && minor >= least)
}
