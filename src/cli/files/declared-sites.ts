import { existsSync, readdirSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Site } from '../../core/model/desired.ts'
import { type Failure, wrongInput } from '../../core/model/failure.ts'
import { plural, quote } from '../../core/values/text.ts'
import { collect, declarationsOf, type SiteDeclaration } from '../../fleet/documents.ts'
import { findFiles, isFileOf, isOfFleet } from '../../fleet/files/find.ts'
import { parseSource, read } from '../../fleet/files/read.ts'
import { Findings } from '../../fleet/findings.ts'
import { Usage } from '../../fleet/usage.ts'
import { memberNode, textOf } from '../../fleet/yaml/tree.ts'

interface Target {
  readonly out: string
  readonly cwd: string
  /** True if `--force` could replace the files that declare a site, for the hint of a refusal. */
  readonly mayReplace?: true
}

/** The start of a file with a top-level key of a fleet. */
const FLEET_KEY = /^(?:policy|profiles|groups|sites?):/m

/**
 * Throws a `Failure` (exit 3) if the fleet around `out` declares one of the sites, or gives its name to
 * another site: the files of the import would declare its WLANs a second time. A declaration without WLANs
 * and without another name joins those of the import. `replaced` are the files that the import replaces.
 */
export async function checkUndeclared(
  sites: readonly Site[],
  replaced: readonly string[],
  target: Target
): Promise<void> {
  const { cwd, mayReplace } = target
  const replacedPaths = new Set(replaced.map(file => resolve(cwd, file)))
  const byId = new Map(sites.map(site => [site.id.toLowerCase(), site]))
  const names = new Set(sites.map(({ name }) => name))
  const problems: Conflict[] = []
  const isKept = (file: string) => !replacedPaths.has(resolve(cwd, file))
  for await (const { file, declarations } of declarationsIn(fleetAround(target), cwd, isKept)) {
    for (const declaration of declarations.sites) {
      const site = declared(declaration)
      const same = site && byId.get(site.id)
      if (site === undefined || (same === undefined ? !names.has(site.name) : joins(site, same))) {
        continue
      }
      problems.push({ file, site, isSameSite: same !== undefined })
    }
  }
  if (problems[0] !== undefined) throw refusal(problems[0], problems.length - 1, mayReplace)
}

interface Conflict {
  readonly file: string
  readonly site: DeclaredSite
  readonly isSameSite: boolean
}

interface DeclaredSite extends Site {
  readonly hasWlans: boolean
  /** True for the name of the file, which the name of another declaration replaces. */
  readonly isDefaultName: boolean
}

function joins({ name, isDefaultName, hasWlans }: DeclaredSite, imported: Site): boolean {
  return !hasWlans && (isDefaultName || name === imported.name)
}

function refusal(
  { file, site, isSameSite }: Conflict,
  others: number,
  mayReplace = false
): Failure {
  const verb = others === 1 ? 'does' : 'do'
  const more = others === 0 ? '' : `; so ${verb} ${plural(others, 'other declaration')}`
  if (!isSameSite) {
    const message = `${file} already declares another site with the name ${quote(site.name)}${more}`
    const hint = 'give the site another name, in the lines `ID NAME` of `--from FILE`'
    return wrongInput(message, hint)
  }
  const message = `${file} already declares the site ${quote(site.name)} (${site.id})${more}`
  const force = mayReplace ? '`--force` replaces the files of an earlier import, ' : ''
  const hint = site.hasWlans
    ? `${force}\`wlanctl adopt\` writes live values into the files of a fleet, \`import --out DIR\` into another folder`
    : `import the site with this name: the line \`ID NAME\` of \`--from FILE\` gives it`
  return wrongInput(message, hint)
}

/**
 * The folder of the fleet that files in `out` belong to: the highest one up to the working directory that
 * holds a file of a fleet itself. It is `out` if there is none, and if that fleet excludes `out`.
 */
export function fleetAround({ out, cwd }: Pick<Target, 'out' | 'cwd'>): string {
  const start = resolve(cwd, out)
  const way = relative(resolve(cwd), start)
  const isBelow = way !== '' && way.split(sep)[0] !== '..' && !isAbsolute(way)
  const depth = isBelow ? way.split(sep).length : 0
  let found = start
  for (let folder = start, level = 0; level <= depth; folder = dirname(folder), level += 1) {
    if (holdsFleetFile(folder)) found = folder
  }
  const file = [...relative(found, start).split(sep), 'site.yaml'].join('/')
  return isFileOf(found, file.replace(/^\//, '')) ? found : start
}

function holdsFleetFile(folder: string): boolean {
  return namesIn(folder).some(name => {
    if (!isOfFleet(name)) return false
    const path = join(folder, name)
    const source = read({ path, file: name, inFleet: name }, new Findings(), new Usage())
    return source !== undefined && FLEET_KEY.test(source.text)
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The policy in a readable file of the fleet around `out`, with its organization; undefined without a policy. */
export async function policyAround(
  target: Pick<Target, 'out' | 'cwd'>
): Promise<{ readonly org: string | undefined } | undefined> {
  const fleet = fleetAround(target)
  if (!existsSync(fleet)) return undefined
  for await (const { declarations } of declarationsIn(fleet, target.cwd)) {
    const { policy } = declarations
    if (policy !== undefined) return { org: textOf(memberNode(policy, 'org')) }
  }
  return undefined
}

/** The ids, in lower case, of the sites that the readable files of the fleet around `out` declare. */
export async function declaredSiteIds(
  target: Pick<Target, 'out' | 'cwd'>
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  const fleet = fleetAround(target)
  if (!existsSync(fleet)) return ids
  for await (const { declarations } of declarationsIn(fleet, target.cwd)) {
    for (const each of declarations.sites) ids.add(declared(each)?.id ?? '')
  }
  return ids
}

/** The declarations in the readable files of a fleet, a file at a time; reads only the files to keep. */
async function* declarationsIn(
  fleet: string,
  cwd: string,
  isKept: (file: string) => boolean = () => true
) {
  const findings = new Findings()
  const usage = new Usage()
  for (const { file, ...rest } of findFiles(fleet, cwd, findings, usage).files) {
    const source = isKept(file) ? read({ file, ...rest }, findings, usage) : undefined
    if (source === undefined) continue
    await parseSource(source)
    yield { file, declarations: collect([declarationsOf(source, new Findings())], new Findings()) }
  }
}

function declared({ map, defaultName, wlans }: SiteDeclaration): DeclaredSite | undefined {
  const id = textOf(memberNode(map, 'id'))
  const ownName = textOf(memberNode(map, 'name'))
  const name = ownName ?? defaultName
  if (id === undefined || name === undefined) return undefined
  const hasWlans = wlans.size > 0 || map.entries.has('wlans')
  return { id: id.toLowerCase(), name, isDefaultName: ownName === undefined, hasWlans }
}
