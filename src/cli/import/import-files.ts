import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { ListedImport } from '../../author/import/new-sites.ts'
import type { ImportedSecret, SecretForm } from '../../author/import/secrets.ts'
import type { RequestedImport, RequestedSite } from '../../author/import/site.ts'
import type { ImportedFile, Pause } from '../../author/import/site-files.ts'
import { flowText } from '../../author/yaml-edit/write.ts'
import type { GroupName } from '../../core/audit/kinds.ts'
import type { DesiredSite } from '../../core/model/desired.ts'
import { wrongInput } from '../../core/model/failure.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { LiveSite } from '../../core/model/live.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { loadTexts } from '../../fleet/load.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { TimeSlice } from '../../fleet/usage.ts'
import { escapeText } from '../../report/escape.ts'
import type { ImportSummary } from '../../report/report.ts'
import type { WaiverEntry } from '../../run/checks/live-waivers.ts'
import { inParallel } from '../../service/http/concurrency.ts'
import { checkUndeclared, fleetAround, policyAround } from '../files/declared-sites.ts'
import { checkNew, isPresent, makeFolder, removeEmpty, writeFileAtomic } from '../files/files.ts'
import {
  checkSecretFiles,
  checkSecretsFolder,
  dotenv,
  writeSecretFiles
} from '../files/import-secrets.ts'
import { type Io, write, writeLine } from '../terminal/io.ts'

interface Target {
  readonly out: string
  readonly secretsOut?: string
  readonly secretsDir?: string
  readonly secretPrefix: string
  readonly plain?: true
  /** True to replace files; undefined for a command without the option. */
  readonly force?: boolean
  readonly dryRun?: true
  readonly group: readonly GroupName[]
  readonly format: string
  readonly cwd: string
}

export interface Written extends Pick<ImportSummary, 'lines'> {
  readonly files: readonly Omit<ImportedFile, 'text'>[]
  readonly secrets: readonly ImportedSecret[]
  readonly findings: readonly Finding[]
  /** For the lint errors of the live networks. */
  readonly waivers: readonly WaiverEntry[]
  /** The key of a WLAN in the files, by the id of the WLAN; absent if each has the key of its import. */
  readonly keys?: ReadonlyMap<string, string>
}

interface ReadImport extends RequestedImport {
  readonly live: LiveSite
}

/** Runs before a site is read. Throws (exit 3) if a file exists, or a site is declared already. */
export async function checkImport(
  requested: readonly RequestedSite[],
  target: Target
): Promise<void> {
  if (isPlain(requested, target)) {
    const files = requested.map(({ slug }) => `${slug}.yaml`)
    return checkPlaces(files, requested, target)
  }
  // With `--force`, a file that declares one of the sites may be one of those to replace, which are known later.
  await checkPlaces([], target.force ? [] : requested, { ...target, mayReplace: true })
}

/** True for an import that writes a file for each site; one site has nothing in common with others. */
function isPlain(requested: readonly RequestedSite[], target: Target): boolean {
  return target.plain === true || requested.length === 1
}

/**
 * Writes the files of the sites that were read: in layers, where they help, else one for each site; and their secrets.
 * Rejects with a `Failure` if one could not be written.
 */
export async function writeImport(
  sites: readonly ReadImport[],
  requested: readonly RequestedSite[],
  target: Target,
  io: Io
): Promise<Written> {
  const pause = pauseUntil(io.interrupted)
  const { secretsDir, secretPrefix: prefix, group: groupNames } = target
  const form = { kind: secretsDir === undefined ? '$env' : '$file', prefix } as const
  const beside = await besideFleet(sites, form, target, io.interrupted)
  const others = sites.filter(site => !beside.listed.some(each => each.site === site))
  if (beside.listed.length > 0 && others.length === 0) {
    return writeLists(beside, sites, target, io)
  }
  const inLayers = !isPlain(requested, target)
  const { writeFleet } = await import('../../author/import/factor/factor.ts')
  const { files, unmatched, problem, declared, ...content } = await writeFleet(
    sites,
    { form, groupNames, inLayers: inLayers && sites.length > 0 },
    pause
  )
  const names = files.map(({ file }) => file)
  if (inLayers) await checkPlaces(names, requested, target)
  await writeFiles(files, content.secrets, target, io)
  const waivers = await waiversOf(declared ?? (await declaredIn(files, prefix)), sites, io)
  const findings = [
    ...(problem === undefined ? [] : [finding('IMPORT_NOT_FACTORED', {}, problem)]),
    ...unmatched.map(({ name, glob }) => finding('IMPORT_GROUP_UNUSED', {}, name, glob))
  ]
  return { ...content, findings, waivers, files: files.map(({ text: _, ...file }) => file) }
}

async function declaredIn(files: readonly ImportedFile[], secretPrefix: string | undefined) {
  const texts = new Map(files.map(({ file, text }) => [file, text]))
  const { desired } = await loadTexts(texts, referencesOnly(secretPrefix))
  return desired?.sites ?? []
}

interface Beside {
  readonly fleet: string
  readonly texts: ReadonlyMap<string, string>
  readonly listed: readonly ListedImport[]
}

/** The sites that fit into a list of the fleet in or around the folder; none with `--plain` or `--force`. */
async function besideFleet(
  sites: readonly ReadImport[],
  form: SecretForm,
  target: Target,
  interrupted: AbortSignal
): Promise<Beside> {
  const { plain, force, cwd } = target
  const fleet = fleetAround(target)
  const none = { fleet, texts: new Map<string, string>(), listed: [] }
  if (plain || force || sites.length === 0 || !existsSync(fleet)) return none
  const { rereadFiles } = await import('../../fleet/files/reread.ts')
  // A fleet with errors gets files of their own.
  const files = await rereadFiles(fleet, cwd, interrupted).catch(() => [])
  if (files.length === 0) return none
  const { addToLists } = await import('../../author/import/new-sites.ts')
  const texts = new Map(files.map(({ source }) => [source.inFleet, source.text]))
  return { fleet, ...(await addToLists(texts, sites, form)) }
}

