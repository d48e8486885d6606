import { stat } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isLoopback } from '../api/connection.ts'
import { loadFleet } from '../config/load.ts'
import { byCodeUnit } from '../model/collections.ts'
import { countManaged, type Desired } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { type DoctorCheck, isError } from '../model/finding.ts'
import type { SecretReference } from '../model/secret.ts'
import { listFirst, plural } from '../model/text.ts'
import { secretsIn } from '../model/value.ts'
import { referencesOnly, type SecretOptions } from '../secrets/source.ts'
import { tool } from './context.ts'
import { type Git, gitIn } from './files/git.ts'
import { leftoversBelow, leftoversIn } from './files/leftovers.ts'
import { type Io, quoteForShell } from './io.ts'
import type { ServiceOptions } from './options.ts'
import { secretSourceOf, secretsDirProblem } from './secrets-command.ts'

/** The result of a check, without its name. */
export type CheckOutcome = Omit<DoctorCheck, 'about'>

export const ok = (said: string): CheckOutcome => ({ state: 'ok', said })
export const wrong = (said: string, todo: string): CheckOutcome => ({ state: 'wrong', said, todo })
export const note = (said: string, todo: string): CheckOutcome => ({ state: 'note', said, todo })

/**
 * Runs a step of a real run as a check: a `Failure` becomes a failed check with the same message, so that
 * doctor and the other commands agree.
 */
export async function check(
  about: string,
  work: () => Promise<string> | string,
  also: Pick<DoctorCheck, 'todo'> = {}
): Promise<DoctorCheck> {
  try {
    return { about, ...ok(await work()), ...also }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { message, hint } = error
    return { about, state: 'wrong', said: message, ...(hint === undefined ? {} : { todo: hint }) }
  }
}

/** The result of a check that depends on a failed one. */
export function notChecked(about: string, before: string): DoctorCheck {
  return { about, state: 'note', said: `not checked: needs the ${before}` }
}

/** Checks the versions of wlanctl and Node. */
export function programCheck({ node }: Pick<Io, 'node'>): DoctorCheck {
  const about = 'program'
  const said = `${tool.name.replace('/', ' ')} on Node ${node.replace(/^v/, '')}, ${platform()} ${arch()}`
  if (isSupported(node)) return { about, ...ok(said) }
  const todo = 'install Node 24, or the newest 22 or 20: others are not tested'
  return { about, ...wrong(said, todo) }
}

/** The versions of Node in the `engines` of the package, in ascending order; the last one is a minimum. */
const engines = [
  [20, 19],
  [22, 12],
  [24, 0]
] as const

/** True if the engines of the package include this version, e.g. `v20.19.4`. */
export function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [newest] = engines[engines.length - 1] ?? [0]
  if (major >= newest) return true
  return engines.some(([line, least]) => major === line && minor >= least)
}

/** A message lists at most this many names, and counts the others. */
const MAX_NAMES = 8

/** Checks the files of the fleet, and whether their secrets are available. */
export async function fleetChecks(
  fleet: string,
  options: SecretOptions & ServiceOptions,
  io: Io
): Promise<{ readonly checks: readonly DoctorCheck[]; readonly desired?: Desired }> {
  let desired: Desired | undefined
  const files = await check('fleet', async () => {
    const secrets = secretSourceOf({ ...options, quiet: true }, io)
    const loaded = await loadFleet({
      directory: fleet,
      cwd: io.cwd,
      secrets,
      signal: io.interrupted
    })
    desired = loaded.desired
    return declared(fleet, loaded)
  })
  if (desired === undefined) return { checks: [files, notChecked('secrets', 'fleet')] }
  const references = referencesIn(desired)
  const there = await check('secrets', () => available(references))
  return { checks: [files, there, ...(await modes(references, options, io))], desired }
}

