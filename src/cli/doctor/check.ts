import { arch, platform } from 'node:os'
import { Failure } from '../../core/model/failure.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { tool } from '../../core/model/tool.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import type { Io } from '../terminal/io.ts'

/** A message lists at most this many names, and counts the others. */
export const MAX_NAMES = 8

/** A call that makes a setting. */
export interface Change {
  /** Its description in the imperative. */
  readonly summary: string
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly body: unknown
}

interface More {
  /** In place of the fix of the check. */
  readonly fix?: string
  /** What `--apply` does about it. */
  readonly changes?: readonly Change[]
}

/**
 * What a check finds: a text if all is well, a problem, or a note, which fails no run. Undefined if the check does not
 * apply.
 */
export type Found =
  | string
  | ({ readonly wrong: string } & More)
  | ({ readonly note: string } & More)
  | undefined

/** A row of the table of checks. */
export interface Check<Subject> {
  /** The requirement in one or two words: `address`, `token`. */
  readonly about: string
  /** The check that must succeed before this one. */
  readonly needs?: string
  /** Runs the code of a real run; its `Failure` becomes a problem with the same message and hint. */
  readonly check: (subject: Subject) => Promise<Found | readonly Found[]> | Found | readonly Found[]
  /** How to fix a problem, or what a note asks for. */
  readonly fix?: string | ((subject: Subject) => string)
}

/** Thrown by a check that cannot see its setting; the message is the reason. */
export class Unseen extends Error {}

/**
 * Runs the checks in order; a failed one stops only those that need it. Those, and checks that cannot see their
 * setting, become one note, with the fix `unseen`. `changes` gets those of all problems and notes, each once.
 */
export async function runChecks<Subject>(
  table: readonly Check<Subject>[],
  subject: Subject,
  { unseen, changes }: { readonly unseen?: string; readonly changes?: Map<string, Change> } = {}
): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = []
  const unchecked = new Map<string, string>()
  const hasFailed = (name: string) =>
    unchecked.has(name) || checks.some(({ about, state }) => about === name && state === 'wrong')
  for (const { about, needs, check, fix } of table) {
    if (needs !== undefined && hasFailed(needs)) {
      unchecked.set(about, `needs the ${needs}`)
      continue
    }
    try {
      const advice = () => (typeof fix === 'function' ? fix(subject) : fix)
      for (const found of [await check(subject)].flat()) {
        if (found === undefined) continue
        checks.push(resultOf(about, found, advice))
        const wanted = typeof found === 'string' ? [] : (found.changes ?? [])
        for (const change of wanted) changes?.set(JSON.stringify(change), change)
      }
    } catch (error) {
      if (error instanceof Unseen) unchecked.set(about, error.message)
      else checks.push(failureOf(about, error))
    }
  }
  if (unchecked.size === 0) return checks
  const reasons = [...groupBy(unchecked, ([, reason]) => reason)]
  const note = reasons
    .map(([reason, group]) => `${group.map(([about]) => about).join(', ')}: ${reason}`)
    .join('; ')
  return [...checks, resultOf('not checked', { note }, () => unseen)]
}

function resultOf(
  about: string,
  found: Exclude<Found, undefined>,
  fix: () => string | undefined
): DoctorCheck {
  if (typeof found === 'string') return { about, state: 'ok', said: found }
  const todo = compact({ todo: found.fix ?? fix() })
  return 'wrong' in found
    ? { about, state: 'wrong', said: found.wrong, ...todo }
    : { about, state: 'note', said: found.note, ...todo }
}

/** A failed check with the message and hint of a `Failure`; any other error is thrown. */
export function failureOf(about: string, error: unknown): DoctorCheck {
  if (!(error instanceof Failure)) throw error
  const { message, hint } = error
  return { about, state: 'wrong', said: message, ...compact({ todo: hint }) }
}

export const programCheck: Check<{ readonly io: Pick<Io, 'node'> }> = {
  about: 'program',
  check: ({ io }) => programIn(io),
  fix: 'install Node 24, or the newest 22 or 20: others are not tested'
}

/** The versions of Node in the `engines` of the package, in ascending order; the last one is a minimum. */
const engines = [
  [20, 19],
  [22, 12],
  [24, 0]
] as const

function programIn({ node }: Pick<Io, 'node'>): Found {
  const versions = `${tool.name.replace('/', ' ')} on Node ${node.replace(/^v/, '')}, ${platform()} ${arch()}`
  return isSupported(node) ? versions : { wrong: versions }
}

/** True if the engines of the package include this version, e.g. `v20.19.4`. */
export function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [newest] = engines[engines.length - 1] ?? [0]
  if (major >= newest) return true
  return engines.some(([line, least]) => major === line && minor >= least)
}
