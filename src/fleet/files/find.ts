import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { wrongInput } from '../../core/model/failure.ts'
import { finding, type Where } from '../../core/model/finding.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import type { Findings } from '../findings.ts'
import { isInside, readRegularFile, type Unreadable } from '../secrets/regular-file.ts'
import type { Usage } from '../usage.ts'
import {
  IGNORE_FILE,
  type IgnoreRules,
  isIgnored,
  MAX_IGNORE_BYTES,
  parseIgnoreFile
} from './ignore.ts'

export interface FleetFile {
  /** The real path to open, with links resolved. */
  readonly path: string
  /** Relative to the working directory, with `/`; for messages. */
  readonly file: string
  readonly inFleet: string
}

/** The YAML files in the directory of a fleet, each list sorted. */
export interface FoundFiles {
  readonly files: readonly FleetFile[]
  /** Those that only `.wlanctlignore` excludes. */
  readonly ignored: readonly FleetFile[]
}

/**
 * Finds the YAML files of a fleet. Excludes hidden files and folders, and `node_modules`.
 *
 * It never leaves the fleet: a link to a file of the fleet stands for that file, a link to a folder is not
 * followed, and a link to a path outside is a finding. So folders cannot form a loop. Throws a `Failure` if the
 * fleet is not a readable directory, or too large.
 */
export function findFiles(
  directory: string,
  cwd: string,
  findings: Findings,
  usage: Usage
): FoundFiles {
  const named = resolve(cwd, directory)
  const walk = new DirectoryWalk(rootOf(named, directory), namesFrom(cwd, named), findings, usage)
  walk.folder('')
  return walk.found()
}

function rootOf(named: string, directory: string): string {
  const name = JSON.stringify(directory)
  const hint = 'give the directory that holds the YAML files'
  try {
    const real = realpathSync(named)
    if (statSync(real).isDirectory()) return real
  } catch (thrown) {
    const code = errorCode(thrown)
    throw wrongInput(
      code === 'ENOENT'
        ? `fleet directory ${name} does not exist`
        : `cannot read fleet directory ${name}: ${code}`,
      hint
    )
  }
  throw wrongInput(`fleet ${name} is not a directory`, hint)
}

/** Names paths of the fleet relative to the working directory. `relative` is slow, so it names few paths. */
function namesFrom(cwd: string, named: string): (inFleet: string) => string {
  const way = slashed(relative(cwd, named))
  if (way === '') return inFleet => inFleet || '.'
  // The working directory is inside the fleet, or outside its parents.
  if (way.startsWith('..') || isAbsolute(way)) {
    return inFleet => slashed(relative(cwd, join(named, inFleet))) || '.'
  }
  return inFleet => (inFleet === '' ? way : `${way}/${inFleet}`)
}

function slashed(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/')
}

type FilesByKind = Readonly<Record<'plain' | 'linked' | 'ignored', FleetFile[]>>

class DirectoryWalk {
  readonly #root: string
  readonly #nameOf: (inFleet: string) => string
  readonly #findings: Findings
  readonly #usage: Usage
  readonly #found: FilesByKind = { plain: [], linked: [], ignored: [] }
  readonly #ignores: IgnoreRules | undefined

  constructor(root: string, nameOf: (inFleet: string) => string, findings: Findings, usage: Usage) {
    this.#root = root
    this.#nameOf = nameOf
    this.#findings = findings
    this.#usage = usage
    this.#ignores = this.#ignoreRules()
  }

  /** The rules of the fleet's ignore file; undefined without one. A file that cannot be read is a finding. */
  #ignoreRules(): IgnoreRules | undefined {
    const reading = ignoreRulesIn(this.#root)
    if (typeof reading === 'function') return reading
    const code = reading.problem === 'system' ? errorCode(reading.error) : reading.problem
    if (code !== 'ENOENT') this.#unreadable(IGNORE_FILE, code)
    return undefined
  }

  /** Each file once: a linked file has its own name, not that of the link. */
  found(): FoundFiles {
    const { plain, linked, ignored } = this.#found
    const files = byPath([...plain, ...linked.sort(byName)])
    const isRead = new Set(files.map(({ path }) => path))
    return { files, ignored: byPath(ignored).filter(({ path }) => !isRead.has(path)) }
  }

