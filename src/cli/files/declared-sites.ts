import { readdirSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { collect, type SiteDeclaration } from '../../config/documents.ts'
import { findFiles, isOfFleet } from '../../config/files/find.ts'
import { parseSource, read } from '../../config/files/read.ts'
import { Findings } from '../../config/findings.ts'
import { RunBudget } from '../../config/limits.ts'
import type { Site } from '../../model/desired.ts'
import { exit, Failure } from '../../model/failure.ts'
import { plural, quote } from '../../model/text.ts'

/** The destination of an import into a fleet. */
interface Target {
  readonly out: string
  readonly cwd: string
}

/** The start of a file with a top-level key of a fleet. */
const FLEET_KEY = /^(?:policy|profiles|groups|sites?):/m

/**
 * Throws a `Failure` (exit 3) if the fleet around `out` declares one of the sites, or gives its name to
 * another site: the files of the import would declare its WLANs a second time. A declaration with the same
 * name and without WLANs joins those of the import. `replaced` are the files that the import replaces.
 */
export async function checkUndeclared(
  sites: readonly Site[],
  replaced: readonly string[],
  target: Target
): Promise<void> {
  const { cwd } = target
  const replacedPaths = new Set(replaced.map(file => resolve(cwd, file)))
  const byId = new Map(sites.map(site => [site.id.toLowerCase(), site]))
  const byName = new Map(sites.map(site => [site.name, site]))
  const problems: Conflict[] = []
  const isKept = (file: string) => !replacedPaths.has(resolve(cwd, file))
  for await (const { site, file } of declaredSites(fleetAround(target), cwd, isKept)) {
    const same = byId.get(site.id)
    const namesake = byName.get(site.name)
    if (same === undefined ? namesake === undefined : joins(site, same)) continue
    problems.push({ file, site, isSameSite: same !== undefined })
  }
  if (problems[0] !== undefined) throw refusal(problems[0], problems.length - 1)
}

interface Conflict {
  readonly file: string
  readonly site: DeclaredSite
  readonly isSameSite: boolean
}

interface DeclaredSite extends Site {
  readonly hasWlans: boolean
}

function joins({ name, hasWlans }: DeclaredSite, imported: Site): boolean {
  return !hasWlans && name === imported.name
}

function refusal({ file, site, isSameSite }: Conflict, others: number): Failure {
  const more = others === 0 ? '' : `; so do ${plural(others, 'other declaration')}`
  if (!isSameSite) {
    const message = `${file} already declares another site with the name ${quote(site.name)}${more}`
    const hint = 'give the site another name, in the lines `ID NAME` of `--from FILE`'
    return new Failure(exit.wrongInput, message, hint)
  }
  const message = `${file} already declares the site ${quote(site.name)} (${site.id})${more}`
  const hint = site.hasWlans
    ? '`wlanctl adopt` writes live values into the files of a fleet, `import --out DIR` into another folder'
    : `import the site with this name: the line \`ID NAME\` of \`--from FILE\` gives it`
  return new Failure(exit.wrongInput, message, hint)
}

/**
 * The folder of the fleet that files in `out` belong to: the highest one up to the working directory that
 * holds a file of a fleet itself, or `out`. Undefined if `out` does not exist.
 */
function fleetAround({ out, cwd }: Target): string | undefined {
  const start = resolve(cwd, out)
  const way = relative(resolve(cwd), start)
  const depth = way === '' || way.split(sep)[0] === '..' ? 0 : way.split(sep).length
  let found = namesIn(start) === undefined ? undefined : start
  for (let folder = start, level = 0; level <= depth; folder = dirname(folder), level += 1) {
    if (holdsFleetFile(folder)) found = folder
  }
  return found
}

function holdsFleetFile(folder: string): boolean {
  return (namesIn(folder) ?? []).some(name => {
    if (!isOfFleet(name)) return false
    const path = join(folder, name)
    const source = read({ path, file: name, inFleet: name }, new Findings(), new RunBudget())
    return source !== undefined && FLEET_KEY.test(source.text)
  })
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

/** The sites that the readable files of a fleet declare, a file at a time; reads only the files to keep. */
async function* declaredSites(
  fleet: string | undefined,
  cwd: string,
  isKept: (file: string) => boolean
) {
  if (fleet === undefined) return
  const findings = new Findings()
  const budget = new RunBudget()
  for (const file of findFiles(fleet, cwd, findings, budget)) {
    const source = isKept(file.file) ? read(file, findings, budget) : undefined
    if (source === undefined) continue
    await parseSource(source, budget)
    for (const declaration of collect([source], new Findings()).sites) {
      const site = declared(declaration)
      if (site !== undefined) yield { site, file: file.file }
    }
  }
}

function declared({ map, defaultName, wlans }: SiteDeclaration): DeclaredSite | undefined {
  const id = textOf(map.entries.get('id'))
  const name = textOf(map.entries.get('name')) ?? defaultName
  if (id === undefined || name === undefined) return undefined
  const hasWlans = wlans().size > 0 || map.entries.has('wlans')
  return { id: id.toLowerCase(), name, hasWlans }
}

function textOf(entry: ReturnType<SiteDeclaration['map']['entries']['get']>): string | undefined {
  const value = entry?.value
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}