/** The names of the `$env` secrets that a fleet refers to, sorted; undefined if its files have errors. */
export async function secretNames(
  fleet: string,
  options: Pick<SecretOptions, 'secretPrefix'>,
  io: Io
): Promise<readonly string[] | undefined> {
  const secrets = referencesOnly(options.secretPrefix)
  const { desired } = await loadFleet({
    directory: fleet,
    cwd: io.cwd,
    secrets,
    signal: io.interrupted
  })
  if (desired === undefined) return undefined
  const references = [...referencesIn(desired).values()].map(({ reference }) => reference)
  return references.flatMap(reference => ('$env' in reference ? reference.$env : []))
}

function declared(fleet: string, { desired, findings }: Awaited<ReturnType<typeof loadFleet>>) {
  if (desired !== undefined) {
    return `${plural(countManaged(desired.sites), 'WLAN')} on ${plural(desired.sites.length, 'site')} in ${fleet}`
  }
  if (findings.some(({ code }) => code === 'EMPTY_FLEET')) {
    throw new Failure(
      exit.wrongInput,
      `${fleet} declares no site`,
      'name the folder with the YAML files; `wlanctl import` writes those of live WLANs'
    )
  }
  const errors = plural(findings.filter(isError).length, 'error')
  throw new Failure(
    exit.wrongInput,
    `${errors} in ${fleet}`,
    `see them with: wlanctl validate ${fleet}`
  )
}

/** Each secret reference of the fleet, and whether its secret is available. */
type References = ReadonlyMap<
  string,
  { readonly reference: SecretReference; readonly known: boolean }
>

function referencesIn({ sites }: Desired): References {
  const found = sites.flatMap(site =>
    site.wlans.flatMap(wlan =>
      [...secretsIn(wlan.fields)].flatMap(({ reference, known }) =>
        '$env' in reference || '$file' in reference
          ? [[nameOf(reference), { reference, known }] as const]
          : []
      )
    )
  )
  return new Map(found.sort(([a], [b]) => byCodeUnit(a, b)))
}

function nameOf(reference: SecretReference): string {
  return '$env' in reference ? reference.$env : '$file' in reference ? reference.$file : ''
}

function available(references: References): string {
  if (references.size === 0) return 'none is referred to'
  const lacking = [...references].flatMap(([name, { known }]) => (known ? [] : name))
  if (lacking.length === 0) {
    return references.size === 1
      ? 'the one referred to is there'
      : `all ${references.size} are there`
  }
  throw new Failure(
    exit.wrongInput,
    `${lacking.length} of ${references.size} missing: ${listFirst(lacking, MAX_NAMES)}`,
    'apply needs them: set the variables, or name the folder of `$file` secrets with --secrets-dir'
  )
}

/** Checks that other users of this machine cannot read the secret files. */
async function modes(
  references: References,
  { secretsDir }: SecretOptions,
  { cwd }: Io
): Promise<DoctorCheck[]> {
  if (secretsDir === undefined) return []
  const said = secretsDirProblem({ secretsDir }, { cwd })
  if (said !== undefined) {
    const todo = 'name the folder of `$file` secrets with --secrets-dir, or leave the option out'
    return [{ about: 'secrets directory', ...wrong(said, todo) }]
  }
  const names = [...references.values()].flatMap(({ reference }) =>
    '$file' in reference ? reference.$file : []
  )
  const readable: string[] = []
  for (const name of names) {
    const found = await stat(join(resolve(cwd, secretsDir), name)).catch(() => undefined)
    if (found !== undefined && (found.mode & 0o077) !== 0) readable.push(name)
  }
  const about = 'file modes'
  const [first] = readable
  if (first === undefined) return [{ about, ...ok('only you can read the secret files') }]
  const others = readable.length > 1 ? ` and ${readable.length - 1} more` : ''
  const can = `others on this machine can read ${first}${others} in ${secretsDir}`
  const todo = 'remove the rights of group and others with chmod, unless this is a container'
  return [{ about, ...note(can, todo) }]
}

/**
 * Checks for temporary folders of killed runs in the fleet and in the working directory, which may contain
 * secrets.
 */
