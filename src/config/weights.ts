import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import { finding } from '../model/finding.ts'
import { quote } from '../model/text.ts'
import type { Findings } from './findings.ts'
import type { FleetSite } from './sites.ts'

/** The number of clients of sites, by name or id as in the file. */
export type Weights = ReadonlyMap<string, number>

const LINE = /^(?:"((?:[^"]|"")+)"|([^",]+)),(\d{1,9})$/

/**
 * Parses a file of weights: CSV with a site, by name or id, and its number of clients on each line; the first
 * line may be `site,clients`. Throws a `Failure` (exit 3) with the number of the first invalid line.
 */
export function parseWeights(text: string, name: string): Weights {
  const weights = new Map<string, number>()
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const wrong = (line: number, problem: string) =>
    new Failure(
      exit.wrongInput,
      `${name}:${line}: ${problem}`,
      'write a site and its number of clients on each line: `hq,120`'
    )
  const most = fileLimits.weights.lines
  if (lines.length > most) throw wrong(most + 1, `expected at most ${most} lines`)
  for (const [at, line] of lines.entries()) {
    if (at === 0 && line === 'site,clients') continue
    const [, quoted, plain = '', number] = LINE.exec(line) ?? []
    const site = quoted?.replaceAll('""', '"') ?? plain
    if (number === undefined) {
      throw wrong(at + 1, `expected \`SITE,NUMBER\`, got ${quote(line, 80)}`)
    }
    if (weights.has(site)) throw wrong(at + 1, `duplicate site ${quote(site, 80)}`)
    weights.set(site, Number(number))
  }
  if (weights.size === 0) throw wrong(1, 'expected a site, got none')
  return weights
}

/** Sets the number of clients from a file, which overrides those of the fleet. */
export function withWeights(
  sites: readonly FleetSite[],
  weights: Weights,
  findings: Findings
): FleetSite[] {
  const known = new Set(sites.flatMap(({ id, name }) => [id.toLowerCase(), name]))
  const unknown = [...weights.keys()].filter(
    key => !known.has(key) && !known.has(key.toLowerCase())
  )
  if (unknown.length > 0) findings.push(finding('WEIGHTS_UNKNOWN_SITE', {}, unknown))
  const byKey = new Map([...weights].map(([key, clients]) => [key.toLowerCase(), clients]))
  return sites.map(site => {
    const clients = weights.get(site.name) ?? byKey.get(site.id.toLowerCase())
    return clients === undefined ? site : { ...site, clients }
  })
}