  /** `isIgnored`: the folder is ignored, and so is all in it. */
  folder(inFleet: string, isIgnored = false): void {
    for (const entry of this.#entries(inFleet)) {
      const below = inFleet === '' ? entry.name : `${inFleet}/${entry.name}`
      this.#usage.add('entries')
      if (isExcluded(entry.name)) continue
      const isOut = isIgnored || this.#ignores?.(below, entry.isDirectory()) === true
      if (entry.isDirectory()) this.folder(below, isOut)
      else if (entry.isSymbolicLink() || isYaml(entry.name)) this.#file(entry, below, isOut)
    }
  }

  #file(entry: Dirent, inFleet: string, isOut: boolean): void {
    this.#usage.add('files')
    const isLink = entry.isSymbolicLink()
    const path = join(this.#root, inFleet)
    const target = isLink ? realTarget(path) : { path, isFile: entry.isFile(), isFolder: false }
    const leadsOut = target === undefined || (isLink && !isInside(target.path, this.#root))
    const isWanted = isYaml(inFleet) && !target?.isFolder
    if (leadsOut) {
      if (!isOut && (isYaml(inFleet) || target?.isFolder)) this.#report('LINK_LEADS_OUT', inFleet)
    } else if (isWanted && target.isFile) {
      const kind = isOut ? 'ignored' : isLink ? 'linked' : 'plain'
      this.#found[kind].push({ path: target.path, inFleet, file: this.#nameOf(inFleet) })
    } else if (isWanted && !isOut) this.#report('FILE_NOT_REGULAR', inFleet)
  }

  #entries(inFleet: string): Dirent[] {
    try {
      return readdirSync(join(this.#root, inFleet), { withFileTypes: true })
    } catch (thrown) {
      this.#unreadable(inFleet, errorCode(thrown))
      return []
    }
  }

  #report(code: 'FILE_NOT_REGULAR' | 'LINK_LEADS_OUT', inFleet: string): void {
    this.#findings.push(finding(code, this.#at(inFleet)))
  }

  #unreadable(inFleet: string, code: string): void {
    this.#findings.push(finding('FILE_UNREADABLE', this.#at(inFleet), code))
  }

  #at(inFleet: string): Where {
    return { place: { file: this.#nameOf(inFleet), line: 1, column: 1 } }
  }
}

export function isOfFleet(inFleet: string): boolean {
  return isYaml(inFleet) && !inFleet.split('/').some(isExcluded)
}

/** True if the fleet in a folder would read a file at this path: it is neither hidden nor ignored. */
export function isFileOf(directory: string, inFleet: string): boolean {
  if (!isOfFleet(inFleet)) return false
  const rules = ignoreRulesIn(directory)
  return typeof rules !== 'function' || !isIgnored(inFleet, rules)
}

function ignoreRulesIn(directory: string): IgnoreRules | Unreadable {
  const path = join(directory, IGNORE_FILE)
  const reading = readRegularFile(path, { most: MAX_IGNORE_BYTES, links: false })
  return 'bytes' in reading ? parseIgnoreFile(reading.bytes.toString('utf8')) : reading
}

function isExcluded(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

function isYaml(name: string): boolean {
  return name.endsWith('.yaml') || name.endsWith('.yml')
}

function byPath(files: readonly FleetFile[]): FleetFile[] {
  const first = new Map<string, FleetFile>()
  for (const file of files) if (!first.has(file.path)) first.set(file.path, file)
  return [...first.values()].sort(byName)
}

function byName(a: FleetFile, b: FleetFile): number {
  return byCodeUnit(a.inFleet, b.inFleet)
}

function realTarget(link: string) {
  try {
    const path = realpathSync(link)
    const stat = statSync(path)
    return { path, isFile: stat.isFile(), isFolder: stat.isDirectory() }
  } catch {
    return undefined
  }
}

/** The code of a system error, such as `EACCES`; its message would show an absolute path. */
export function errorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown reason'
}