export async function leftoverChecks(fleet: string, { cwd }: Io): Promise<DoctorCheck[]> {
  const found = new Set([
    ...(await leftoversBelow(resolve(cwd, fleet))),
    ...(await leftoversIn(cwd))
  ])
  return [...found].sort(byCodeUnit).map(path => {
    const folder = relative(cwd, path)
    const left = `a killed run left ${folder}, which may hold secrets`
    const todo = `run: rm -r ${quoteForShell(folder)}; the next run that writes there also removes it`
    return { about: 'leftovers', ...note(left, todo) }
  })
}

/** An address of the service in a CI file; an expression such as `${{ vars.X }}` is none. */
const CI_ADDRESS = /\b(?:base-url|WLANCTL_BASE_URL): *["']?(https?:\/\/[^\s"',}]+)/g

/**
 * Checks that the addresses in CI files, which are texts by path, are not loopback addresses; none if the
 * files contain no address.
 */
export function ciAddressChecks(files: ReadonlyMap<string, string>): DoctorCheck[] {
  const found = [...files].flatMap(([file, text]) =>
    [...text.matchAll(CI_ADDRESS)].flatMap(([, address = '']) =>
      URL.canParse(address) ? { file, address } : []
    )
  )
  if (found.length === 0) return []
  const about = 'address'
  const local = found.filter(({ address }) => isLoopback(address))
  const [first] = local
  if (first === undefined) {
    const addresses = [...new Set(found.map(({ address }) => address))]
    return [{ about, ...ok(listFirst(addresses, MAX_NAMES)) }]
  }
  const where = listFirst([...new Set(local.map(({ file }) => file))], MAX_NAMES)
  const said = `${first.address} in ${where} is the machine that runs the job`
  return [{ about, ...wrong(said, 'replace it by the address of the service') }]
}

type Options = Pick<ServiceOptions, 'tokenFile'> & Pick<SecretOptions, 'secretsDir'>

const about = 'git'

/** Checks Git, the repository of the fleet, and whether a secret could be pushed. */
export async function gitChecks(fleet: string, options: Options, io: Io): Promise<DoctorCheck[]> {
  const git = gitIn(resolve(io.cwd, fleet), io)
  try {
    const { stdout } = await git(['--version'])
    const version = stdout
      .toString()
      .trim()
      .replace(/^git version /, '')
    return [await repository(version, git), ...(await tracked(options, io))]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ about, ...note('git is not installed', '--changed-since needs it') }]
  }
}

async function repository(version: string, git: Git): Promise<DoctorCheck> {
  const shallow = await git(['rev-parse', '--is-shallow-repository'])
  if (shallow.code !== 0) {
    const said = `${version}; the fleet is not in a git repository`
    return { about, ...note(said, 'keep the fleet in one, so that changes can be reviewed') }
  }
  if (shallow.stdout.toString().trim() !== 'true') return { about, ...ok(version) }
  const said = `${version}; the clone has no history`
  return { about, ...note(said, '--changed-since needs it: git fetch --unshallow') }
}

/** Checks that no repository tracks a file with secrets. */
async function tracked({ tokenFile, secretsDir }: Options, io: Io): Promise<DoctorCheck[]> {
  const files = [tokenFile ?? [], secretsDir ?? []].flat()
  const checks = await Promise.all(files.map(file => trackedCheck(file, io)))
  return checks.flat()
}

async function trackedCheck(file: string, io: Io): Promise<DoctorCheck[]> {
  const path = resolve(io.cwd, file)
  const git = gitIn(dirname(path), io)
  const { code, stdout } = await git(['ls-files', '-z', '--', `./${basename(path)}`])
  if (code !== 0 || stdout.length === 0) return []
  const said = `${file} is tracked by git: every clone of the repository contains it`
  const todo = 'replace the secret, then run git rm --cached and add a line to .gitignore'
  return [{ about, ...wrong(said, todo) }]
}
