import { arch, platform } from 'node:os'
import { Failure } from '../../core/model/failure.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { tool } from '../../core/model/tool.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { listFirst } from '../../core/values/text.ts'
import { isLoopback } from '../../service/http/connection.ts'
import type { Io } from '../terminal/io.ts'

/** A message lists at most this many names, and counts the others. */
export const MAX_NAMES = 8

/**
 * What a check finds: a text if all is well, a problem, or a note, which fails no run; either with a fix if it is
 * not that of the check. Undefined if the check does not apply.
 */
export type Found =
  | string
  | { readonly wrong: string; readonly fix?: string }
  | { readonly note: string; readonly fix?: string }
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
 * setting, become one note, with this fix.
 */
export async function runChecks<Subject>(
  table: readonly Check<Subject>[],
  subject: Subject,
  fixOfUnseen?: string
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
      checks.push(...[await check(subject)].flat().flatMap(each => resultOf(about, each, advice)))
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
  return [...checks, ...resultOf('not checked', { note }, () => fixOfUnseen)]
}

function resultOf(about: string, found: Found, fix: () => string | undefined): DoctorCheck[] {
  if (found === undefined) return []
  if (typeof found === 'string') return [{ about, state: 'ok', said: found }]
  const result =
    'wrong' in found
      ? ({ about, state: 'wrong', said: found.wrong } as const)
      : ({ about, state: 'note', said: found.note } as const)
  return [{ ...result, ...compact({ todo: found.fix ?? fix() }) }]
}

/** A failed check with the message and hint of a `Failure`; any other error is thrown. */
export function failureOf(about: string, error: unknown): DoctorCheck {
  if (!(error instanceof Failure)) throw error
  const { message, hint } = error
  return { about, state: 'wrong', said: message, ...compact({ todo: hint }) }
}

/** An address of the service in a CI file; an expression such as `${{ vars.X }}` is none. */
const CI_ADDRESS = /\b(?:base-url|WLANCTL_BASE_URL): *["']?(https?:\/\/[^\s"',}]+)/g

/** Checks that the addresses in CI files, which are texts by path, are not loopback addresses. */
export const ciAddressCheck: Check<{ readonly files: ReadonlyMap<string, string> }> = {
  about: 'address',
  check({ files }) {
    const found = [...files].flatMap(([file, text]) =>
      [...text.matchAll(CI_ADDRESS)].flatMap(([, address = '']) =>
        URL.canParse(address) ? { file, address } : []
      )
    )
    const local = found.filter(({ address }) => isLoopback(address))
    const [first] = local.length > 0 ? local : found
    if (first === undefined) return undefined
    const unique = (texts: string[]) => listFirst([...new Set(texts)], MAX_NAMES)
    if (local.length === 0) return unique(found.map(({ address }) => address))
    const where = unique(local.map(({ file }) => file))
    return { wrong: `${first.address} in ${where} is the machine that runs the job` }
  },
  fix: 'replace it by the address of the service'
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