async function writeLists(
  { fleet, texts, listed }: Beside,
  sites: readonly ReadImport[],
  target: Target,
  io: Io
): Promise<Written> {
  const { out, cwd } = target
  const files = [...groupBy(listed, ({ file }) => file)].map(([file, added]) => ({
    file: relative(resolve(cwd, out), join(fleet, file)),
    text: texts.get(file) ?? '',
    wlans: added.reduce((sum, { site }) => sum + site.wlans.length, 0),
    added
  }))
  const lines = files.flatMap(({ file, added }) => [
    `+++ ${join(out, file)}`,
    ...added.flatMap(each => each.lines.map(line => `+${line}`))
  ])
  if (target.format === 'text')
    await write(io, `${lines.map(line => `${escapeText(line)}\n`).join('')}\n`)
  const secrets = listed.flatMap(each => each.secrets)
  await writeFiles(files, secrets, target, io)
  const declared = listed.map(each => each.declared)
  const shown = files.map(({ file, wlans }) => ({ file, wlans }))
  return { files: shown, secrets, findings: [], waivers: await waiversOf(declared, sites, io) }
}

/** The number of files that are written at the same time, because each waits for the disk. */
const WRITE_CONCURRENCY = 8

/**
 * Writes the files, then the secrets: if no file is written, those of an earlier run are not replaced. Writes nothing after the
 * first error; without any file, removes the folder.
 */
async function writeFiles(
  files: readonly ImportedFile[],
  secrets: readonly ImportedSecret[],
  target: Target,
  io: Io
): Promise<void> {
  await checkSecretFiles(secrets, target)
  const { out, secretsOut, cwd, dryRun } = target
  if (dryRun || files.length === 0) return
  const pause = pauseUntil(io.interrupted)
  const written: string[] = []
  const made = await makeFolder(out, cwd)
  try {
    await inParallel(files, WRITE_CONCURRENCY, async ({ file, text }) => {
      await pause()
      await writeFileAtomic(join(out, file), text, cwd)
      written.push(file)
    })
    if (secretsOut !== undefined) await writeFileAtomic(secretsOut, dotenv(secrets), cwd)
    await writeSecretFiles(secrets, target, io.interrupted)
  } catch (error) {
    await removeEmpty(made)
    // These files stop the next import unless it has `--force`.
    if (written.length > 0) {
      const some = `wrote ${plural(written.length, 'file')} in ${escapeText(out)} and no secret`
      await writeLine(io, `wlanctl: incomplete import: ${some}; run it again with --force`)
    }
    throw error
  }
}

async function waiversOf(
  declared: readonly DesiredSite[],
  sites: readonly ReadImport[],
  { now }: Io
): Promise<readonly WaiverEntry[]> {
  const { liveWaivers } = await import('../../run/checks/live-waivers.ts')
  return liveWaivers(
    declared,
    sites.map(site => site.live),
    now()
  )
}

/**
 * Throws a `Failure` (exit 3) if a file cannot be written, or exists, or a site is declared in
 * another file; creates nothing permanently.
 */
async function checkPlaces(
  files: readonly string[],
  sites: readonly RequestedSite[],
  target: Target & { readonly mayReplace?: true }
): Promise<void> {
  const { out, secretsOut, force, cwd } = target
  const made = await makeFolder(out, cwd)
  try {
    await checkSecretsFolder(target)
    const all = files.map(file => join(out, file))
    if (secretsOut !== undefined) all.push(secretsOut)
    if (new Set(all.map(file => resolve(cwd, file))).size < all.length) {
      throw wrongInput(`${secretsOut} is also the file of a site`)
    }
    await checkNew(all, cwd, force)
    if (sites.length > 0) await checkUndeclared(sites, all, target)
  } finally {
    await removeEmpty(made)
  }
}

/** Returns a function that yields after each slice of time, so that a signal can abort the run. */
export function pauseUntil(stop: AbortSignal): Pause {
  const slice = new TimeSlice(stop)
  return async () => {
    stop.throwIfAborted()
    await slice.pause()
  }
}

const COMMENT =
  '  # Lint errors of networks that were live when imported. Repair the networks, and remove their waivers.'

/**
 * Adds the waivers to the policy of a new fleet: `policyFile` ends with it, and was written by the same run. Another policy
 * stays as it is: the report lists the entries.
 */
export async function addWaivers(
  waivers: readonly WaiverEntry[],
  policyFile: string | undefined,
  target: Target
): Promise<Pick<ImportSummary, 'waivers'>> {
  if (waivers.length === 0) return {}
  const entries = waivers.map(waiver => flowText({ ...waiver }))
  const lines = [COMMENT, '  waivers:', ...entries.map(entry => `    - ${entry}`), '']
  const file = policyFile ?? (await newPolicy(target))
  const { cwd, dryRun } = target
  if (file === undefined || dryRun) return { waivers: { entries, ...compact({ file }) } }
  const before = policyFile === undefined ? 'policy:\n' : await readFile(resolve(cwd, file), 'utf8')
  await writeFileAtomic(file, before + lines.join('\n'), cwd, 0o644)
  return { waivers: { entries, file } }
}

async function newPolicy(target: Target): Promise<string | undefined> {
  const file = join(target.out, 'policy.yaml')
  const isTaken = (await isPresent(file, target.cwd)) || (await policyAround(target)) !== undefined
  return isTaken ? undefined : file
}
