import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { openReader, type Reader } from '../api/client.ts'
import { inParallel } from '../api/parallel.ts'
import { readSites } from '../api/sites.ts'
import { plainFiles, type SitePair } from '../import/plain.ts'
import type { RequestedSite } from '../import/request.ts'
import { dotenv, type ImportedSecret } from '../import/secrets.ts'
import { importSite } from '../import/site.ts'
import { type ExitCode, exit } from '../model/failure.ts'
import { type Finding, finding } from '../model/finding.ts'
import { count } from '../model/identity.ts'
import type { UnreadSite } from '../model/live.ts'
import type { Imported } from '../report/report.ts'
import { tellEnd, tellEstimate } from './calls.ts'
import { connectionOf } from './connection.ts'
import { checkNew, makeFolder, writeWhole } from './files.ts'
import { requestedSites } from './import-request.ts'
import type { Io } from './io.ts'
import {
  addExample,
  addReportOptions,
  addSecretPrefix,
  addServiceOptions,
  type ReportOptions,
  type SecretOptions,
  type ServiceOptions
} from './options.ts'
import { tell } from './output.ts'
import type { Context } from './program.ts'
import { startProgress } from './progress.ts'

interface Options extends ServiceOptions, ReportOptions, Pick<SecretOptions, 'secretPrefix'> {
  readonly from?: string
  readonly out: string
  readonly allFields?: true
  readonly factor?: true
  readonly secretsOut?: string
  readonly force?: true
}

export function define(command: Command, { io, ends }: Context): void {
  command.argument('[site-id...]', 'the sites to read')
  addReportOptions(addServiceOptions(addSecretPrefix(command)))
    .addOption(
      new Option('--from <file>', 'a file with the id and the name of a site on each line')
    )
    .addOption(new Option('--out <dir>', 'where the files go, one for each site').default('sites'))
    .addOption(new Option('--all-fields', 'also what is empty, or the documented default'))
    .addOption(
      new Option(
        '--factor',
        'put what the sites have in common into profiles, and the rest into variables'
      )
    )
    .addOption(
      new Option('--secrets-out <file>', 'write the secrets themselves, to move them into a vault')
    )
    .addOption(new Option('--force', 'replace files that are there already'))
    .action(ends((ids: string[], options: Options) => importSites(ids, options, io)))
  addExample(
    command,
    'wlanctl import 4ac1dcf4-9d8b-4211-95c4-057819f0862b --secrets-out secrets.env'
  )
}

/** Live → YAML: one list request for each site; a plan right after it is empty. */
async function importSites(ids: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const requested = await requestedSites(ids, options, io.cwd)
  const { out, secretsOut } = options
  await makeFolder(out, io.cwd)
  // Of a file for each site the name is known before anything is read.
  const expected = options.factor ? [] : requested.map(({ slug }) => join(out, `${slug}.yaml`))
  await checkAll([...expected, ...(secretsOut === undefined ? [] : [secretsOut])], options, io)
  const { sites, unread, ...asked } = await read(requested, options, io)
  const { files, secrets, findings, ...factored } = await declare(sites, options)
  const targets = files.map(({ file, text }) => ({ file: join(out, file), text }))
  await checkAll(
    targets.map(({ file }) => file),
    options,
    io
  )
  await inParallel(targets, FILES_AT_ONCE, ({ file, text }) => writeWhole(file, text, io.cwd))
  if (secretsOut !== undefined) await writeWhole(secretsOut, dotenv(secrets), io.cwd)
  const imported: Imported = {
    sites: requested.length,
    sites_failed: unread.length,
    wlans: files.reduce((sum, { wlans }) => sum + wlans, 0),
    requests: asked.requests,
    files: files.map(({ file, wlans }) => ({ file: join(out, file), wlans })),
    secrets: secrets.map(shownSecret),
    ...factored
  }
  const all = [...findingsOf(sites, unread, secrets), ...findings]
  await tell({ kind: 'findings', findings: all, imported }, options, io)
  await tellEnd({ ...imported, rest: 'in parts' }, options, io, asked)
  return unread.length > 0 ? exit.incomplete : exit.done
}

function checkAll(files: readonly string[], { force }: Options, io: Io): Promise<void> {
  return checkNew(files, force === true, io.cwd)
}

/** Files that are written at the same time: each waits for the disk. */
const FILES_AT_ONCE = 16

interface Read {
  /** Those that were read, in the order of the requested ones. */
  readonly sites: readonly SitePair[]
  readonly unread: readonly UnreadSite[]
  readonly requests: number
  /** Why not all of them were asked for, if that is so. */
  readonly end: Reader['end']
}

/** Reads each site with one list request, and makes its declaration as soon as it is there. */
async function read(requested: readonly RequestedSite[], options: Options, io: Io): Promise<Read> {
  const reader = openReader(await connectionOf(options, io, io.interrupted))
  await tellEstimate(requested.length, options, io)
  const progress = startProgress(
    { doing: 'reading sites', total: requested.length, reader },
    options,
    io
  )
  const allFields = options.allFields === true
  try {
    const asked = requested.map(({ id, name }) => ({ id, name, wlans: [] }))
    const read = await readSites(reader, asked, options.parallelism, ({ name }, live) => {
      const isRead = 'wlans' in live
      progress.step(`${name}: ${isRead ? `${count(live.wlans.length, 'WLAN')} read` : 'not read'}`)
      return isRead ? importSite(live, { allFields }) : live
    })
    return {
      sites: read.flatMap((site, n) => {
        const asked = requested[n]
        return 'wlans' in site && asked !== undefined ? [[asked, site] as const] : []
      }),
      unread: read.flatMap(site => ('wlans' in site ? [] : [site])),
      requests: reader.requests,
      end: reader.end
    }
  } finally {
    progress.end()
    await reader.close()
  }
}

/** The files that declare these sites, and what is to be said of that. */
async function declare(sites: readonly SitePair[], { factor, secretPrefix }: Options) {
  const plain = plainFiles(sites, secretPrefix)
  if (!factor) return { ...plain, findings: [] }
  const { factor: inLayers } = await import('../import/factor/factor.ts')
  const made = await inLayers(sites, plain.files, secretPrefix)
  if ('files' in made) return { ...made, findings: [] }
  return { ...plain, findings: [finding('IMPORT_NOT_FACTORED', {}, made.reason)] }
}

function shownSecret({ name, address, pointer, secret }: ImportedSecret): Imported['secrets'][0] {
  return { name, address, pointer, ...(secret.known ? {} : { hidden: true }) }
}

function findingsOf(
  sites: readonly SitePair[],
  unread: readonly UnreadSite[],
  secrets: readonly ImportedSecret[]
): Finding[] {
  const hidden = secrets.filter(({ secret }) => !secret.known).length
  return [
    ...unread.map(({ site, reason, hint }) =>
      finding('SITE_NOT_READ', { address: site.name }, reason, hint)
    ),
    ...sites.flatMap(([, { findings }]) => findings),
    ...(hidden === 0 ? [] : [finding('IMPORT_SECRET_HIDDEN', {}, hidden, secrets.length)])
  ]
}
